// The thread that driver.ts starts. It makes a checkpoint for each message `checkpoint`, then sends a reply.
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export type CheckpointOrder = 'checkpoint' | 'close';

// If the file was deleted meanwhile, SQLite would make a new one by default. The mode `rw` prevents that.
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
