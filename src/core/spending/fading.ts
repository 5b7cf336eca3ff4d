// Sums that fade: after the half-life, half of an added amount is left. A steady rate keeps its value.
import type { Instant } from '../../lib/clock.ts';

export interface Fading {
  readonly sum: number;
  readonly at: Instant;
}

export const NOTHING_FADING: Fading = { sum: 0, at: 0 };

/** The sum at `now`. If the clock was set back, nothing fades. */
export function sumAt({ sum, at }: Fading, now: Instant, halfLifeMs: number): number {
  return sum * 2 ** (-Math.max(0, now - at) / halfLifeMs);
}

export function added(fading: Fading, amount: number, now: Instant, halfLifeMs: number): Fading {
  return { sum: sumAt(fading, now, halfLifeMs) + amount, at: now };
}

/** The rate in a millisecond. */
export function rateAt(fading: Fading, now: Instant, halfLifeMs: number): number {
  return (sumAt(fading, now, halfLifeMs) * Math.LN2) / halfLifeMs;
}
