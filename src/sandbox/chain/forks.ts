// Blocks that are replaced by chance: one in forty heads turns out to be on a branch that loses, together with up to two
// blocks below it. The same transactions are in the blocks that win; only the blocks are others.
import { draw, PURPOSE } from './draw.ts';

export interface Forks {
  /** How often the block of this height was replaced when the head was there. */
  timesReplaced(height: number, head: number): number;
  /** Whether blocks are replaced by chance at all. */
  readonly happen: boolean;
}

const FORK_EVERY = 40;
const DEEPEST = 3;

export const NO_FORKS: Forks = { timesReplaced: () => 0, happen: false };

export function createForks(seed: number): Forks {
  /** How many blocks are lost when the next one comes; 0 = the head stays. */
  const depthAt = (head: number): number => {
    const chance = draw(seed, PURPOSE.fork, head);
    return chance % FORK_EVERY === 0 ? 1 + (Math.floor(chance / FORK_EVERY) % DEEPEST) : 0;
  };
  return {
    happen: true,
    timesReplaced(height, head) {
      let times = 0;
      for (let lost = height; lost < height + DEEPEST && lost < head; lost++)
        if (depthAt(lost) > lost - height) times += 1;
      return times;
    },
  };
}
