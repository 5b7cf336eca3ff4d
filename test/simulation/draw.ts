// Numbers that follow from names. What is drawn for one thing does not depend on what else is drawn, so that a history
// stays as it is when a fault is taken out of it.

export interface Draw {
  /** A whole number from 0 up to, but not including, `end`. */
  readonly below: (end: number) => number;
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number;
  /** True with that probability. */
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(from: readonly [T, ...T[]]) => T;
}

/** `createDraw(7, 'day', 3)`: always the same numbers for the same names. */
export function createDraw(...names: readonly (string | number)[]): Draw {
  let state = hashOf(names.join('/'));

  // mulberry32: 32 bits of state are enough for the few hundred draws behind one name.
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (end: number): number => Math.floor(fraction() * end);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => fraction() < probability,
    pick: <T>(from: readonly [T, ...T[]]): T => from[below(from.length)] ?? from[0],
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}
