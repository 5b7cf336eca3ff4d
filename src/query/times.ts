import { showInstant, type Instant } from '../lib/clock.ts';
import type { Time } from '../core/values/answer-shapes.ts';

/** Null: unknown. A stretched wait may begin between two milliseconds. */
export function timeOf(at: Instant | null): Time | null {
  return at === null ? null : showInstant(Math.round(at));
}
