import { valueAt, type AnyView } from '../../core/values/fields.ts';
import { MOST_REPLACED } from '../../core/chain/chain-identity.ts';
import type { Head } from '../../core/model/observation.ts';
import type { Instant } from '../../lib/clock.ts';

const STALE_AFTER_BLOCKS = 20;
const STALE_AFTER_AT_LEAST_MS = 180_000;

/** The chain's head by the first page of blocks, in any order; null if no row shows it. */
export function headOf(blocks: readonly AnyView[], readAt: Instant): Head | null {
  const places = blocks.flatMap((block) => placeOf(block) ?? []).sort((a, b) => Number(b.height - a.height));
  const [newest] = places;
  if (newest === undefined) return null;
  const blockMs = averageBlockMs(newest, places.at(-1) ?? newest);
  const staleAfterMs = Math.max(STALE_AFTER_BLOCKS * blockMs, STALE_AFTER_AT_LEAST_MS);
  return { ...newest, readAt, staleAfterMs };
}

/** A slightly lower head, for example of a slower server, does not replace the highest one. */
export function headAfter(before: Head | null, now: Head | null): Head | null {
  if (before === null || now === null) return now ?? before;
  const fall = before.height - now.height;
  if (fall <= 0n || fall > BigInt(MOST_REPLACED)) return now;
  return { ...now, height: before.height, timestamp: before.timestamp };
}

interface Place {
  readonly height: bigint;
  readonly timestamp: Instant;
}

function placeOf(block: AnyView): Place | null {
  const height = valueAt(block, 'height');
  const timestamp = valueAt(block, 'timestamp');
  return typeof height === 'bigint' && timestamp instanceof Date ? { height, timestamp: timestamp.getTime() } : null;
}

function averageBlockMs(newest: Place, oldest: Place): number {
  const blocks = Number(newest.height - oldest.height);
  return blocks === 0 ? 0 : Math.max(0, (newest.timestamp - oldest.timestamp) / blocks);
}
