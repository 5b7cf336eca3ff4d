import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Measures for how long the event loop stood still: a computation that blocks it, or a process that was stopped. */
export interface LoopDelay extends Disposable {
  /** At most since this was last asked, in milliseconds. */
  longestMs(): number;
}

const RESOLUTION_MS = 20;

export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    longestMs() {
      const longest = histogram.count === 0 ? 0 : histogram.max / 1e6;
      histogram.reset();
      return longest;
    },
    [Symbol.dispose]() {
      histogram.disable();
    },
  };
}
