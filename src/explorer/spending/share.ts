// A part of all spending, for requests that can wait. It is saved up to a limit, so that no storm of requests follows a
// long pause.
import type { WatchId } from '../../core/model/ids.ts';
import type { SweepTurn } from '../../core/spending/spend.ts';
import type { Instant } from '../../lib/clock.ts';

export interface SpendShare {
  /** Adds the credits that have become available since the last call. */
  save(credits: number): void;
  /** Adds the credits for the time since the last call. */
  saveUntil(now: Instant, creditsPerMs: number): void;
  has(credits: number): boolean;
  /**
   * Like `has`, for watches that take turns. A watch that was refused is served before later ones, if it asked within the
   * last hour. Without turns, the watch that asks first after each refill would take all credits.
   */
  hasInTurn(turn: SweepTurn, credits: number, now: Instant): boolean;
  take(credits: number): void;
}

const WAITS_MS = 3_600_000;

/** `most`: the limit of saved credits. */
export function createShare(
  now: Instant,
  { most, saved }: { readonly most: () => number; readonly saved: number },
): SpendShare {
  let left = saved;
  let countedUntil = now;
  /** The watches that were refused, in the order of their first refusal. */
  const waiting = new Map<WatchId, { readonly page: string; readonly credits: number; readonly at: Instant }>();

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
    hasInTurn({ watch, page }, credits, now) {
      const creditsByPage = new Map<string, number>();
      for (const [one, waits] of waiting) {
        if (one === watch || waits.page === page) break;
        if (now - waits.at <= WAITS_MS) creditsByPage.set(waits.page, waits.credits);
        else waiting.delete(one);
      }
      const before = creditsByPage.values().reduce((sum, one) => sum + one, 0);
      // A page that needs more than is ever saved does not delay others.
      const isEnough = left >= credits && left >= Math.min(credits + before, most());
      // A watch that waits already keeps its place.
      if (!isEnough) waiting.set(watch, { page, credits, at: now });
      else for (const [one, waits] of waiting) if (one === watch || waits.page === page) waiting.delete(one);
      return isEnough;
    },
    take(credits) {
      left -= credits;
    },
  };
}
