// Decides when a set of implementations counts. Another set counts at once. Only a return to the set before the last change
// waits: replicas of an explorer that differ would otherwise send a message with every poll.
import { z } from 'zod';
import type { DetectionScope } from '../../core/model/detection.ts';
import type { DatedRemark } from '../../core/model/watch/kind.ts';
import { HOLE } from '../../core/windows/hole.ts';
import type { Instant } from '../../lib/clock.ts';
import { isSameSet } from './reading.ts';

/** Addresses in lower case, by rising address. */
type Keys = readonly string[];

export interface Acceptance {
  /** The set before the last change; null: no return waits. */
  readonly previous: Keys | null;
  /** The time since which every reading shows `previous`; null: the last reading does not. */
  readonly returningSince: Instant | null;
}

export const Acceptance = z.object({
  previous: z.array(z.string()).nullable(),
  returningSince: z.number().nullable(),
});

export const NO_RETURN: Acceptance = { previous: null, returningSince: null };

const RETURN_MS = 600_000;

/** The return that waits; null: none does. */
export function waitingIn({ returningSince }: Acceptance): DatedRemark | null {
  if (typeof returningSince !== 'number') return null;
  return { what: 'the earlier implementation is shown again, and counts after ten minutes', since: returningSince };
}

interface Judged {
  readonly verdict: 'same' | 'other' | 'waits';
  readonly after: Acceptance;
}

interface Shown {
  /** The set that counts up to now. */
  readonly accepted: Keys;
  readonly shown: Keys;
  /** True if the set before the last change is not one of `expected`: a return to it counts at once. */
  readonly isForeign: (set: Keys) => boolean;
}

/** Judges a reading that shows a set. */
export function judgeSet(before: Acceptance, { accepted, shown, isForeign }: Shown, scope: DetectionScope): Judged {
  if (isSameSet(shown, accepted)) return { verdict: 'same', after: notReturning(before) };
  const { previous } = before;
  if (previous === null || !isSameSet(shown, previous) || isForeign(shown))
    return { verdict: 'other', after: { previous: accepted, returningSince: null } };
  const returningSince = beginOf(before, scope);
  if (scope.at - returningSince >= RETURN_MS) return { verdict: 'other', after: NO_RETURN };
  return { verdict: 'waits', after: { previous, returningSince } };
}

/** After a reading that does not show the set before the last change. */
export function notReturning({ previous }: Acceptance): Acceptance {
  return { previous, returningSince: null };
}

/** The wait begins again after a time without readings, and when the clock was set back. */
function beginOf({ returningSince }: Acceptance, { at, coveredUntil, intervalMs }: DetectionScope): Instant {
  const isHole = coveredUntil === null || at - coveredUntil > HOLE * intervalMs;
  return returningSince === null || returningSince > at || isHole ? at : returningSince;
}
