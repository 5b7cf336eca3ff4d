// How much room the state takes and has. Looks at the files by name only: none of them is opened.
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface DiskUse {
  readonly fileBytes: number;
  /** Of SQLite's log beside the file, which is merged into the file when nobody reads from it. */
  readonly logBytes: number;
  /** What is left for the daemon's user on the disk. */
  readonly freeBytes: number;
  readonly diskBytes: number;
}

/** Throws where the file system does not answer. */
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
