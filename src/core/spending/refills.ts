// Finds out from the headers when a daily plan is refilled.
import type { Instant } from '../../lib/clock.ts';
import { DAY_MS, type Resets } from './period.ts';

/** Credits rose between these moments: the last answer before, and the first one after. */
export interface SeenRefill {
  readonly after: Instant;
  readonly until: Instant;
}

const SAME_MS = 600_000;
/** If no answer came for longer than this, the refill could have been at any moment. */
const LONGEST_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Three refills are kept, because one of them may be something else: bought credits, or two servers that differ. */
export function withRefill(refills: readonly SeenRefill[], refill: SeenRefill): readonly SeenRefill[] {
  return [...refills, refill].slice(-3);
}

/** The time of day that two refills share, if it cannot be midnight; else null. */
export function resetsSeen(refills: readonly SeenRefill[]): Resets {
  const newestFirst = refills.toReversed();
  for (const [i, later] of newestFirst.entries()) {
    const earlier = newestFirst.slice(i + 1).find((one) => isSameTime(one, later));
    if (earlier !== undefined) return timeOf(earlier, later);
  }
  return null;
}

function isSameTime(earlier: SeenRefill, later: SeenRefill): boolean {
  const apart = later.until - earlier.until;
  const days = Math.round(apart / DAY_MS);
  return days > 0 && Math.abs(apart - days * DAY_MS) <= SAME_MS;
}

function timeOf(earlier: SeenRefill, later: SeenRefill): Resets {
  if (!isElsewhere(earlier) || !isElsewhere(later)) return null;
  const ms = Math.max(earlier.after % DAY_MS, later.after % DAY_MS);
  return { type: 'time', ms: Math.floor(ms / MINUTE_MS) * MINUTE_MS };
}

/** True if the two answers are close together, and midnight is not between them. */
function isElsewhere({ after, until }: SeenRefill): boolean {
  const isShort = until - after <= LONGEST_MS;
  return isShort && after % DAY_MS > 0 && Math.floor(after / DAY_MS) === Math.floor(until / DAY_MS);
}
