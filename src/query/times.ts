import { showInstant, type Instant } from '../lib/clock.ts';
import type { Time } from '../core/values/answer-shapes.ts';

/** Null: it is not known. A wait that was stretched may begin between two milliseconds. */
export function timeOf(at: Instant | null): Time | null {
  return at === null ? null : showInstant(Math.round(at));
}
