// What becomes of stored instants when the system clock is set. Each round compares it with one that runs evenly.
//
// Forward: nobody was late, so repeats, escalations, failovers and acknowledgements keep the time that they had left.
// Backward: what lies ahead now would make a wait longer than its timer, so it counts as of now. Silences keep their end:
// a person named that time of day.
import type { Instant } from '../lib/clock.ts';

/** A system clock that is off by less is corrected a little at a time, and no wait is worth moving for it. */
const SMALLEST_MS = 60_000;

export interface ClockJump {
  /** Forward if it is positive. */
  readonly byMs: number;
  readonly now: Instant;
}

/** What the system clock moved by beyond the time that passed; null: nothing to speak of. */
export function jumpBetween(
  before: { readonly now: Instant; readonly monotonic: number },
  after: { readonly now: Instant; readonly monotonic: number },
): ClockJump | null {
  const byMs = Math.round(after.now - before.now - (after.monotonic - before.monotonic));
  return Math.abs(byMs) < SMALLEST_MS ? null : { byMs, now: after.now };
}

/** Where an instant that a wait is counted from lies after the jump. */
export function shiftedBy({ byMs, now }: ClockJump, at: Instant): Instant {
  return byMs > 0 ? at + byMs : Math.min(at, now);
}
