/** Whole numbers below a bound: the same ones on every machine and in every run. */
export type Chance = (below: number) => number;

export function createChance(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function pick<T>(chance: Chance, items: readonly T[]): T {
  const item = items[chance(items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}
