// Warns before the disk of the state file is full, and when SQLite's log beside it grows because another program reads
// the file without end. It logs one line when this starts, and one when it is over.
import type { DiskUse } from '../../store/disk.ts';
import type { Log } from '../../telemetry/log.ts';

export interface DiskWatchOptions {
  /** Throws if the file system does not answer. */
  readonly measure: () => DiskUse;
  /** The maximum size of the state. */
  readonly maxBytes: () => number;
  readonly onMeasured: (use: DiskUse) => void;
  /** Called after each check with the free space if it is too little, else with null. */
  readonly onLow: (freeBytes: number | null) => void;
  readonly log: Log;
}

const LEAST_FREE = 200e6;
const LARGEST_LOG = 256 * 2 ** 20;

/** Returns a function that makes one check. It throws the errors of `measure`. */
export function createDiskWatch({ measure, maxBytes, onMeasured, onLow, log }: DiskWatchOptions): () => void {
  let isLow = false;
  let isLogLarge = false;

  return () => {
    const use = measure();
    onMeasured(use);
    const wasLow = isLow;
    isLow = use.freeBytes < leastFree(use, maxBytes());
    onLow(isLow ? use.freeBytes : null);
    if (isLow && !wasLow) log.warn('storage:disk-low', { free: use.freeBytes, disk: use.diskBytes, effect: WHEN_FULL });
    if (!isLow && wasLow) log.info('storage:disk-free', { free: use.freeBytes });
    const wasLarge = isLogLarge;
    isLogLarge = use.logBytes > LARGEST_LOG;
    if (isLogLarge && !wasLarge) log.warn('storage:log-large', { bytes: use.logBytes, why: READ_WITHOUT_END });
    if (!isLogLarge && wasLarge) log.info('storage:log-small', { bytes: use.logBytes });
  };
}

/**
 * The free space below which the disk counts as low. It is at most the maximum size of the state: a tenth of a large
 * disk is more than the state can ever use.
 */
function leastFree({ diskBytes }: DiskUse, maxBytes: number): number {
  return Math.max(LEAST_FREE, Math.min(diskBytes / 10, maxBytes));
}

const WHEN_FULL = 'when the disk is full, nothing is stored, and the watches are blind; free some space';
const READ_WITHOUT_END =
  'another program has been reading the state file without a pause, and the log beside it cannot be merged; end that program';
