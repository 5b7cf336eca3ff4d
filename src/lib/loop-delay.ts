import { clearInterval, setInterval } from 'node:timers';

/** Measures how long the event loop was blocked, by a computation or because the process was stopped. */
export interface LoopDelay extends Disposable {
  /** The longest delay since the last call, in milliseconds, to a tenth of a second. */
  longestMs(): number;
}

const EVERY_MS = 100;

/**
 * Uses its own timer. After a reset, Node's histogram of delays misses a delay that begins before its timer fires
 * again, such as a stop right after the reset.
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
