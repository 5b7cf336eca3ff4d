// Waits for another program that holds the file, such as a backup. The wait does not block the event loop, so polls,
// sends and health checks continue. It is measured by the clock of the machine, by which the other program runs too.
import { setTimeout as pause } from 'node:timers/promises';
import { BUSY_TIMEOUT_MS, isBusy, storageError } from './database.ts';
import { Superseded } from '../sql/database.ts';

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

export interface FileAttempt {
  /** For messages. */
  readonly file: string;
  readonly action: string;
  /**
   * The time when the work was requested. A wait for other work counts as a wait for the file, but the work is tried
   * once in any case.
   */
  readonly askedAt: number;
}

/** Runs `work`, and repeats it while the file is held, for up to `BUSY_TIMEOUT_MS`. Rejects with a StorageError. */
export async function whenFree<T>({ file, action, askedAt }: FileAttempt, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Superseded) throw error;
      const isOver = performance.now() - askedAt >= BUSY_TIMEOUT_MS;
      if (!isBusy(error) || isOver) throw storageError(file, action, error);
    }
    await pause(pauseMs);
  }
}
