// The height of the head, and the time of each block. With a block time the head follows the clock. With `manual` it
// moves only when blocks are mined, and the last block of the start has the time at which the sandbox was made.
import type { Clock, Instant } from '../../lib/clock.ts';
import { ControlProblem } from '../problem.ts';

/** The time of block 0 of a chain with a block time. */
export const GENESIS: Instant = Date.UTC(2026, 0, 1);

export interface Calendar {
  head(): number;
  readonly timeOf: (height: number) => Instant;
  /** Moves a manual head, and returns the new head. Throws a ControlProblem if the head follows the clock. */
  mine(blocks: number): number;
  /** Stops the head at its height. */
  freeze(): void;
  /** The head follows the clock again: the blocks in between appear at once. */
  unfreeze(): void;
}

export function createRunningCalendar(clock: Clock, blockTimeMs: number): Calendar {
  let frozenAt: number | null = null;
  const due = (): number => Math.max(0, Math.floor((clock.now() - GENESIS) / blockTimeMs));
  return {
    head: () => frozenAt ?? due(),
    timeOf: (height) => GENESIS + height * blockTimeMs,
    mine: () => {
      throw new ControlProblem('blocks are mined by the clock here: make the sandbox with block_time: manual');
    },
    freeze() {
      frozenAt ??= due();
    },
    unfreeze() {
      frozenAt = null;
    },
  };
}

const USUAL_BLOCK_TIME_MS = 2000;

const MOST_BATCHES = 1_000_000;

/** The blocks from height `from` to the next batch were mined at `at`. */
interface Batch {
  readonly from: number;
  readonly at: Instant;
}

export function createManualCalendar(clock: Clock, start: number): Calendar {
  const madeAt = clock.now();
  const batches: Batch[] = [];
  let head = start;
  return {
    head: () => head,
    timeOf(height) {
      return height > start ? atOf(batches, height) : madeAt - (start - height) * USUAL_BLOCK_TIME_MS;
    },
    mine(blocks) {
      const before = batches.at(-1)?.at ?? madeAt;
      const at = Math.max(clock.now(), before);
      if (batches.length >= MOST_BATCHES)
        throw new ControlProblem('too many blocks were mined one by one: restart the sandbox');
      if (at > before || batches.length === 0) batches.push({ from: head + 1, at });
      head += blocks;
      return head;
    },
    freeze() {
      throw new ControlProblem('a manual head already stands still');
    },
    unfreeze() {
      throw new ControlProblem('a manual head moves by mining only');
    },
  };
}

/** The moment of the last batch that begins at or below the height. */
function atOf(batches: readonly Batch[], height: number): Instant {
  let low = 0;
  let high = batches.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((batches[middle]?.from ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return batches[low]?.at ?? 0;
}
