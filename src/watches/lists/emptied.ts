// A list that had rows and is now empty. Explorers sometimes show an empty list for a moment. So an empty list counts
// only after three complete readings during which the chain's head moved. Until then its content is unknown. The list
// is read again soon, so that a list that is really empty is reported within a minute.
import { z } from 'zod';
import { needOf } from '../../core/chain/tick-chain.ts';
import type { DetectionScope } from '../../core/model/detection.ts';
import type { HeadNeed } from '../../core/model/observation.ts';
import { PACE_SLACK } from '../../core/model/watch/schedule.ts';
import { type Instant, showDuration } from '../../lib/clock.ts';

/** The consecutive readings that showed the list empty. */
export interface Emptied {
  /** The number of readings. With three the list counts as empty. */
  readonly readings: number;
  /** Height of the chain's head at the first of them. */
  readonly head: number;
  /** The time at which the last of them was made. */
  readonly at: Instant;
}

export const Emptied: z.ZodType<Emptied> = z.object({ readings: z.number(), head: z.number(), at: z.number() });

const READINGS_NEEDED = 3;
const ASKED_ANEW_MS = 20_000;

/** The time that must pass between two readings so that both count. */
function rereadMs({ intervalMs }: Pick<DetectionScope, 'intervalMs'>): number {
  return Math.min(intervalMs, ASKED_ANEW_MS);
}

type Now = Pick<DetectionScope, 'at' | 'intervalMs'>;

/**
 * True if the two readings are far enough apart. Two that nearly coincide may come from the same server, and count as
 * one.
 */
export function isAnotherReading(since: Instant, now: Now): boolean {
  // If the clock was set back, the next reading must not wait until the earlier time comes again.
  return Math.abs(now.at - since) >= PACE_SLACK * rereadMs(now);
}

/** The time until the next reading can count; null: no extra poll is needed, since the next regular one comes no later. */
export function untilAnotherReading(since: Instant, now: Now): number | null {
  const waitMs = rereadMs(now);
  return waitMs >= now.intervalMs ? null : Math.max(0, since + waitMs - now.at);
}

/** The result of an empty reading. */
export interface EmptyReading {
  /** The very same object as before when the reading does not count. */
  readonly emptied: Emptied | null;
  /** The reason why an empty list does not count yet; null: there is no doubt. */
  readonly doubt: string | null;
  readonly needs: HeadNeed | null;
  readonly askAgainMs: number | null;
}

export const NOT_EMPTY: EmptyReading = { emptied: null, doubt: null, needs: null, askAgainMs: null };

/** `before`: the empty readings up to now; null if the last reading had rows. */
export function readEmpty(before: Emptied | null, scope: DetectionScope): EmptyReading {
  const { at, chain } = scope;
  if (before !== null && before.readings >= READINGS_NEEDED) return { ...NOT_EMPTY, emptied: before };
  const waitMs = rereadMs(scope);
  if (typeof chain !== 'object')
    return { ...notCounted(before, HEAD_UNKNOWN), needs: needOf(chain, (before?.head ?? -1) + 1) };
  if (before === null) return counted({ readings: 1, head: chain.head, at }, waitMs);
  // If the clock was set back, the next reading must not wait until the earlier time comes again.
  if (Math.abs(at - before.at) < waitMs) return notCounted(before, `read again within ${showDuration(waitMs)}`);
  const readings = before.readings + 1;
  if (readings === READINGS_NEEDED && chain.head <= before.head) return notCounted(before, HEAD_STANDS);
  return counted({ ...before, readings, at }, waitMs);
}

/** The list is empty because the blocks of all of its rows were replaced: then one reading is enough. */
export function provenEmpty({ at, chain }: DetectionScope): EmptyReading {
  const head = typeof chain === 'object' ? chain.head : 0;
  return { ...NOT_EMPTY, emptied: { readings: READINGS_NEEDED, head, at } };
}

const HEAD_UNKNOWN = 'it cannot be seen how far the explorer has read';
const HEAD_STANDS = "the chain's head has not moved since";

function counted(emptied: Emptied, waitMs: number): EmptyReading {
  if (emptied.readings === READINGS_NEEDED) return { ...NOT_EMPTY, emptied };
  const reason = `${emptied.readings} of ${READINGS_NEEDED} readings`;
  return { emptied, doubt: doubtOf(reason), needs: null, askAgainMs: waitMs };
}

function notCounted(before: Emptied | null, why: string): EmptyReading {
  return { ...NOT_EMPTY, emptied: before, doubt: doubtOf(why) };
}

function doubtOf(why: string): string {
  return `the list is empty, which is not believed yet: ${why}`;
}
