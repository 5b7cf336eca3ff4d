// Limits the requests in flight. A request that the explorer keeps waiting gives its slot back, so that a slow path
// does not delay all others. It continues, and counts towards the most that may be in flight.
import PQueue from 'p-queue';

/** The most requests in flight, unless `concurrency` is higher. */
const MOST_IN_FLIGHT = 4;

export interface Slot {
  /** Lets the next request start. A second call has no effect. */
  readonly giveBack: () => void;
}

export interface Slots {
  /** Runs `task` as soon as there is a slot: the smallest rank first, equal ranks in the order of the calls. */
  hold<T>(task: (slot: Slot) => Promise<T>, rank?: number): Promise<T>;
  /** Applies a change of `concurrencyNow`. */
  adjust(): void;
}

export function createSlots(concurrencyNow: () => number): Slots {
  const queue = new PQueue({ concurrency: concurrencyNow() });
  const waiting = new Set<Slot>();

  function adjust(): void {
    const concurrency = concurrencyNow();
    const next = Math.min(concurrency + waiting.size, Math.max(concurrency, MOST_IN_FLIGHT));
    if (next !== queue.concurrency) queue.concurrency = next;
  }

  async function run<T>(task: (slot: Slot) => Promise<T>): Promise<T> {
    let isOver = false;
    const slot: Slot = {
      giveBack() {
        if (isOver) return;
        waiting.add(slot);
        adjust();
      },
    };
    try {
      return await task(slot);
    } finally {
      isOver = true;
      waiting.delete(slot);
      adjust();
    }
  }

  return {
    adjust,
    hold(task, rank = 0) {
      adjust();
      return queue.add(() => run(task), { priority: -rank });
    },
  };
}
