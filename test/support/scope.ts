import type { DetectionScope } from '../../src/core/model/detection.ts';

/** What a whole reading is judged by, polled every minute, when nothing waits for an item of it. */
export function aScope(change: Partial<DetectionScope> = {}): DetectionScope {
  return {
    at: 0,
    tracked: [],
    judged: [],
    isComplete: true,
    awaited: null,
    chain: 'not-asked',
    coveredUntil: null,
    intervalMs: 60_000,
    ...change,
  };
}
