// The size of the state's files, and the free space on their disk. The files are not opened here, because closing a
// file drops all locks that this process holds on the file.
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface DiskUse {
  readonly fileBytes: number;
  /** The size of SQLite's log beside the file. It is merged into the file when no reader uses it. */
  readonly logBytes: number;
  /** The free space on the disk for the daemon's user. */
  readonly freeBytes: number;
  readonly diskBytes: number;
}

/** Throws if the file system does not answer. */
export function measureDisk(file: string): DiskUse {
  const { bavail, blocks, bsize } = statfsSync(dirname(file));
  return {
    fileBytes: sizeOf(file),
    logBytes: sizeOf(`${file}-wal`),
    freeBytes: bavail * bsize,
    diskBytes: blocks * bsize,
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
