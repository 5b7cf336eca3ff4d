// Detects that the clock of the machine was set, or that the machine slept: the wall clock has then moved further than
// the monotonic clock, or less far.
import type { Clock, Instant } from '../../lib/clock.ts';

export interface ClockJump {
  /** By the clock after the jump. */
  readonly at: Instant;
  /** Milliseconds; positive if the jump was forward. */
  readonly byMs: number;
}

export interface ClockJumps {
  /** The jump since the last check; null if there was none, or one of less than a minute. */
  look(): ClockJump | null;
  /** The newest jump in each direction, for an hour after it. */
  recent(): readonly ClockJump[];
  /** True in the first hour of the process: `recent` may then lack a jump from before the start. */
  isYoung(): boolean;
}

/** Smaller jumps are ignored, such as the steps of a clock that is corrected gradually. */
const LEAST_MS = 60_000;
const RECENT_MS = 3_600_000;

export function createClockJumps(clock: Pick<Clock, 'now' | 'monotonic'>): ClockJumps {
  const startedAt = clock.monotonic();
  let before = { wall: clock.now(), steady: startedAt };
  /** By direction, since a wrong clock is often set right soon after: the second jump must not replace the first. */
  const newest = new Map<'forward' | 'back', { readonly jump: ClockJump; readonly steady: number }>();

  return {
    look() {
      const now = { wall: clock.now(), steady: clock.monotonic() };
      const byMs = Math.round(now.wall - before.wall - (now.steady - before.steady));
      before = now;
      if (Math.abs(byMs) <= LEAST_MS) return null;
      const jump = { at: now.wall, byMs };
      newest.set(byMs > 0 ? 'forward' : 'back', { jump, steady: now.steady });
      return jump;
    },
    recent: () =>
      [...newest.values()].filter(({ steady }) => clock.monotonic() - steady < RECENT_MS).map(({ jump }) => jump),
    isYoung: () => clock.monotonic() - startedAt < RECENT_MS,
  };
}
