/** An amount that changes with the height: every `step` blocks it takes the next of `levels`, with a little noise. */
export interface PeriodicAmount {
  readonly base: bigint;
  /** Thousandths of the base that are added. */
  readonly levels: readonly number[];
  readonly step: number;
  readonly phase: number;
}

/** Up to half a thousandth of the base, so that no two neighbouring steps are equal. */
const NOISE = 2000n;

/**
 * The amount at a height; `noise` gives a pseudo-random number of 32 bits for the index of a step, always the same for
 * the same index.
 */
export function amountAt(amount: PeriodicAmount, height: number, noise: (steps: number) => number): bigint {
  const steps = Math.floor((height + amount.phase) / amount.step);
  const level = amount.levels[steps % amount.levels.length] ?? 0;
  const jitter = (amount.base * BigInt(noise(steps))) / (NOISE << 32n);
  return amount.base + (amount.base * BigInt(level)) / 1000n + jitter;
}

/** Eight steps around the base: half of them below it, half above. */
export const AROUND = [-180, -90, 40, 120, 200, 90, -30, -130] as const;
/** Always above the base, except for one fall through it. */
export const SELDOM_LOW = [
  80, 130, 200, 150, 90, 120, 60, 110, 70, 140, 180, 130, 80, 110, 60, 100, 90, 150, 200, 140, 70, 120, 80, 110, 60,
  130, 190, 150, 80, 120, 70, 100, 70, 140, 200, 130, 90, 110, 80, 120, 40, -30, -90, -180, -120, -60,
] as const;
/** A saw-tooth: the amount rises in steps, and falls at once. */
export const FILLING = [-900, -700, -450, -200, 0, 150, 300, 450, 600, 700] as const;

/** True in the first `alive` blocks of each cycle. A cycle has `cycle` blocks and is shifted by `phase`. */
export function isAlive(height: number, phase: number, cycle: number, alive: number): boolean {
  return (height + phase) % cycle < alive;
}
