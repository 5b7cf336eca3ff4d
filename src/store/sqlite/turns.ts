// A mutex for work that ends within one turn of the event loop. Without a pause, a long queue of such work would keep
// timers and requests waiting until the last of it is done.
import { nextTurn } from '../../lib/clock.ts';
import { createMutex, type Mutex } from '../../lib/mutex.ts';

/** The event loop gets a turn after this time. */
const LONGEST_MS = 5;

export type Turns = Pick<Mutex, 'hold'>;

export function createTurns(): Turns {
  const mutex = createMutex();
  let heldMs = 0;

  return {
    async hold(work) {
      const release = await mutex.acquire();
      try {
        if (heldMs > LONGEST_MS) {
          heldMs = 0;
          await nextTurn();
        }
        const from = performance.now();
        const result = await work();
        heldMs += performance.now() - from;
        return result;
      } finally {
        release();
      }
    },
  };
}
