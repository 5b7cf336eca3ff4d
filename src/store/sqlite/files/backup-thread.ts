// A separate thread for one backup: checking the copy of a large file takes seconds, in which polls would wait.
import { parentPort, workerData } from 'node:worker_threads';
import { backupSqlite } from './backups.ts';

export interface BackupJob {
  readonly stateFile: string;
  readonly target: string;
}

/** Only the text of an error is passed on, not its class; null: the backup was made. */
export type BackupReply = { readonly problem: string | null };

const { stateFile, target } = workerData as BackupJob;
const reply: BackupReply = await backupSqlite(stateFile, target).then(
  () => ({ problem: null }),
  (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
);
parentPort?.postMessage(reply);
