// Copies a state between a file and a database, row by row in one transaction. Both have the same tables.
import { existsSync } from 'node:fs';
import { keepOut, nameOfAny } from './postgres/cluster.ts';
import { takeInstallation } from './sql/installation.ts';
import { current, reached, type DatabasePlace } from './postgres/open.ts';
import type { SqlDatabase } from './sql/database.ts';
import { migrateState } from './sql/migrate.ts';
import type { Row } from './sql/rows.ts';
import { fieldName, insertion, paged, type Sql } from './sql/sql.ts';
import { isNumbered, TABLES, type StateTable } from './sql/table-order.ts';
import { answering, openDatabase } from './sqlite/database.ts';
import { createSingleDatabase } from './sqlite/driver.ts';
import { openPlace, removeDatabase } from './sqlite/files/files.ts';
import { openSqliteReads } from './sqlite/open-state.ts';
import { StorageError, StoreBusyError } from './contract/store.ts';
import { readFact, writeFact } from './tables/memory/facts.ts';

/** By table, the number of copied rows. */
export type Copied = ReadonlyMap<string, number>;

/**
 * Copies a state file or a backup into an empty database. Rejects with a StoreBusyError while a daemon uses the file or
 * the database, and with a StorageError if the copy fails. Nothing is copied in either case.
 */
export async function copyIn(file: string, place: DatabasePlace): Promise<Copied> {
  if (!existsSync(file)) throw new StorageError(`there is no state file at ${file}`);
  using _file = openPlace(file);
  await using database = await reached(place);
  await migrateState(database);
  await using source = await openSqliteReads(file);
  return await copyTables(source, database, async (sql) => {
    await keepOut(sql);
    await takeInstallation(database, sql, place.name);
    const busy = await nameOfAny(sql);
    if (busy !== null) throw new StoreBusyError(`${database.name} is in use by ${busy}: stop it first.`);
  });
}

/** Copies a database into a new state file, also while a daemon works on it. Rejects with a StorageError. */
export async function copyOut(place: DatabasePlace, file: string): Promise<Copied> {
  if (existsSync(file)) throw new StorageError(`${file} exists already: name a new file.`);
  await using database = await current(place);
  try {
    // The connection keeps its rollback journal. In WAL mode, one transaction that fills a file of 2 GB would need a
    // log of that size.
    const opened = answering(file, 'make', () => openDatabase(file));
    await using target = createSingleDatabase(opened, { file });
    await migrateState(target);
    return await copyTables(database, target);
  } catch (error) {
    removeDatabase(file);
    throw error;
  }
}

const AT_ONCE = 100;

/**
 * Copies one snapshot of the state. `begin` is called first in the transaction of the target, and may reject. Rejects
 * with a StorageError, also if the target is not empty; the target is unchanged then.
 */
export function copyTables(
  from: Pick<SqlDatabase, 'snapshot'>,
  to: SqlDatabase,
  begin: (target: Sql) => Promise<void> = async () => undefined,
): Promise<Copied> {
  return from.snapshot((source) =>
    to.write('migrate', async (target) => {
      await begin(target);
      const copied = new Map<string, number>();
      for (const table of TABLES) copied.set(table.name, await copyTable(source, target, table, to));
      // Three facts are copied: decisions depend on the number of the policy, sent links must stay valid, and the names
      // of plans depend on the salt.
      for (const name of ['policy', 'links', 'salt'] as const) {
        const fact = await readFact(source, name);
        if (fact !== null) await writeFact(target, name, fact);
      }
      return copied;
    }),
  );
}

async function copyTable(
  source: Sql,
  target: Sql,
  table: StateTable,
  { name, dialect, header }: Pick<SqlDatabase, 'name' | 'dialect' | 'header'>,
): Promise<number> {
  if ((await target.first(`SELECT 1 FROM ${table.name} LIMIT 1`)) !== undefined)
    throw new StorageError(`${name} holds a state already: name an empty database.`);
  const columns = await header.columns(target, table.name);
  const names = Object.keys(columns);
  const insert = insertion(table.name, columns);
  const select = paged(
    table.keys,
    ({ after, end }) => `SELECT ${names.join(', ')} FROM ${table.name} WHERE ${after} ${end}`,
  );
  let count = 0;
  for await (const rows of source.pages(select, AT_ONCE)) count += await target.each(insert, rows.map(storable));
  const renumber = isNumbered(table) && count > 0 ? dialect.numbersFrom(table.name) : null;
  if (renumber !== null) await target.first(renumber);
  return count;
}

function storable(row: Row): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [fieldName(name), valueOf(value)]));
}

function valueOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
