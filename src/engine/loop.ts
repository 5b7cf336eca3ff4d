// The parts that loops share: waits that can be ended, waits after a failure of the storage, and the time of running.
import type { Clock } from '../lib/clock.ts';
import type { Log, LogFields } from '../telemetry/log.ts';

// A loop that works, waits, and can be woken before the wait is over.

export interface WokenLoop {
  /**
   * Works until the signal aborts; `work` resolves with the milliseconds to wait. A wake during the work skips the
   * wait.
   */
  run(signal: AbortSignal, work: () => Promise<number>): Promise<void>;
  /** Ends the wait. Safe to call at any time, also before `run`. */
  readonly wake: () => void;
}

// The reason of an abort. Without one, each abort would make an error with a stack.
const WOKEN = 'woken';

export function createWokenLoop(clock: Clock): WokenLoop {
  let alarm = new AbortController();

  const wake = (): void => {
    alarm.abort(WOKEN);
  };

  return {
    wake,
    async run(signal, work) {
      signal.addEventListener('abort', wake);
      while (!signal.aborted) {
        // Created before the work, so that a wake in between is not lost.
        alarm = new AbortController();
        await clock.sleep(await work(), alarm.signal);
      }
      signal.removeEventListener('abort', wake);
    },
  };
}

// The wait of a loop before it tries a failed storage again.

export interface StorageBackoff {
  answered(action: string): void;
  /** Logs once per cause, and returns how long to wait before the next try. */
  failed(action: string, error: unknown): number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** `about`: names the loop in the log. */
export function createStorageBackoff(about: LogFields, log: Pick<Log, 'info' | 'error'>): StorageBackoff {
  const causes = new Map<string, { why: string; pauseMs: number }>();
  return {
    answered(action) {
      if (causes.delete(action)) log.info('storage:answers', { ...about, action });
    },
    failed(action, error) {
      const why = String(error);
      const last = causes.get(action);
      if (last?.why !== why) log.error('storage:failed', { ...about, action, error: why });
      const pauseMs = last === undefined ? FIRST_PAUSE_MS : Math.min(last.pauseMs * 2, LONGEST_PAUSE_MS);
      causes.set(action, { why, pauseMs });
      return pauseMs;
    },
  };
}

/** Measures how long a loop has run. */
interface RunTime {
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
