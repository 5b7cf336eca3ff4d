import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreBusyError } from '../../contract/store.ts';
import { answering, createPrivately, isBusy, openReadOnly, settledPath } from '../database.ts';

/**
 * Keeps a second daemon away from a state file: an exclusive transaction on a small database beside it, held while the
 * process runs. The kernel releases it when the process ends, in whatever way, so no stale lock can remain.
 *
 * Throws a StoreBusyError when another process, or another store of this one, holds it.
 */
export function takeLock(stateFile: string): Disposable {
  const lock = lockOf(`${stateFile}.lock`);
  if (lock === undefined) throw new StoreBusyError(refusal(stateFile));
  return lock;
}

/** True if a process holds the state file. */
export function isLocked(stateFile: string): boolean {
  const file = `${settledPath(stateFile)}.lock`;
  if (!existsSync(file)) return false;
  return answering(file, 'read', () => {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      db.close();
    }
  });
}

/**
 * The time that a start waits for the lock. `isLocked` holds the lock for a much shorter time, so a check never makes a
 * start fail.
 */
const LOOKED_AT_MS = 200;

/** Takes the lock; undefined if it is held. */
function lockOf(file: string): Disposable | undefined {
  return answering(file, 'lock', () => {
    createPrivately(file);
    const db = new DatabaseSync(file, { timeout: LOOKED_AT_MS });
    try {
      db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    return {
      [Symbol.dispose]: () => {
        if (db.isOpen) db.close();
      },
    };
  });
}

function refusal(file: string): string {
  const owner = ownerOf(file);
  const who = owner === '' ? 'another daemon' : `another daemon (${owner})`;
  return `${file} is in use by ${who}. Stop that daemon first: two cannot share a state file.`;
}

const OWNER = "SELECT value FROM facts WHERE name = 'owner'";

/**
 * The name that the holder left in the file; empty when it cannot be read. The name is only shown in the message.
 * Whether the file is in use depends on the lock alone.
 */
function ownerOf(file: string): string {
  try {
    const db = openReadOnly(file);
    try {
      const owner: unknown = JSON.parse(String(db.prepare(OWNER).get()?.['value']));
      return typeof owner === 'string' ? owner : '';
    } finally {
      db.close();
    }
  } catch {
    return '';
  }
}
