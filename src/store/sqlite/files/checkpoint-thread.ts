// The thread of checkpoints.ts: one checkpoint for each message, one reply to each.
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export type CheckpointOrder = 'checkpoint' | 'close';

// A file that was deleted meanwhile must not be made again, and SQLite would make it.
const url = pathToFileURL(workerData as string);
url.searchParams.set('mode', 'rw');
const db = new DatabaseSync(url);

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order === 'checkpoint') checkpoint();
  else {
    db.close();
    parentPort?.close();
  }
});

/** PASSIVE neither waits for other connections nor delays them. */
function checkpoint(): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // A full disk, such as SQLite's own checkpoints pass over too: the log grows, and the next one tries again.
  }
  parentPort?.postMessage('done');
}
