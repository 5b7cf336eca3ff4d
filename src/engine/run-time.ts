import type { Clock } from '../lib/clock.ts';

/** For how long a loop has run. */
export interface RunTime {
  /** In all, up to now. To be asked at least once a minute. */
  passed(): number;
}

/**
 * Added up from one question to the next. A step longer than this is no time in which the loop ran: the machine or the
 * process stood still.
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
      return passedMs;
    },
  };
}
