// Opens a state file with its newest schema, for the one daemon that holds its lock, and for readers.
import type { DatabaseSync } from 'node:sqlite';
import type { SqlReads } from '../sql/database.ts';
import { assertCurrentSchema, migrateState } from '../sql/migrate.ts';
import {
  answering,
  assertSound,
  makeDurable,
  neverBlock,
  openDatabase,
  opened,
  openReadOnly,
  storageError,
} from './database.ts';
import { createSingleDatabase, createSqliteDatabase, type SqliteDatabase, type SqliteFile } from './driver.ts';

/** Makes the file if it does not exist. Rejects with a StorageError. */
export async function openSqliteState(options: SqliteFile): Promise<SqliteDatabase> {
  const { file } = options;
  const writer = answering(file, 'open', () => openDatabase(file));
  try {
    // The schema is checked first, so that a refused file stays unchanged.
    await migrateState(createSingleDatabase(writer, { file }));
    return createSqliteDatabase(settled(writer, file), options);
  } catch (error) {
    if (writer.isOpen) writer.close();
    throw storageError(file, 'open', error);
  }
}

/**
 * Opens the connection for `SqliteDatabase.replace`. The file that was put back has the newest schema, so it is not
 * migrated. Throws a StorageError.
 */
export function reopenWriter(file: string): DatabaseSync {
  return answering(file, 'open', () => opened(openDatabase(file), (fresh) => settled(fresh, file)));
}

function settled(writer: DatabaseSync, file: string): DatabaseSync {
  makeDurable(writer);
  assertSound(writer, file);
  neverBlock(writer);
  return writer;
}

/** Takes no lock, and changes nothing. Rejects with a StorageError if there is no state of exactly this schema. */
export async function openSqliteReads(file: string): Promise<SqlReads & AsyncDisposable> {
  const db = answering(file, 'open', () => openReadOnly(file));
  const reads = createSingleDatabase(db, { file });
  try {
    await assertCurrentSchema(reads);
  } catch (error) {
    await reads[Symbol.asyncDispose]();
    throw error;
  }
  return reads;
}
