// Moves stored instants when the clock is set. Each round compares it with a monotonic clock.
//
// Forward: no time has passed, so repeats, escalations, failovers and acknowledgements keep their remaining time.
// Backward: a future instant would make a wait longer than its timer, so it is set to now. Silences keep their end,
// since an operator chose that time of day.
import type { Instant } from '../lib/clock.ts';

export interface ClockShift {
  /** Positive: forward. Several jumps may add up to nothing. */
  readonly byMs: number;
  /** Jumps backward alone: what was stored before them may be of a clock that was ahead. */
  readonly backMs: number;
  readonly now: Instant;
}

export function shiftOf(jumps: readonly { readonly byMs: number }[], now: Instant): ClockShift {
  const sum = (all: readonly { readonly byMs: number }[]): number => all.reduce((ms, { byMs }) => ms + byMs, 0);
  return { byMs: sum(jumps), backMs: sum(jumps.filter(({ byMs }) => byMs < 0)), now };
}
