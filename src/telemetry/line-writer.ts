import { Buffer } from 'node:buffer';
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';

/** Writes lines to a file descriptor without ever blocking on its reader. */
export interface LineWriter {
  /** Never throws. A line that cannot be written or buffered is dropped and counted. */
  readonly write: (line: string) => void;
  /** Resolves when the whole line is written; rejects if it cannot be. A failure does not count as dropped. */
  readonly put: (line: string) => Promise<void>;
  /** Resolves when every line is written, or after `budgetMs`. */
  flushed(budgetMs: number): Promise<void>;
  /** Tries the waiting lines once more, and drops those that cannot be written. */
  close(): void;
}

export interface LineWriterOptions {
  readonly fd: number;
  readonly clock: Clock;
  readonly onDropped: (lines: number) => void;
}

interface Waiting {
  rest: Buffer;
  /** The argument is null if the line was written. */
  readonly settle: (failure: Error | null) => void;
}

const MOST_WAITING = 1000;
const RETRY_MS = 100;

/**
 * Lines are written at once. If the reader has stopped reading (EAGAIN), they wait, up to a limit, and are tried again
 * later. If the reader has closed the pipe (EPIPE) or the disk is full (ENOSPC), the lines are dropped, and the next
 * line tries again.
 */
export function createLineWriter({ fd, clock, onDropped }: LineWriterOptions): LineWriter {
  const waiting: Waiting[] = [];
  const closing = new AbortController();
  let isPaused = false;

  function add(line: string, settle: Waiting['settle']): void {
    if (waiting.length >= MOST_WAITING) {
      settle(new Error('too many lines wait'));
      return;
    }
    waiting.push({ rest: Buffer.from(line, 'utf8'), settle });
    if (!isPaused) drain();
  }

  function drain(): void {
    try {
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        const written = writeSync(fd, next.rest);
        next.rest = next.rest.subarray(written);
        if (next.rest.length === 0) waiting.shift()?.settle(null);
      }
    } catch (error) {
      if (isBusy(error) && !closing.signal.aborted) void drainLater();
      else for (const { settle } of waiting.splice(0)) settle(new Error('nobody takes it', { cause: error }));
    }
  }

  async function drainLater(): Promise<void> {
    isPaused = true;
    await clock.sleep(RETRY_MS, closing.signal);
    isPaused = false;
    drain();
  }

  return {
    write(line) {
      add(line, (failure) => {
        if (failure !== null) onDropped(1);
      });
    },
    put: (line) =>
      new Promise((resolve, reject) => {
        add(line, (failure) => {
          if (failure === null) resolve();
          else reject(failure);
        });
      }),
    async flushed(budgetMs) {
      const until = clock.now() + budgetMs;
      // `drainLater` tries the waiting lines at the same interval.
      while (waiting.length > 0 && clock.now() < until) await clock.sleep(RETRY_MS);
    },
    close() {
      closing.abort();
      drain();
    },
  };
}

function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EAGAIN';
}

/**
 * Opens standard error or output a second time, so that a write reports EAGAIN instead of blocking. The flag on the
 * first descriptor would apply to every process that shares it. Files do not block and are not opened again. A socket,
 * such as that of the system's journal, cannot be opened a second time, and without /proc nothing can. In these cases
 * the function returns the given descriptor.
 */
export function openNonBlocking(fd: 1 | 2): number {
  try {
    const kind = fstatSync(fd);
    if (!kind.isFIFO() && !kind.isCharacterDevice()) return fd;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}
