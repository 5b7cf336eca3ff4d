// A state file: its three connections, other programs that hold it, and its size.
import { afterAll, expect, test } from '@jest/globals';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { openSqliteReads, openSqliteState, reopenWriter } from '../../../src/store/sqlite/open-state.ts';
import { StorageError, StoreFullError } from '../../../src/store/contract/store.ts';
import { createFolder } from '../../support/daemon.ts';

const folder = createFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

const ADD = 'INSERT INTO facts (name, value) VALUES ($1, $2)';
const NAMES = "SELECT name FROM facts WHERE name <> 'policy' ORDER BY name";

const namesIn = async (sql: Sql): Promise<unknown[]> => (await sql.all(NAMES)).map(({ name }) => name);

async function add(database: SqlDatabase, name: string): Promise<void> {
  await database.write('record', (sql) => sql.run(ADD, [name, 'x']));
}

test('a write waits for another program between turns of the event loop, and a read does not wait', async () => {
  const file = join(folder.path, 'held.db');
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openSqliteState({ file }));
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const ended: string[] = [];
  const writes = ['first', 'second'].map((name) => add(database, name).then(() => ended.push(name)));
  for (let turns = 0; turns < 50; turns += 1) await nextTurn();
  expect([ended, await namesIn(database.sql)]).toEqual([[], []]);
  other.exec('COMMIT');
  await Promise.all(writes);
  expect([ended, await namesIn(database.sql)]).toEqual([
    ['first', 'second'],
    ['first', 'second'],
  ]);
});

test('a file that is held for too long refuses what waits for it', async () => {
  const file = join(folder.path, 'held-for-long.db');
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openSqliteState({ file }));
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const ends = await Promise.allSettled([add(database, 'first'), add(database, 'second')]);
  for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: expect.any(StorageError) });
  other.exec('COMMIT');
  await add(database, 'third');
  expect(await namesIn(database.sql)).toEqual(['third']);
});

test('at the size limit, only steps that need room are refused', async () => {
  await using opened = new AsyncDisposableStack();
  const file = join(folder.path, 'full.db');
  const database = opened.use(await openSqliteState({ file, maxBytes: 1 }));
  const work = (sql: Sql): Promise<number> => sql.run('DELETE FROM facts');
  for (const step of ['commit', 'cover', 'probe'] as const)
    await expect(database.write(step, work)).rejects.toThrow(StoreFullError);
  for (const step of ['settle', 'expire', 'intervene', 'prune'] as const) await database.write(step, work);
  database.setMaxBytes(Infinity);
  await database.write('commit', work);
});

test('reads and writes go on with the file that took the place of another', async () => {
  await using opened = new AsyncDisposableStack();
  const file = join(folder.path, 'moved.db');
  const database = opened.use(await openSqliteState({ file }));
  await add(database, 'before');
  expect(await namesIn(database.view.sql)).toEqual(['before']);
  const replaced = database.replace(async (former) => {
    former.close();
    renameSync(file, `${file}.former`);
    const other = await openSqliteState({ file });
    await other[Symbol.asyncDispose]();
    return reopenWriter(file);
  });
  const after = add(database, 'after');
  await Promise.all([replaced, after]);
  expect([await namesIn(database.sql), await namesIn(database.view.sql)]).toEqual([['after'], ['after']]);
});

test('many writes that are queued leave turns to the event loop', async () => {
  await using opened = new AsyncDisposableStack();
  const file = join(folder.path, 'queued.db');
  const database = opened.use(await openSqliteState({ file }));
  let done = 0;
  const write = async (at: number): Promise<void> => {
    await database.write('record', async (sql) => {
      for (let line = 0; line < 500; line += 1) await sql.run(ADD, [`${at}.${line}`, 'x']);
    });
    done += 1;
  };
  const all = Promise.all(Array.from({ length: 30 }, (_, at) => write(at)));
  for (let turns = 0; turns < 2; turns += 1) await nextTurn();
  expect(done).toBeLessThan(30);
  await all;
  expect(done).toBe(30);
});

test('a reader sees the commits of the daemon and writes nothing', async () => {
  await using opened = new AsyncDisposableStack();
  const file = join(folder.path, 'read.db');
  await expect(openSqliteReads(file)).rejects.toThrow(/there is no state file/);
  const database = opened.use(await openSqliteState({ file }));
  const reads = opened.use(await openSqliteReads(file));
  await add(database, 'seen');
  expect(await reads.snapshot(namesIn)).toEqual(['seen']);
  await expect(reads.sql.run(ADD, ['own', 'x'])).rejects.toThrow(StorageError);
});

test('a closed database answers no more', async () => {
  const database = await openSqliteState({ file: join(folder.path, 'closed.db') });
  await add(database, 'kept');
  await database[Symbol.asyncDispose]();
  await expect(namesIn(database.sql)).rejects.toThrow(StorageError);
  await expect(add(database, 'lost')).rejects.toThrow(StorageError);
});
