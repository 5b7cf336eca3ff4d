// What was committed moves from SQLite's log into the state file beside the commits, so that none of them waits for it.
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { commit } from '../support/store/store-calls.ts';
import { aDecision, NOON } from './builders.ts';

// A thread is started, and each commit waits for the disk.

const directory = mkdtempSync(join(tmpdir(), 'chainwarden-checkpoints-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const aFile = (name: string): string => join(mkdtempSync(join(directory, 'of-')), name);

/** Of `count` watches, each seen for the first time; far below the limit at which a commit moves the log itself. */
async function remember(store: Store, count: number): Promise<void> {
  const decisions = Array.from({ length: count }, (_, n) => aDecision(`watch-${n}`));
  expect(new Set(await commit(store, decisions, NOON))).toEqual(new Set(['kept']));
}

test('the log moves into the state file while the daemon works, and a stop leaves no log and no thread', async () => {
  const file = aFile('state.db');
  {
    await using store = await openSqliteStore({ file });
    const before = statSync(file).size;
    const changes = watch(file);
    await remember(store, 400);
    for await (const _change of changes) if (statSync(file).size > before) break;
    expect((await store.recall()).size).toBe(400);
  }
  // The last connection takes the log away: none is open any more.
  expect(readdirSync(join(file, '..'))).not.toContain(`${basename(file)}-wal`);
  await using again = await openSqliteStore({ file });
  expect((await again.recall()).size).toBe(400);
});

test('a few commits start no thread, and a stop leaves no log', async () => {
  const file = aFile('state.db');
  {
    await using store = await openSqliteStore({ file });
    const before = statSync(file).size;
    await remember(store, 10);
    expect(statSync(file).size).toBe(before);
  }
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test('a state file that was taken away is not made anew by the thread, and all that was learned is put back', async () => {
  const file = aFile('state.db');
  {
    await using store = await openSqliteStore({ file });
    renameSync(file, `${file}.taken`);
    await remember(store, 400);
    expect(await store.secure()).toContain('file');
    expect(readdirSync(join(file, '..')).filter((name) => name.includes('found'))).toEqual([]);
    expect((await store.recall()).size).toBe(400);
  }
  await using again = await openSqliteStore({ file });
  expect((await again.recall()).size).toBe(400);
});
