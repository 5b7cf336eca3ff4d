import { valueAt, type AnyView } from '../core/fields.ts';
import type { Head } from '../core/model.ts';
import type { Instant } from '../lib/clock.ts';

const STALE_AFTER_BLOCKS = 20;
const STALE_AFTER_AT_LEAST_MS = 180_000;

/** Where the chain is by the first page of blocks, newest first; null when its first row does not say. */
export function headOf(blocks: readonly AnyView[], readAt: Instant): Head | null {
  const newest = placeOf(blocks[0]);
  if (newest === null) return null;
  const blockMs = averageBlockMs(newest, placeOf(blocks.at(-1)));
  const staleAfterMs = Math.max(STALE_AFTER_BLOCKS * blockMs, STALE_AFTER_AT_LEAST_MS);
  return { ...newest, readAt, staleAfterMs };
}

interface Place {
  readonly height: bigint;
  readonly timestamp: Instant;
}

function placeOf(block: AnyView | undefined): Place | null {
  if (block === undefined) return null;
  const height = valueAt(block, 'height');
  const timestamp = valueAt(block, 'timestamp');
  return typeof height === 'bigint' && timestamp instanceof Date ? { height, timestamp: timestamp.getTime() } : null;
}

function averageBlockMs(newest: Place, oldest: Place | null): number {
  const blocks = oldest === null ? 0 : Number(newest.height - oldest.height);
  return oldest === null || blocks <= 0 ? 0 : Math.max(0, (newest.timestamp - oldest.timestamp) / blocks);
}
