// Copies a state between a file and a database, row by row in one transaction. Both have the same tables.
import { existsSync } from 'node:fs';
import { keepOut, nameOfAny } from './postgres/cluster.ts';
import { takeInstallation } from './sql/installation.ts';
import { current, reached, type DatabasePlace } from './postgres/open.ts';
import { copyTables, type Copied } from './sql/copy.ts';
import { migrateState } from './sql/migrate.ts';
import { answering, openDatabase } from './sqlite/database.ts';
import { createSingleDatabase } from './sqlite/driver.ts';
import { openPlace, removeDatabase } from './sqlite/files/files.ts';
import { openSqliteReads } from './sqlite/open-state.ts';
import { StorageError, StoreBusyError } from './contract/store.ts';

export type { Copied } from './sql/copy.ts';

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
