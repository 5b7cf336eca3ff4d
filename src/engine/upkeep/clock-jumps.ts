// Detects that the clock of the machine was set, or that the machine slept: the wall clock has then moved further than
// the monotonic clock, or less far.
import type { Clock, Instant } from '../../lib/clock.ts';

export interface ClockJump {
  /** By the clock after the jump. */
  readonly at: Instant;
  /** Milliseconds; positive if the jump was forward. */
  readonly byMs: number;
}

/** Each call compares the clocks first. It must be made at least once a minute, by whomever. */
export interface ClockJumps {
  /** The jumps of more than a minute since the start of the process, the oldest first. */
  all(): readonly ClockJump[];
  /**
   * The jumps after the clock showed `at` for the last time. `at` may be of another process with the same clock: it
   * counts as the nearest time that the clock showed here.
   */
  since(at: Instant): readonly ClockJump[];
  /** The newest jump in each direction, for an hour after it. */
  recent(): readonly ClockJump[];
  /** True in the first hour of the process: `recent` may then lack a jump from before the start. */
  isYoung(): boolean;
}

/** The wall clock ran like the monotonic clock. The last stretch goes on. */
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
