// Moves commits from SQLite's log into the state file. By itself, SQLite does this within a commit that finds a long
// log. That commit takes several times as long, and the event loop waits for the disk twice. Here a thread does it,
// with its own connection, while commits continue. If the thread is too slow, SQLite does it within a commit after all
// (`wal_autocheckpoint` in database.ts).
//
//   none      there is no thread: too little was written yet, or the thread ended by itself
//   idle      the thread waits
//   busy      the thread works; rows that are written meanwhile count for the next checkpoint
import { extname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { CheckpointOrder } from './checkpoint-thread.ts';

export interface Checkpoints {
  /** To be called after each commit, with how many rows its connection has written since it was opened. */
  committed(rows: number): void;
  /** Resolves when the thread has closed its connection. A later commit may start a new thread. */
  stop(): Promise<void>;
}

/**
 * The number of rows between two checkpoints. A row is written into several pages, so this many rows change about a
 * thousand pages. A thousand pages is also SQLite's default limit for its log.
 */
const ROWS_BETWEEN = 500;

/** Works for sources and for built files: the file beside this one has the same ending. */
const THREAD_FILE = new URL(`checkpoint-thread${extname(import.meta.url)}`, import.meta.url);

/** A small heap is enough: the thread has one statement, and the pages are not in its heap. */
const MOST_MEMORY = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };

export function createCheckpoints(file: string): Checkpoints {
  let thread: Worker | null = null;
  let isBusy = false;
  let rowsBefore = 0;

  /** Throws if the system cannot start a thread. */
  function start(): Worker {
    const worker = new Worker(THREAD_FILE, { workerData: file, execArgv: [], env: {}, resourceLimits: MOST_MEMORY });
    worker.unref();
    worker.on('message', () => {
      isBusy = false;
    });
    // An error, such as a removed file, ends the thread. SQLite checkpoints by itself until another thread is started.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (thread !== worker) return;
      thread = null;
      isBusy = false;
    });
    return worker;
  }

  return {
    committed(rows) {
      if (isBusy || rows - rowsBefore < ROWS_BETWEEN) return;
      rowsBefore = rows;
      try {
        thread ??= start();
      } catch {
        // The commit is not affected; SQLite checkpoints by itself until the next time.
        return;
      }
      isBusy = true;
      thread.postMessage('checkpoint' satisfies CheckpointOrder);
    },
    async stop() {
      const ending = thread;
      thread = null;
      isBusy = false;
      rowsBefore = 0;
      if (ending === null) return;
      ending.ref();
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.postMessage('close' satisfies CheckpointOrder);
      await ended;
    },
  };
}

/** The number of rows that this connection has written since it was opened. */
export function createRowCount(db: DatabaseSync): () => number {
  const count = db.prepare('SELECT total_changes() AS rows');
  return () => Number(count.get()?.['rows']);
}
