// A clock that keeps the time of somebody else, such as a database that several machines share. Between two anchors it runs
// as the monotonic clock of this machine does, so that setting the clock of the machine changes nothing.
import type { Clock, Instant } from './clock.ts';

export interface AnchoredClock extends Clock {
  /** It is that time now. */
  anchor(now: Instant): void;
}

/** An anchor comes with the delay of a network. One that is further back than that says that the clock itself was set back. */
const LATE_MS = 2000;

/** Before the first anchor it shows the time of `clock`. Where an anchor is a little late, it stands still until it is right. */
export function createAnchoredClock(clock: Clock): AnchoredClock {
  let offsetMs: number | null = null;
  let newest = -Infinity;

  return {
    now() {
      if (offsetMs === null) return clock.now();
      newest = Math.max(newest, Math.floor(clock.monotonic() + offsetMs));
      return newest;
    },
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    anchor(now) {
      offsetMs = now - clock.monotonic();
      if (newest - now > LATE_MS) newest = now;
    },
  };
}
