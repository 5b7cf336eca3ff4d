// Another program holds the state file, as a backup does.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { StorageError } from '../../src/store/contract/store.ts';
import { createFolder } from '../support/daemon.ts';
import { claim, commit, cover, dispatch } from '../support/store/store-calls.ts';
import { aDecision, aTransition, NOON } from './builders.ts';

const folder = createFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

test('what is written meanwhile is kept in the order in which it was asked for, and the event loop stays free', async () => {
  const file = join(folder.path, 'ordered.db');
  await using store = await openSqliteStore({ file });
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const ended: string[] = [];
  const first = aDecision('w', { state: 'first', transitions: [aTransition()] });
  const writes = [
    commit(store, [first], NOON).then(([end]) => ended.push(`first ${end}`)),
    commit(store, [aDecision('w', { expects: 1, state: 'second' })], NOON).then(([end]) => ended.push(`second ${end}`)),
    cover(store, new Map([['w', { until: NOON + 1 }]])).then((end) => ended.push(`cover ${end}`)),
  ];
  for (let turns = 0; turns < 50; turns += 1) await nextTurn();
  expect(ended).toEqual([]);
  // Reading waits for nobody.
  expect(await store.recall()).toEqual(new Map());
  other.exec('COMMIT');
  await Promise.all(writes);
  expect(ended).toEqual(['first kept', 'second kept', 'cover kept']);
  expect((await store.recall()).get('w')).toMatchObject({ version: 2, state: 'second', coveredUntil: NOON + 1 });
  await dispatch(store, NOON);
  expect(await claim(store, 'ops', 10, NOON)).toHaveLength(1);
});

test('a file that is held for too long refuses all that waits for it, and takes what comes after', async () => {
  const file = join(folder.path, 'held.db');
  await using store = await openSqliteStore({ file });
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const ends = await Promise.allSettled(['w', 'x', 'y'].map((id) => commit(store, [aDecision(id)], NOON)));
  for (const end of ends) {
    if (end.status === 'fulfilled') throw new Error('it was kept');
    expect(end.reason).toBeInstanceOf(StorageError);
    expect(String(end.reason)).toMatch(/cannot write .*held\.db: .*Another program holds the file: let it finish\./);
  }
  other.exec('COMMIT');
  expect(await commit(store, [aDecision('w')], NOON)).toEqual(['kept']);
  expect((await store.recall()).size).toBe(1);
});
