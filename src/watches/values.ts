// The state of kinds with a single item: its last values, and a count of changes.
import { z } from 'zod';
import type { Json } from '../core/values/fields.ts';
import type { Instant } from '../lib/clock.ts';
import type { Remembered } from '../core/values/encoded.ts';

export const json: z.ZodType<Json> = z.json();
export const remembered: z.ZodType<Remembered> = z.record(z.string(), json);

export interface Values {
  readonly values: Remembered;
  /** Counts changes: each change is a separate event, even one back to an earlier value. */
  readonly changes: number;
}

export const Values: z.ZodType<Values> = z.object({ values: remembered, changes: z.number() });

/**
 * The first value of a counter: the seconds since 1970. A counter is a part of keys. After a memory was removed, a
 * counter that starts at 0 would repeat its keys.
 */
export function firstCount(at: Instant): number {
  return Math.floor(at / 1000);
}
