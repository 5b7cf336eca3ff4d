// A part of all that is spent, for what may wait: saved up to a limit, so that a long rest is not followed by a storm.
import type { Instant } from '../../lib/clock.ts';

export interface SpendShare {
  /** It grew by that much since it was looked at last. */
  save(credits: number): void;
  /** The same, by time. */
  saveUntil(now: Instant, creditsPerMs: number): void;
  has(credits: number): boolean;
  take(credits: number): void;
}

/** `most`: what is saved at most. */
export function createShare(
  now: Instant,
  { most, saved }: { readonly most: () => number; readonly saved: number },
): SpendShare {
  let left = saved;
  let countedUntil = now;

  function save(credits: number): void {
    left = Math.min(most(), left + credits);
  }

  return {
    save,
    saveUntil(at, creditsPerMs) {
      save(Math.max(0, at - countedUntil) * creditsPerMs);
      countedUntil = at;
    },
    has: (credits) => left >= credits,
    take(credits) {
      left -= credits;
    },
  };
}
