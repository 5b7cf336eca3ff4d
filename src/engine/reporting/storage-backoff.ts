// The wait of a loop before it tries a failed storage again.
import type { Log, LogFields } from '../../telemetry/log.ts';

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
