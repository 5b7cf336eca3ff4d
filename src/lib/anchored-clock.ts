// A clock with the time of another system, such as a database that several machines share. Between two anchors it runs
// like the monotonic clock of this machine, so that setting the machine's clock changes nothing.
import type { Clock, Instant } from './clock.ts';

export interface AnchoredClock extends Clock {
  /** Sets the present time. */
  anchor(now: Instant): void;
}

/**
 * An anchor is late by the delay of the network. If it is further back than this, the clock of the other system was set
 * back.
 */
const LATE_MS = 2000;

/**
 * Shows the time of `clock` before the first anchor. If an anchor is a little behind, the clock stands still until the
 * time of the other system has caught up.
 */
export function createAnchoredClock(clock: Clock): AnchoredClock {
  let offsetMs: number | null = null;
  let newest = -Infinity;

  return {
    now() {
      if (offsetMs === null) return clock.now();
      newest = Math.max(newest, Math.floor(clock.monotonic() + offsetMs));
      return newest;
    },
    monotonic: clock.monotonic,
    sleep: clock.sleep,
    anchor(now) {
      offsetMs = now - clock.monotonic();
      if (newest - now > LATE_MS) newest = now;
    },
  };
}
