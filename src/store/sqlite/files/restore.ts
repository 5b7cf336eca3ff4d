// Puts a copy of the state in the place of the state file.
import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Restored } from '../../contract/backups.ts';
import { StorageError } from '../../contract/store.ts';
import { copyVerified } from './copy.ts';
import { answering, openDatabase, settledPath } from '../database.ts';
import { freeName, identityOf, linkDatabase, removeCompanions, syncDirectory } from './files.ts';
import { takeLock } from './lock.ts';

/**
 * Makes `backup` the state file. The former one stays beside it under another name. Rejects with a StoreBusyError while
 * a daemon holds the state, and with a StorageError if the backup is unsound. Nothing is changed in either case.
 */
export async function restoreSqlite(state: string, backup: string): Promise<Restored> {
  const file = answering(state, 'open', () => settledPath(state));
  using _lock = takeLock(file);
  if (identityOf(backup) === null) throw new StorageError(`there is no backup at ${backup}. Name another file.`);
  const fresh = freshOf(file);
  await copyVerified(backup, fresh);
  return answering(file, 'replace', () => {
    mergeLog(file);
    return { former: replaceBy(fresh, file, 'before-restore') };
  });
}

/** The path at which the next state file is prepared. */
export function freshOf(file: string): string {
  return `${file}.restoring`;
}

/**
 * Keeps the state file under a second name, with its write-ahead log (WAL) if it has one, and makes `fresh` the state
 * file. The caller holds the lock. Returns that second name; null if there was no file.
 */
export function replaceBy(fresh: string, file: string, aside: string): string | null {
  const former = setAside(file, aside);
  // A crash before the rename leaves the former file in its place, but without its WAL. So a restore calls `mergeLog`
  // first.
  removeCompanions(file);
  renameSync(fresh, file);
  syncDirectory(dirname(file));
  return former;
}

function setAside(file: string, aside: string): string | null {
  if (identityOf(file) === null) return null;
  const former = freeName(`${file}.${aside}`);
  linkDatabase(file, former);
  return former;
}

/** Merges the write-ahead log into the file. A damaged file and its log stay unchanged. */
function mergeLog(file: string): void {
  if (identityOf(file) === null) return;
  try {
    const db = openDatabase(file);
    try {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      db.close();
    }
  } catch {
    // The file is damaged.
  }
}
