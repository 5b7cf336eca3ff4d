import type { Clock } from '../../lib/clock.ts';

/** Measures how long a loop has run. */
export interface RunTime {
  /** The run time so far, in whole milliseconds. Call this at least once a minute. */
  passed(): number;
}

/**
 * At most this much of the time since the last call counts: a longer time means that the machine or the process was
 * suspended.
 */
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
