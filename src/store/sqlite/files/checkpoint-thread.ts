// The thread of checkpoints.ts: one checkpoint for each message, one reply to each.
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export type CheckpointOrder = 'checkpoint' | 'close';

// By default SQLite would make a file that was deleted meanwhile again. The mode `rw` prevents that.
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
    // The disk may be full. The log then grows, and the next checkpoint tries again, as with SQLite's own checkpoints.
  }
  parentPort?.postMessage('done');
}
