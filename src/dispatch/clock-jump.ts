// What becomes of stored instants when the system clock is set. Each round compares it with one that runs evenly.
//
// Forward: nobody was late, so repeats, escalations, failovers and acknowledgements keep the time that they had left.
// Backward: what lies ahead now would make a wait longer than its timer, so it counts as of now. Silences keep their end:
// a person named that time of day.
import type { Instant } from '../lib/clock.ts';

export interface ClockShift {
  /** Forward if it is positive. */
  readonly byMs: number;
  readonly now: Instant;
}

/** Where an instant that a wait is counted from lies after the jump. */
export function shiftedBy({ byMs, now }: ClockShift, at: Instant): Instant {
  return byMs > 0 ? at + byMs : Math.min(at, now);
}
