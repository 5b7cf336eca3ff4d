// Kinds that look at one thing: its remembered values, and how often they changed.
import { z } from 'zod';
import type { Json } from '../core/values/fields.ts';
import type { Instant } from '../lib/clock.ts';
import type { Remembered } from '../core/values/tracked.ts';

const json: z.ZodType<Json> = z.json();
export const remembered: z.ZodType<Remembered> = z.record(z.string(), json);

export interface Values {
  readonly values: Remembered;
  /** Counts changes: each one is news, also back to a value that was there before. */
  readonly changes: number;
}

export const Values: z.ZodType<Values> = z.object({ values: remembered, changes: z.number() });

/** Counters make keys, so they never start where a forgotten memory once was: at the seconds since 1970. */
export function firstCount(at: Instant): number {
  return Math.floor(at / 1000);
}
