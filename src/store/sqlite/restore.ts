// Puts a copy of the state in the place of the state file.
import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageError, type Restored } from '../store.ts';
import { copyVerified } from './copy.ts';
import { answering, openDatabase, settledPath } from './database.ts';
import { freeName, identityOf, linkDatabase, removeCompanions, syncDirectory } from './files.ts';
import { takeLock } from './lock.ts';

/**
 * Makes `backup` the state file. The former one stays beside it under another name. Rejects with a StoreBusyError while a
 * daemon holds the state, with a StorageError where the backup is unsound; nothing was changed then.
 */
export async function restoreSqlite(state: string, backup: string): Promise<Restored> {
  const file = answering(state, 'open', () => settledPath(state));
  using _lock = takeLock(file);
  return await putInPlace(file, backup);
}

/** The same for a file whose lock is held by the caller. */
export async function putInPlace(file: string, backup: string, aside = 'before-restore'): Promise<Restored> {
  if (identityOf(backup) === null) throw new StorageError(`there is no backup at ${backup}. Name another file.`);
  const fresh = `${file}.restoring`;
  await copyVerified(backup, fresh);
  return answering(file, 'replace', () => {
    const former = setAside(file, aside);
    // A crash before the rename leaves the former file in place, whole: a sound one has no log any more.
    removeCompanions(file);
    renameSync(fresh, file);
    syncDirectory(dirname(file));
    return { former };
  });
}

/** Under a second name, with its log where it has one; null where there is no former file. */
function setAside(file: string, aside: string): string | null {
  if (identityOf(file) === null) return null;
  mergeLog(file);
  const former = freeName(`${file}.${aside}`);
  linkDatabase(file, former);
  return former;
}

/** Closing the last connection merges the log into the file. A damaged file keeps its log beside it. */
function mergeLog(file: string): void {
  try {
    const db = openDatabase(file);
    try {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      db.close();
    }
  } catch {
    // It is kept as it is.
  }
}
