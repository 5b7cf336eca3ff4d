// A loop that works, rests, and can be woken before its time.
import type { Clock } from '../lib/clock.ts';

export interface WokenLoop {
  /**
   * Works until the signal aborts; `work` resolves with the milliseconds to rest. A wake during the work skips the
   * rest.
   */
  run(signal: AbortSignal, work: () => Promise<number>): Promise<void>;
  /** Ends the rest. Safe to call at any time, also before `run`. */
  readonly wake: () => void;
}

// Without a reason, each abort makes an error with a stack.
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
