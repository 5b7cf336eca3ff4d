// How many requests are in flight. One that the explorer keeps waiting gives its slot back, so that a slow path does not
// hold up all others; it goes on, and counts towards the most that may be in flight.
import PQueue from 'p-queue';

/** Where no more are allowed anyway. */
const MOST_IN_FLIGHT = 4;

export interface Slot {
  /** Lets the next one through. Says nothing new when it is called again. */
  readonly giveBack: () => void;
}

export interface Slots {
  /** Runs `task` as soon as there is a slot: the smallest rank first, and of equal ones in the order of the calls. */
  hold<T>(task: (slot: Slot) => Promise<T>, rank?: number): Promise<T>;
}

export function createSlots(concurrency: number): Slots {
  const queue = new PQueue({ concurrency });
  const most = Math.max(concurrency, MOST_IN_FLIGHT);
  const waiting = new Set<Slot>();

  function adjust(): void {
    queue.concurrency = Math.min(concurrency + waiting.size, most);
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

  return { hold: (task, rank = 0) => queue.add(() => run(task), { priority: -rank }) };
}
