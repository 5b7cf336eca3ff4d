// A part of all spending, for requests that can wait. It is saved up to a limit, so that no storm of requests follows a
// long pause.
import type { Instant } from '../../lib/clock.ts';

export interface SpendShare {
  /** Adds the credits that have become available since the last call. */
  save(credits: number): void;
  /** Adds the credits for the time since the last call. */
  saveUntil(now: Instant, creditsPerMs: number): void;
  has(credits: number): boolean;
  /**
   * Like `has`, for lists that take turns. A list that was refused is served before later ones, if it asked within the
   * last hour. Without turns, the list that asks first after each refill would take all credits.
   */
  hasInTurn(of: string, credits: number, now: Instant): boolean;
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
  /** The lists that were refused, in the order of their first refusal. */
  const waiting = new Map<string, { readonly credits: number; readonly at: Instant }>();

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
    hasInTurn(of, credits, now) {
      let before = 0;
      for (const [one, waits] of waiting) {
        if (one === of) break;
        if (now - waits.at <= WAITS_MS) before += waits.credits;
        else waiting.delete(one);
      }
      // A list that needs more than is ever saved does not delay others.
      const isEnough = left >= credits && left >= Math.min(credits + before, most());
      if (isEnough) waiting.delete(of);
      // A list that waits already keeps its place.
      else waiting.set(of, { credits, at: now });
      return isEnough;
    },
    take(credits) {
      left -= credits;
    },
  };
}
