import { showInstant, type Instant } from '../lib/clock.ts';
import type { Time } from '../core/values/answer-shapes.ts';

/** Null: unknown. A time in a stretched wait may have a fraction of a millisecond, so it is rounded. */
export function timeOf(at: Instant | null): Time | null {
  return at === null ? null : showInstant(Math.round(at));
}
