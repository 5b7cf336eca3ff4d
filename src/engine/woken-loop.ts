// A loop that works, waits, and can be woken before the wait is over.
import type { Clock } from '../lib/clock.ts';

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
