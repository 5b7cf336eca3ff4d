import type { Clock } from '../../lib/clock.ts';

/** Measures how long a loop has run. */
export interface RunTime {
  /** In all, up to now, in whole milliseconds. To be called at least once a minute. */
  passed(): number;
}

/** Adds the time since the last call. A longer step does not count: the machine or the process was suspended. */
const LONGEST_STEP_MS = 120_000;

export function createRunTime(clock: Clock): RunTime {
  let lookedAt = clock.monotonic();
  let passedMs = 0;
  return {
    passed() {
      const now = clock.monotonic();
      passedMs += Math.min(now - lookedAt, LONGEST_STEP_MS);
      lookedAt = now;
      return Math.floor(passedMs);
    },
  };
}
