// Waits for another program that holds the file, such as a backup, between turns of the event loop: polls, sends and
// health checks go on. The wait is by the machine's clock, as that other program's is.
import { setTimeout as pause } from 'node:timers/promises';
import { BUSY_TIMEOUT_MS, isBusy, storageError } from './database.ts';
import { Superseded } from '../sql/database.ts';

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

export interface FileAttempt {
  /** For messages. */
  readonly file: string;
  readonly action: string;
  /** Work that waited for others has waited for the file as well. It is tried once in any case. */
  readonly askedAt: number;
}

/** Rejects with a StorageError. */
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
