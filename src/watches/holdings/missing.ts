// Tokens that are missing from a list. A token can slip between two pages while prices change the order, and one of the
// explorer's servers may be behind. So a token is gone only if two successive polls read the whole list without it.
import { z } from 'zod';
import type { DetectionScope } from '../../core/model/detection.ts';
import type { Instant } from '../../lib/clock.ts';
import { isAnotherReading, untilAnotherReading } from '../lists/emptied.ts';

/**
 * The keys of missing tokens, with the time since which complete readings lack them. A token that counts as gone is
 * removed.
 */
export type Missing = Readonly<Record<string, Instant>>;

export const Missing: z.ZodType<Missing> = z.record(z.string(), z.number());

export const NONE_MISSING: Missing = {};

export interface Departures {
  readonly gone: readonly string[];
  /** The same object as before if the same tokens are missing. */
  readonly missing: Missing;
  readonly askAgainMs: number | null;
}

/** `absent`: the keys that a complete reading lacks. `isBelieved`: no second reading is needed. */
export function departuresOf(
  before: Missing,
  absent: readonly string[],
  scope: DetectionScope & { readonly isBelieved: boolean },
): Departures {
  const { at, isBelieved } = scope;
  const isGone = (key: string): boolean => isBelieved || isConfirmed(before, key, scope);
  const waiting = absent.filter((key) => !isGone(key)).map((key) => [key, before[key] ?? at] as const);
  const isSame = waiting.length === Object.keys(before).length && waiting.every(([key]) => key in before);
  const since = Math.min(...waiting.map(([, from]) => from));
  return {
    gone: absent.filter(isGone),
    missing: isSame ? before : Object.fromEntries(waiting),
    askAgainMs: waiting.length === 0 ? null : untilAnotherReading(since, scope),
  };
}

/**
 * The result of a partial reading, or of one by an explorer that is behind. It only ends the absence of the tokens that
 * it shows.
 */
export function undecided(before: Missing, shown: ReadonlyMap<string, unknown>): Departures {
  const all = Object.entries(before);
  const left = all.filter(([key]) => !shown.has(key));
  return { gone: [], missing: left.length === all.length ? before : Object.fromEntries(left), askAgainMs: null };
}

/** True if an earlier poll lacked the token too, long enough ago to count as another reading. */
export function isConfirmed(before: Missing, key: string, scope: Pick<DetectionScope, 'at' | 'intervalMs'>): boolean {
  const since = before[key];
  return since !== undefined && isAnotherReading(since, scope);
}
