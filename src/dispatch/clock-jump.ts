// Moves stored instants when the system clock is set. Each round compares it with a clock that runs evenly.
//
// Forward: no message was late, so repeats, escalations, failovers and acknowledgements keep the time that they had left.
// Backward: a future instant would make a wait longer than its timer, so it counts as of now. Silences keep their end:
// a person named that time of day.
import type { Instant } from '../lib/clock.ts';

export interface ClockShift {
  /** Positive: forward. */
  readonly byMs: number;
  readonly now: Instant;
}

/** The place after the jump of an instant that a wait is counted from. */
export function shiftedBy({ byMs, now }: ClockShift, at: Instant): Instant {
  return byMs > 0 ? at + byMs : Math.min(at, now);
}
