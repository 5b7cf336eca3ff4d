// A state file of the release that had schema 9, whose daemon was killed: what is owed goes out once, under the ids that
// it had, and what was sent is not sent again. Ends reach exactly those who were told.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import type { Delivery } from '../../src/core/model/delivery.ts';
import { retire } from '../../src/core/step.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { openSqliteReader } from '../../src/store/sqlite/reader.ts';
import type { Store } from '../../src/store/store.ts';
import { createFolder } from '../support/daemon.ts';
import { claim, commit, dispatch } from '../support/store/store-calls.ts';

const HOUR = 3_600_000;
const SENT = { state: 'sent', outcome: { type: 'sent', answer: '250' } } as const;

const folder = createFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

interface Former {
  readonly file: string;
  /** Ids of its deliveries, by state. */
  readonly ids: (...states: readonly string[]) => readonly string[];
  /** When its daemon was killed. */
  readonly at: number;
}

function former(name: string, change = ''): Former {
  const file = join(folder.path, name);
  using db = new DatabaseSync(file);
  db.exec(readFileSync(join(import.meta.dirname, 'schemas', '9.sql'), 'utf8'));
  db.exec(change);
  const rows = db.prepare('SELECT id, state, created_at FROM deliveries ORDER BY number').all();
  return {
    file,
    ids: (...states) => rows.filter(({ state }) => states.includes(String(state))).map(({ id }) => String(id)),
    at: Math.max(...rows.map((row) => Number(row['created_at']))),
  };
}

/** All that goes out until nothing is left, in order. */
async function sendAll(store: Store, at: number): Promise<Delivery[]> {
  const sent: Delivery[] = [];
  for (const channel of ['screen', 'post']) {
    await store.expire(channel, at, []);
    for (let claimed = await claim(store, channel, 10, at); claimed.length > 0;)
      for (const { delivery, attempt } of claimed.splice(0)) {
        sent.push(delivery);
        await store.settle({ id: delivery.id, attempt }, SENT, at);
        claimed.push(...(await claim(store, channel, 10, at)));
      }
  }
  return sent;
}

test('what is owed goes out once, under its id and in order; what was sent does not', async () => {
  const { file, ids, at } = former('owed.db');
  await using store = await openSqliteStore({ file });
  const sent = await sendAll(store, at + HOUR);
  expect(sent.map(({ id }) => id).toSorted()).toEqual(ids('due', 'sending').toSorted());
  expect(ids('sent')).toHaveLength(3);
  const ofBob = sent.filter(
    ({ recipient, members: [{ message }] }) => recipient.startsWith('bob') && message.alert === 'lower',
  );
  expect(ofBob.map(({ members: [{ message }] }) => message.type)).toEqual(['alert.firing', 'alert.resolved']);
  expect(await sendAll(store, at + 2 * HOUR)).toEqual([]);
  await dispatch(store, at);
  expect(await sendAll(store, at + 2 * HOUR)).toEqual([]);
});

test('a message is stored once for all its recipients, and every try and age is kept', async () => {
  const { file, ids, at } = former('tries.db');
  await using store = await openSqliteStore({ file });
  await using reader = await openSqliteReader({ file });
  const all = await reader.deliveries({ state: null, channel: null, before: null, limit: 100 });
  expect(all).toHaveLength(ids('due', 'sending', 'sent').length);
  using db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare('SELECT count(*) AS count FROM notifications').get()).toEqual({ count: 6 });
  await store.expire('post', at, []);
  const tries = (await claim(store, 'post', 10, at + HOUR)).map(({ attempt, ageMs }) => `${attempt} ${ageMs}`);
  expect(tries.toSorted()).toEqual([...Array<string>(5).fill('1 120000'), ...Array<string>(3).fill('2 120000')]);
});

test('what an older release does not know to have arrived may be a copy', async () => {
  const outcome = JSON.stringify({ type: 'unknown', text: 'no answer' });
  const { file, at } = former('copies.db', `UPDATE deliveries SET outcome = '${outcome}' WHERE state = 'due'`);
  await using store = await openSqliteStore({ file });
  const claimed = await claim(store, 'post', 10, at + HOUR);
  expect(claimed.length).toBeGreaterThan(0);
  expect(claimed.map(({ maybeCopy, receipt }) => [maybeCopy, receipt])).toEqual(claimed.map(() => [true, null]));
});

test('the end of an alert that fires goes to those who were told of it, whatever the rules say now', async () => {
  const { file, at } = former('ends.db');
  await using store = await openSqliteStore({ file });
  await sendAll(store, at + HOUR);
  const [[id, memory] = []] = await store.recall();
  if (id === undefined || memory === undefined) throw new Error('nothing is remembered');
  await commit(store, [retire(id, memory, at + HOUR)], at + HOUR);
  await dispatch(store, at + HOUR);
  const ends = await sendAll(store, at + HOUR);
  expect(ends.map(({ recipient, members: [{ message }] }) => `${recipient} ${message.alert} ${message.type}`)).toEqual([
    'screen low alert.resolved',
    'ada@example.org low alert.resolved',
    'bob@example.org low alert.resolved',
  ]);
});

test('a damaged message ends as dead when its turn comes, and holds up nobody', async () => {
  const { file, at } = former(
    'damaged.db',
    `UPDATE deliveries SET message = '{"type":' WHERE id = 'wzdx4clei5pgg5urw3jj3fevsz'`,
  );
  await using store = await openSqliteStore({ file });
  expect(await sendAll(store, at + HOUR)).toHaveLength(9);
  expect(await store.survey()).toMatchObject({ dead: 1, outbox: [] });
});
