// Detects that the clock of the machine was set, or that the machine slept. In both cases the wall clock and the
// monotonic clock have moved by different amounts.
import type { Clock, Instant } from '../../lib/clock.ts';

export interface ClockJump {
  /** By the clock after the jump. */
  readonly at: Instant;
  /** Milliseconds; positive if the jump was forward. */
  readonly byMs: number;
}

/** Each call of a method compares the clocks first. Some method must be called at least once a minute. */
export interface ClockJumps {
  /** The jumps of more than a minute since the start of the process, the oldest first. */
  all(): readonly ClockJump[];
  /**
   * The jumps after the clock showed `at` for the last time. Another process with the same clock may have measured
   * `at`. If the clock never showed `at` in this process, the nearest time that it showed is used.
   */
  since(at: Instant): readonly ClockJump[];
  /** The newest jump in each direction, for an hour after it. */
  recent(): readonly ClockJump[];
  /** True in the first hour of the process: `recent` may then lack a jump from before the start. */
  isYoung(): boolean;
}

/** A period in which the wall clock ran like the monotonic clock. The last period has not ended yet. */
interface Stretch {
  readonly from: Instant;
  to: Instant;
  /** The jump before it; null: it is the first stretch. */
  readonly jump: { readonly byMs: number; readonly steady: number } | null;
}

/** Smaller jumps are ignored, such as the steps of a clock that is corrected gradually. */
const LEAST_MS = 60_000;
const RECENT_MS = 3_600_000;

export function createClockJumps(clock: Pick<Clock, 'now' | 'monotonic'>): ClockJumps {
  const startedAt = clock.monotonic();
  const first = clock.now();
  const stretches: Stretch[] = [{ from: first, to: first, jump: null }];
  let before = { wall: first, steady: startedAt };

  function look(): readonly Stretch[] {
    const now = { wall: clock.now(), steady: clock.monotonic() };
    const byMs = Math.round(now.wall - before.wall - (now.steady - before.steady));
    before = now;
    const isSet = Math.abs(byMs) > LEAST_MS;
    if (isSet) stretches.push({ from: now.wall, to: now.wall, jump: { byMs, steady: now.steady } });
    else for (const last of stretches.slice(-1)) last.to = Math.max(last.to, now.wall);
    return stretches;
  }

  return {
    all: () => jumpsOf(look()),
    since(at) {
      const apart = look().map(({ from, to }) => Math.max(from - at, at - to, 0));
      const shownIn = apart.lastIndexOf(Math.min(...apart));
      return jumpsOf(stretches.slice(shownIn + 1));
    },
    recent() {
      const recent = jumpsOf(look().filter(({ jump }) => clock.monotonic() - (jump?.steady ?? 0) < RECENT_MS));
      // A wrong clock is often set right soon after: the second jump must not replace the first.
      const newest = [recent.findLast(({ byMs }) => byMs > 0), recent.findLast(({ byMs }) => byMs < 0)];
      return newest.filter((jump) => jump !== undefined);
    },
    isYoung: () => clock.monotonic() - startedAt < RECENT_MS,
  };
}

function jumpsOf(stretches: readonly Stretch[]): ClockJump[] {
  return stretches.flatMap(({ from, jump }) => (jump === null ? [] : [{ at: from, byMs: jump.byMs }]));
}
