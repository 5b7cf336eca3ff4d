// A migrated, empty database of each engine, for tests of what is written once for both.
import { describe } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from '../../../src/store/postgres/address.ts';
import { createPostgresDatabase } from '../../../src/store/postgres/driver.ts';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import { migrateState } from '../../../src/store/sql/migrate.ts';
import { makeDurable, neverBlock, openDatabase } from '../../../src/store/sqlite/database.ts';
import { createMemoryDatabase, createSqliteDatabase } from '../../../src/store/sqlite/driver.ts';
import { hasPostgres, startPostgres } from '../../support/store/postgres.ts';

export interface OpenedDatabase extends AsyncDisposable {
  readonly database: SqlDatabase;
  /** Another one on the same state. Not for a database in memory. */
  readonly again: () => SqlDatabase;
}

/** Without tables where `isEmpty` is true. */
export type OpenDatabase = (isEmpty?: boolean) => Promise<OpenedDatabase>;

const server = hasPostgres ? await startPostgres() : null;

/** Describes the same tests for a file, a database in memory, and PostgreSQL. */
export function onEachEngine(tests: (open: OpenDatabase) => void): void {
  describe('in a SQLite file', () => {
    tests(openFile);
  });
  describe('in memory', () => {
    tests(openMemory);
  });
  (server === null ? describe.skip : describe)('in PostgreSQL', () => {
    tests(openServer);
  });
}

/** The same for the engines that several processes can open. */
export function onEachShared(tests: (open: OpenDatabase) => void): void {
  describe('in a SQLite file', () => {
    tests(openFile);
  });
  (server === null ? describe.skip : describe)('in PostgreSQL', () => {
    tests(openServer);
  });
}

async function openFile(isEmpty = false): Promise<OpenedDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'chainwarden-sql-'));
  const opened = new AsyncDisposableStack();
  opened.defer(() => {
    rmSync(directory, { recursive: true });
  });
  return settled(opened, isEmpty, () => fileDatabase(join(directory, 'state.db')));
}

/** Opens the file as the daemon does, without its lock. */
export function fileDatabase(file: string): SqlDatabase {
  const writer = openDatabase(file);
  makeDurable(writer);
  neverBlock(writer);
  return createSqliteDatabase(writer, { file });
}

async function openMemory(isEmpty = false): Promise<OpenedDatabase> {
  const opened = new AsyncDisposableStack();
  return settled(opened, isEmpty, () => createMemoryDatabase());
}

async function openServer(isEmpty = false): Promise<OpenedDatabase> {
  if (server === null) throw new Error('PostgreSQL is not here');
  const url = await server.database();
  return settled(new AsyncDisposableStack(), isEmpty, () =>
    createPostgresDatabase({ ...addressOf(url), connections: 4, timeoutMs: 10_000 }),
  );
}

async function settled(
  opened: AsyncDisposableStack,
  isEmpty: boolean,
  open: () => SqlDatabase,
): Promise<OpenedDatabase> {
  const again = (): SqlDatabase => opened.use(open());
  const database = again();
  if (!isEmpty) await migrateState(database);
  return { database, again, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
