// Complete copies of a state file, made while a daemon may be working on it.
import { backup, DatabaseSync } from 'node:sqlite';
import { schemaIn } from '../../sql/migrate.ts';
import { StorageError } from '../../contract/store.ts';
import { answering, assertIntact, assertThere, openReadOnly, storageError } from '../database.ts';
import { createSingleDatabase } from '../driver.ts';
import { createAnew, removeDatabase } from './files.ts';

/**
 * All pages in one step: with the default of a hundred pages a step, SQLite starts again whenever the daemon commits
 * between two steps, and the copy of a busy daemon's file would never end.
 */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies the state file `from` to `copy`, which is replaced, and checks that the copy is complete, on the disk, and a
 * single file. Rejects with a StorageError; no file is left at `copy` then.
 */
export async function copyVerified(from: string, copy: string): Promise<void> {
  answering(from, 'copy', () => {
    assertThere(from);
  });
  try {
    createAnew(copy);
    await copyPages(from, copy);
    await verify(copy, from);
  } catch (error) {
    removeDatabase(copy);
    throw storageError(from, 'copy', error);
  }
}

async function copyPages(from: string, copy: string): Promise<void> {
  const db = openReadOnly(from);
  try {
    await backup(db, copy, { rate: ALL_PAGES });
  } finally {
    db.close();
  }
}

/** Errors name `from`, since an unsound copy is removed. */
async function verify(copy: string, from: string): Promise<void> {
  const db = new DatabaseSync(copy);
  try {
    // The copy is in WAL mode, as the state file is, and would need a log beside it. With a rollback journal it is one
    // file.
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    const reads = createSingleDatabase(db, { file: from });
    if ((await schemaIn(reads, reads.sql)) === 0) throw new StorageError(`${from} holds no state: it is empty.`);
    assertIntact(db, from);
  } finally {
    db.close();
  }
}
