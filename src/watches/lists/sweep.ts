// Once an hour a list is read again from page one down to its look-back. Only this finds rows that an explorer shows
// late, below known rows. A sweep takes several polls, and continues after a restart.
import { z } from 'zod';
import type { Heights } from '../../core/model/detection.ts';
import { fractionOf } from '../../core/model/watch/identity.ts';
import type { Cursor, Question } from '../../core/model/watch/question.ts';
import type { Instant } from '../../lib/clock.ts';

export interface Sweep {
  /** The hour in which the last sweep began, counted from 1970 and shifted by the question's phase; null = none yet. */
  readonly hour: number | null;
  /** Set while a sweep is under way. */
  readonly open: { readonly resume: Cursor | null } | null;
  /** The time at which the last sweep was complete; null = none yet. */
  readonly completedAt: Instant | null;
}

export const Sweep: z.ZodType<Sweep> = z.object({
  hour: z.number().nullable(),
  open: z.object({ resume: z.record(z.string(), z.string()).nullable() }).nullable(),
  completedAt: z.number().nullable(),
});

export const NO_SWEEP: Sweep = { hour: null, open: null, completedAt: null };

/** The part of a sweep that one poll read. */
export interface SweepReading {
  /** The position at which this part began. */
  readonly from: Cursor | null;
  readonly resume: Cursor | null;
  readonly isComplete: boolean;
  /** The heights whose rows were all read. */
  readonly heights: readonly Heights[];
  /** Blocks that the explorer has not traced as a whole yet. */
  readonly untraced?: Heights;
  /** Blocks with more rows than a page has. */
  readonly overfull?: readonly number[];
}

const HOUR_MS = 3_600_000;

/** The hour that a time is in. Its phase is a hash of the question, so that lists are not all swept at once. */
export function sweepHour({ explorer, path, params }: Omit<Question, 'record'>, at: Instant): number {
  const phase = fractionOf('sweep', explorer, path, JSON.stringify(params));
  return Math.floor(at / HOUR_MS - phase);
}

/** False while a sweep is under way: a new one would start again from page one. */
export function isDue({ hour, open }: Sweep, now: number): boolean {
  return open === null && hour !== now;
}

/** `coversAll`: the newest pages of this poll contain all rows that a sweep would read. */
export function begun(sweep: Sweep, hour: number, { at, coversAll }: { at: Instant; coversAll: boolean }): Sweep {
  return coversAll ? { hour, open: null, completedAt: at } : { ...sweep, hour, open: { resume: null } };
}

export function afterSweeping(sweep: Sweep, reading: SweepReading | null, at: Instant): Sweep {
  // The reading does not count if the memory was loaded again meanwhile, with another position.
  if (reading === null || sweep.open === null || !isSame(reading.from, sweep.open.resume)) return sweep;
  if (reading.isComplete) return { ...sweep, open: null, completedAt: at };
  return reading.resume === sweep.open.resume ? sweep : { ...sweep, open: { resume: reading.resume } };
}

function isSame(one: Cursor | null, other: Cursor | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
