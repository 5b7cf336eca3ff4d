// Whether the state file and its lock are where they were opened. A file that is deleted or replaced lives on for the
// process that has it open, and ends with it; SQLite says nothing of that.
import { closeSync, existsSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { StorageError, StoreBusyError, type Moved } from '../store.ts';
import { createPrivately } from './database.ts';
import { takeLock } from './lock.ts';
import { leaveMarker } from './lost-marker.ts';

export interface Place extends Disposable {
  /** From now on the database of this place is open. */
  opened(): void;
  moved(): readonly Moved[];
  /**
   * Takes the lock again, and where the file has moved, puts what `db` holds back, closes `db` and resolves with what is
   * open there; else with `db`. What somebody else put there is kept beside it. Rejects with a StoreBusyError when another
   * daemon has the lock, else with a StorageError. Where the file has moved, it leaves a marker for the next start then.
   */
  mend(moved: readonly Moved[], db: DatabaseSync, reopen: () => DatabaseSync): Promise<DatabaseSync>;
}

/** Takes the lock of the place; throws a StoreBusyError, made by `refusal`, when another daemon has it. */
export function openPlace(file: string, refusal: () => string): Place {
  const lockFile = `${file}.lock`;
  let lock = lockOf(file, refusal);
  let [fileId, lockId] = [identityOf(file), identityOf(lockFile)];

  async function putBack(db: DatabaseSync, reopen: () => DatabaseSync): Promise<DatabaseSync> {
    const copy = `${file}.restoring`;
    rmSync(copy, { force: true });
    createPrivately(copy);
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
    const fresh = lockOf(file, refusal);
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
        if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
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

function lockOf(file: string, refusal: () => string): Disposable {
  const lock = takeLock(file);
  if (lock === undefined) throw new StoreBusyError(refusal());
  return lock;
}

function lost(file: string, error: unknown): Error {
  removeIfThere(`${file}.restoring`);
  const why = error instanceof Error ? error.message : String(error);
  const text = `${file} was deleted or replaced while the daemon ran, and could not be written back: ${why}`;
  leaveMarker(file, text);
  const message = `${text}. What was owed is lost, and the next start says so.`;
  return error instanceof StoreBusyError ? error : new StorageError(message, { cause: error });
}

/** On a full disk it may be what leaves no room for the marker. */
function removeIfThere(file: string): void {
  try {
    rmSync(file);
  } catch {
    // Nothing was written, or nothing can be changed there.
  }
}

/** Of what stands at the path itself; null = nothing. Throws where the file system does not answer. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    if (isNothing(error)) return null;
    throw error;
  }
}

/** Also where a directory on the way was replaced by a file. */
function isNothing(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** False where the file system does not answer: that tells nothing new. */
function hasMoved(path: string, id: string | null): boolean {
  try {
    return identityOf(path) !== id;
  } catch {
    return false;
  }
}

/** Nobody's file is overwritten. A log that belongs to the former file would be taken for the new one's. */
function setAside(file: string, ours: string | null): void {
  const found = identityOf(file);
  const isForeign = found !== null && found !== ours;
  if (isForeign) renameSync(file, freeName(`${file}.found`));
  for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
}

function freeName(name: string): string {
  for (let n = 1; ; n += 1) {
    const tried = n === 1 ? name : `${name}-${n}`;
    if (identityOf(tried) === null) return tried;
  }
}

/** The new name survives a power cut. */
function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
