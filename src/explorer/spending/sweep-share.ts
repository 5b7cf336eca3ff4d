// What may be spent on reading known rows again: a tenth of the plan, or of all other requests where there is no plan.
import type { Clock } from '../../lib/clock.ts';

export interface SweepShare {
  /** Something else was asked, at that price. */
  asked(credits: number): void;
  /** Whether a page may be read again now; takes its price. */
  take(credits: number): boolean;
}

export interface SweepShareOptions {
  readonly clock: Clock;
  /** What the plan gives in a millisecond; null = no plan is known. */
  readonly creditsPerMs: number | null;
}

const SHARE = 0.1;
/** Saved up at most, so that a long rest is not followed by a storm: that many pages at the highest price. */
const MOST_SAVED = 50 * 40;

/** Begins with nothing, so that the share holds from the start. */
export function createSweepShare({ clock, creditsPerMs }: SweepShareOptions): SweepShare {
  let saved = 0;
  let countedUntil = clock.now();

  function save(credits: number): void {
    saved = Math.min(MOST_SAVED, saved + credits * SHARE);
  }

  function countPlan(): void {
    const now = clock.now();
    if (creditsPerMs !== null) save(Math.max(0, now - countedUntil) * creditsPerMs);
    countedUntil = now;
  }

  return {
    asked(credits) {
      if (creditsPerMs === null) save(credits);
    },
    take(credits) {
      countPlan();
      if (saved < credits) return false;
      saved -= credits;
      return true;
    },
  };
}
