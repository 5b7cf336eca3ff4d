// Moves stored instants when the system clock is set. Each round compares it with a monotonic clock.
//
// Forward: no time has passed, so repeats, escalations, failovers and acknowledgements keep their remaining time.
// Backward: a future instant would make a wait longer than its timer, so it is set to now. Silences keep their end,
// since an operator chose that time of day.
import type { Instant } from '../lib/clock.ts';

export interface ClockShift {
  /** Positive: forward. */
  readonly byMs: number;
  readonly now: Instant;
}
