import { DatabaseSync } from 'node:sqlite';
import { answering, createPrivately, isBusy } from './database.ts';

/**
 * Keeps a second daemon away from a state file: an exclusive transaction on a small database beside it, held for life.
 * The kernel lets go of it when the process ends, in whatever way, so there is never a stale lock to clear away.
 *
 * Undefined when another process, or another store of this one, holds it.
 */
export function takeLock(stateFile: string): Disposable | undefined {
  const file = `${stateFile}.lock`;
  return answering(file, 'lock', () => {
    createPrivately(file);
    const db = new DatabaseSync(file, { timeout: 0 });
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
