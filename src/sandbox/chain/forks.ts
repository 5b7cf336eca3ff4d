// Blocks that are replaced by chance. One in forty heads is on a branch that loses, together with up to two blocks
// below it. The winning blocks contain the same transactions.
import { draw, PURPOSE } from './draw.ts';

export interface Forks {
  /** The number of times the block of this height had been replaced when the head was at `head`. */
  timesReplaced(height: number, head: number): number;
  /** True if blocks are replaced by chance at all. */
  readonly happen: boolean;
}

const FORK_EVERY = 40;
const DEEPEST = 3;

export const NO_FORKS: Forks = { timesReplaced: () => 0, happen: false };

export function createForks(seed: number): Forks {
  /** The number of blocks that are replaced when the next block comes; 0 = the head stays. */
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
