// How the store gets at its file while the daemon works. Another program that holds it, such as a backup, is waited for
// between turns of the event loop, so that polls, sends and health checks go on. Writes keep the order in which they were
// asked for. The wait is by the machine's clock, as that other program's is.
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Step } from '../../lib/failpoint.ts';
import { createMutex } from '../../lib/mutex.ts';
import type { Checkpoints } from './files/checkpoints.ts';
import {
  answering,
  BUSY_TIMEOUT_MS,
  createRowCount,
  createUnsynced,
  inStep,
  isBusy,
  storageError,
} from './database.ts';

export interface Access {
  /** Rejects with a StorageError. */
  readonly read: <T>(work: () => T) => Promise<T>;
  /** All or nothing, in one transaction. `work` may run more than once. Rejects with a StorageError. */
  readonly write: <T>(step: Step, work: () => T) => Promise<T>;
  /** The same without waiting for the disk: a power cut may take it back until the next `write`. */
  readonly writeUnsynced: <T>(step: Step, work: () => T) => Promise<T>;
  /** Uses the database that `change` resolves with from then on. What is to be written waits meanwhile. */
  readonly replace: (change: (db: DatabaseSync) => Promise<DatabaseSync>) => Promise<void>;
  /** After the writes that were asked for. Safe to call twice. */
  readonly close: () => Promise<void>;
}

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** `checkpoints`: left out for a database that is nowhere. */
export function createAccess(opened: DatabaseSync, file: string, checkpoints: Checkpoints | null): Access {
  const writing = createMutex();
  let db = opened;
  let unsynced = createUnsynced(db);
  let rowsWritten = createRowCount(db);

  /** `askedAt`: what waited for others has waited for the file as well. It is tried once in any case. */
  async function whenFree<T>(action: string, work: () => T, askedAt: number): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return work();
      } catch (error) {
        const isOver = performance.now() - askedAt >= BUSY_TIMEOUT_MS;
        if (!isBusy(error) || isOver) throw storageError(file, action, error);
      }
      await pause(pauseMs);
    }
  }

  function write<T>(transaction: () => T): Promise<T> {
    const askedAt = performance.now();
    return writing.hold(async () => {
      const result = await whenFree('write', transaction, askedAt);
      checkpoints?.committed(rowsWritten());
      return result;
    });
  }

  return {
    read: (work) => whenFree('read', work, performance.now()),
    write: (step, work) => write(() => inStep(db, step, work)),
    writeUnsynced: (step, work) => write(() => unsynced(() => inStep(db, step, work))),
    replace: (change) =>
      writing.hold(async () => {
        await checkpoints?.stop();
        db = await change(db);
        unsynced = createUnsynced(db);
        rowsWritten = createRowCount(db);
      }),
    close: () =>
      writing.hold(async () => {
        await checkpoints?.stop();
        if (db.isOpen)
          answering(file, 'close', () => {
            db.close();
          });
      }),
  };
}
