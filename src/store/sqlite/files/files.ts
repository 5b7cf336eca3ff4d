// Handles files by their paths, without opening them: closing any handle of a database file would drop the locks that
// this process holds on it.
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { type Moved, StorageError, StoreBusyError } from '../../contract/store.ts';
import { createPrivately, makeDirectory } from '../database.ts';
import { takeLock } from './lock.ts';
import { leaveMarker } from './lost-marker.ts';

/**
 * The files of SQLite beside a database file. They are moved and removed with it, since SQLite would apply a log that
 * belongs to another file.
 */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/**
 * Identifies the file at the path, without following a link; null: there is none. Throws if the file system does not
 * answer.
 */
export function identityOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    if (isNothing(error)) return null;
    throw error;
  }
}

/** True also if a directory of the path was replaced by a file. */
function isNothing(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** `name`, or the first free name with a number behind it. */
export function freeName(name: string): string {
  for (let n = 1; ; n += 1) {
    const tried = n === 1 ? name : `${name}-${n}`;
    if (identityOf(tried) === null) return tried;
  }
}

/** Writes the directory to the disk, so that a new name in it survives a power cut. */
export function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Throws if `to` exists already; a rename alone would replace it. */
export function moveToNew(from: string, to: string): void {
  closeSync(openSync(to, 'wx', 0o600));
  renameSync(from, to);
  syncDirectory(dirname(to));
}

/** Makes an empty database file for this user alone. Files of a former try are removed. */
export function createAnew(file: string): void {
  removeDatabase(file);
  createPrivately(file);
}

export function removeDatabase(file: string): void {
  for (const part of ['', ...COMPANIONS]) rmSync(`${file}${part}`, { force: true });
}

export function removeCompanions(file: string): void {
  for (const part of COMPANIONS) rmSync(`${file}${part}`, { force: true });
}

/** Links a database file and its companions under a second name; `to` is a free name. */
export function linkDatabase(file: string, to: string): void {
  for (const part of ['', ...COMPANIONS])
    if (identityOf(`${file}${part}`) !== null) linkSync(`${file}${part}`, `${to}${part}`);
}

// Checks that the state file and its lock are where they were opened. A deleted or replaced file still exists for the
// process that has it open, and is lost when that process ends. SQLite does not report that.

export interface StateFilePlace extends Disposable {
  /** Call this once the database of this place is open. */
  opened(): void;
  moved(): readonly Moved[];
  /**
   * Takes the lock again if its file has moved. If the state file has moved, puts the content of `db` back, closes `db`
   * and resolves with the database that is opened at the path; else resolves with `db`. A file that another program put
   * at the path is kept beside it. Rejects with a StoreBusyError when another daemon has the lock, else with a
   * StorageError. If the state file has moved, an error also leaves a marker for the next start.
   */
  mend(moved: readonly Moved[], db: DatabaseSync, reopen: () => DatabaseSync): Promise<DatabaseSync>;
}

/** Takes the lock of the place; throws a StoreBusyError when another daemon has it. */
export function openPlace(file: string): StateFilePlace {
  const lockFile = `${file}.lock`;
  let lock = takeLock(file);
  let [fileId, lockId] = [identityOf(file), identityOf(lockFile)];

  async function putBack(db: DatabaseSync, reopen: () => DatabaseSync): Promise<DatabaseSync> {
    const copy = `${file}.restoring`;
    createAnew(copy);
    await backup(db, copy);
    db.close();
    setAside(file, fileId);
    renameSync(copy, file);
    syncDirectory(dirname(file));
    const fresh = reopen();
    fileId = identityOf(file);
    return fresh;
  }

  function lockAgain(): void {
    const fresh = takeLock(file);
    lock[Symbol.dispose]();
    lock = fresh;
    lockId = identityOf(lockFile);
  }

  return {
    opened() {
      fileId = identityOf(file);
    },
    moved: () => [
      ...(hasMoved(file, fileId) ? (['file'] as const) : []),
      ...(hasMoved(lockFile, lockId) ? (['lock'] as const) : []),
    ],
    async mend(moved, db, reopen) {
      try {
        makeDirectory(dirname(file));
        if (moved.includes('lock')) lockAgain();
        return moved.includes('file') ? await putBack(db, reopen) : db;
      } catch (error) {
        if (!moved.includes('file')) throw error;
        throw lost(file, error);
      }
    },
    [Symbol.dispose]() {
      lock[Symbol.dispose]();
    },
  };
}

function lost(file: string, error: unknown): Error {
  removeIfThere(`${file}.restoring`);
  const why = error instanceof Error ? error.message : String(error);
  const text = `${file} was deleted or replaced while the daemon ran, and could not be written back: ${why}`;
  leaveMarker(file, text);
  const message = `${text}. Messages that were not sent yet are lost. The next start reports this.`;
  return error instanceof StoreBusyError ? error : new StorageError(message, { cause: error });
}

/** On a full disk this file may take the room that the marker needs. */
function removeIfThere(file: string): void {
  try {
    rmSync(file);
  } catch {
    // Nothing was written, or nothing can be changed there.
  }
}

/** False also if the file system does not answer, since a move is not certain then. */
function hasMoved(path: string, id: string | null): boolean {
  try {
    return identityOf(path) !== id;
  } catch {
    return false;
  }
}

/**
 * Keeps a file of another program under a free name. Removes the log of the former file, since SQLite would apply it to
 * the new one.
 */
function setAside(file: string, ours: string | null): void {
  const found = identityOf(file);
  const isForeign = found !== null && found !== ours;
  if (isForeign) renameSync(file, freeName(`${file}.found`));
  removeCompanions(file);
}
