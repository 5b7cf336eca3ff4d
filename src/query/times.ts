import { showInstant, type Instant } from '../lib/clock.ts';
import type { Time } from '../core/values/answer-shapes.ts';

/**
 * Null: unknown. The time is rounded, since a time that is computed from a stretched polling interval may have a
 * fraction of a millisecond.
 */
export function timeOf(at: Instant | null): Time | null {
  return at === null ? null : showInstant(Math.round(at));
}
