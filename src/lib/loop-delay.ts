import { clearInterval, setInterval } from 'node:timers';

/** Measures for how long the event loop stood still: a computation that blocks it, or a process that was stopped. */
export interface LoopDelay extends Disposable {
  /** At most since this was last asked, in milliseconds, to a tenth of a second. */
  longestMs(): number;
}

const EVERY_MS = 100;

/**
 * By a timer of its own: Node's histogram of delays, once reset, misses what begins before its timer has fired again, such
 * as a stop right after it was asked.
 */
export function watchLoopDelay(): LoopDelay {
  let lastAt = performance.now();
  let longest = 0;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - lastAt - EVERY_MS);
    lastAt = now;
  };
  const timer = setInterval(look, EVERY_MS);
  timer.unref();
  return {
    longestMs() {
      look();
      const found = longest;
      longest = 0;
      return found;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}
