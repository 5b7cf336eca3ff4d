import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Backups } from '../../contract/backups.ts';
import { StorageError } from '../../contract/store.ts';
import type { BackupJob, BackupReply } from './backup-thread.ts';
import { backupFile, dropOldBackups, listBackups } from './backups.ts';
import { answering } from '../database.ts';

export interface BackupDirectoryOptions {
  /** Absolute path of the state file. */
  readonly file: string;
  readonly directory: string;
  /** The number of backups that are kept. */
  readonly keep: number;
}

export function createBackups({ file, directory, keep }: BackupDirectoryOptions): Backups {
  return {
    list: async () => listBackups(directory, file),
    async make(at, signal) {
      const target = backupFile(directory, file, at);
      await inThread({ stateFile: file, target }, signal);
      answering(directory, 'tidy', () => {
        dropOldBackups(listBackups(directory, file), keep, at);
      });
      return { file: target, at };
    },
  };
}

/** Works for sources and for built files: the file beside this one has the same ending. */
const THREAD_FILE = new URL(`backup-thread${extname(import.meta.url)}`, import.meta.url);

async function inThread(job: BackupJob, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(THREAD_FILE, { workerData: job, execArgv: [], env: {} });
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    const { problem } = await replyOf(worker);
    if (problem !== null) throw new StorageError(problem);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function replyOf(worker: Worker): Promise<BackupReply> {
  return new Promise((resolve, reject) => {
    worker.on('message', resolve);
    worker.on('error', (error: Error) => {
      reject(new StorageError(`the thread that makes the backup failed: ${error.message}`, { cause: error }));
    });
    worker.on('exit', () => {
      reject(new StorageError('the thread that makes the backup ended before it was made'));
    });
  });
}
