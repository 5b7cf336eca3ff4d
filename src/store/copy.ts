// Moves a state between a file and a database, row by row and all or nothing. Both have the same tables.
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { readFact, writeFact } from './postgres/facts.ts';
import { keepOut, nameOfAny } from './postgres/cluster.ts';
import { migrate } from './postgres/migrate.ts';
import { current, reached } from './postgres/open.ts';
import type { Sql } from './postgres/sql.ts';
import { TABLES, type Table } from './postgres/tables.ts';
import { answering, inTransaction, openDatabase, opened, openReadOnly } from './sqlite/database.ts';
import { createFacts } from './sqlite/facts.ts';
import { removeDatabase } from './sqlite/files/files.ts';
import { openPlace } from './sqlite/files/place.ts';
import { assertCurrent, migrate as migrateFile } from './sqlite/migrations/migrations.ts';
import { StorageError, StoreBusyError } from './store.ts';

/** By table, how many rows were copied. */
export type Copied = ReadonlyMap<string, number>;

const AT_ONCE = 1000;

interface Column {
  readonly name: string;
  /** As PostgreSQL names it. */
  readonly type: string;
}

/**
 * Puts what a state file or a backup holds into a database that holds nothing yet. Rejects with a StoreBusyError while a
 * daemon has either, with a StorageError when it cannot be done; the database holds nothing then.
 */
export async function copyIn(file: string, url: string): Promise<Copied> {
  if (!existsSync(file)) throw new StorageError(`there is no state file at ${file}`);
  using _place = openPlace(file);
  await using made = new AsyncDisposableStack();
  const database = made.adopt(await reached(url), (one) => one.close());
  await migrate(database);
  const source = answering(file, 'open', () =>
    opened(openReadOnly(file), (found) => {
      assertCurrent(found, file);
    }),
  );
  made.defer(() => {
    source.close();
  });
  return await database.write('migrate', (sql) => fillDatabase(sql, source, database.name));
}

async function fillDatabase(sql: Sql, source: DatabaseSync, name: string): Promise<Copied> {
  await keepOut(sql);
  const busy = await nameOfAny(sql);
  if (busy !== null) throw new StoreBusyError(`${name} is in use by ${busy}: stop it first.`);
  const copied = new Map<string, number>();
  for (const table of TABLES) {
    const there = await sql.first(`SELECT FROM ${table.name} LIMIT 1`);
    if (there !== undefined) throw new StorageError(`${name} holds a state already: name an empty database.`);
    copied.set(table.name, await fillTable(sql, source, table));
  }
  const facts = createFacts(source);
  await sql.run('UPDATE cluster SET policy = $1', [Number(facts.read('policy') ?? 0)]);
  // Links that were sent go on working.
  await writeFact(sql, 'links', facts.json('links'));
  return copied;
}

async function fillTable(sql: Sql, source: DatabaseSync, { name, isNumbered }: Table): Promise<number> {
  const columns = await commonColumns(sql, source, name);
  const names = columns.map((column) => column.name).join(', ');
  const lists = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  let count = 0;
  for (const rows of pages(source.prepare(`SELECT ${names} FROM ${name}`).iterate())) {
    const values = columns.map((column) => rows.map((row) => valueOf(row[column.name])));
    count += await sql.run(`INSERT INTO ${name} (${names}) SELECT * FROM unnest(${lists})`, values);
  }
  if (isNumbered && count > 0)
    await sql.run(`SELECT setval(pg_get_serial_sequence('${name}', 'number'), (SELECT max(number) FROM ${name}))`);
  return count;
}

/** Those that both have: what an engine numbers for itself stays out. */
async function commonColumns(sql: Sql, file: DatabaseSync, table: string): Promise<Column[]> {
  const inFile = new Set(
    file
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name)),
  );
  const rows = await sql.all(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows
    .map(({ name, type }) => ({ name: String(name), type: String(type) }))
    .filter(({ name }) => inFile.has(name));
}

function* pages<T>(rows: Iterable<T>): Generator<T[]> {
  let page: T[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length < AT_ONCE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function valueOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/**
 * Makes a new state file of what a database holds, as it was at one moment; a daemon may be working. Rejects with a
 * StorageError, also where the file exists already; there is no file then.
 */
export async function copyOut(url: string, file: string): Promise<Copied> {
  if (existsSync(file)) throw new StorageError(`${file} exists already: name a new file.`);
  await using made = new AsyncDisposableStack();
  const database = made.adopt(await current(url), (one) => one.close());
  try {
    const target = answering(file, 'make', () => openDatabase(file));
    try {
      migrateFile(target, file);
      return await database.snapshot((sql) => fillFile(sql, target));
    } finally {
      target.close();
    }
  } catch (error) {
    removeDatabase(file);
    throw error;
  }
}

async function fillFile(sql: Sql, target: DatabaseSync): Promise<Copied> {
  const copied = new Map<string, number>();
  for (const { name } of TABLES) copied.set(name, await drainTable(sql, target, name));
  const policy = await sql.first('SELECT policy FROM cluster');
  const facts = createFacts(target);
  facts.write('policy', String(policy?.['policy']));
  facts.write('links', JSON.stringify(await readFact(sql, 'links')));
  return copied;
}

async function drainTable(sql: Sql, target: DatabaseSync, table: string): Promise<number> {
  const names = (await commonColumns(sql, target, table)).map(({ name }) => name);
  const insert = target.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  let count = 0;
  await sql.run(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${names.join(', ')} FROM ${table}`);
  for (let isLast = false; !isLast;) {
    const rows = await sql.all(`FETCH ${AT_ONCE} FROM copied`);
    inTransaction(target, () => {
      for (const row of rows) insert.run(...names.map((name) => valueOf(row[name])));
    });
    count += rows.length;
    isLast = rows.length < AT_ONCE;
  }
  await sql.run('CLOSE copied');
  return count;
}
