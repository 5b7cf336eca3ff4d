// Requests per second and credits, as the multichain form counts them (specification 8).
import type { Clock, Instant } from '../lib/clock.ts';

/** The credits are refilled once in each period, by default at its start in UTC. */
export interface Limits {
  readonly requestsPerSecond: number;
  readonly credits: number;
  readonly per: 'day' | 'month';
  /** Milliseconds after midnight UTC, or a day of the month; null: midnight, or the first. */
  readonly resets:
    { readonly type: 'time'; readonly ms: number } | { readonly type: 'day'; readonly day: number } | null;
}

export const DEFAULT_LIMITS: Limits = { requestsPerSecond: 50, credits: 1_000_000_000, per: 'day', resets: null };

/** Credits of the key, spent by any program. */
export interface Credits {
  left(): number;
  spend(credits: number): void;
}

export function createCredits(clock: Clock, limits: Limits): Credits {
  let left = limits.credits;
  let period = periodAt(limits, clock.now());

  function turn(): void {
    const now = periodAt(limits, clock.now());
    if (now === period) return;
    left = limits.credits;
    period = now;
  }

  return {
    left() {
      turn();
      return left;
    },
    spend(credits) {
      turn();
      left -= credits;
    },
  };
}

export interface Admission {
  readonly refused: 'rate' | 'credits' | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Meter {
  /** Counts one request. A refused one costs no credits. */
  admit(price: number): Admission;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

export interface MeterOptions {
  readonly clock: Clock;
  readonly requestsPerSecond: number;
  /** Null if no credits are counted. */
  readonly credits: Credits | null;
  /** Makes the headers of an answer. Called for every request. */
  readonly headers: (left: Left) => Readonly<Record<string, string>>;
}

export interface Left {
  readonly limit: number;
  readonly requests: number;
  /** Milliseconds until the window of the rate limit ends. */
  readonly resetMs: number;
  readonly credits: number;
}

export function createMeter({ clock, requestsPerSecond, credits, headers }: MeterOptions): Meter {
  const second = { number: -1, used: 0 };
  return {
    admit(price) {
      const now = clock.now();
      turn(second, Math.floor(now / SECOND_MS));
      const refused = refusalOf(second.used >= requestsPerSecond, credits !== null && credits.left() < price);
      if (refused === null) {
        second.used += 1;
        credits?.spend(price);
      }
      const requests = Math.max(0, requestsPerSecond - second.used);
      const resetMs = Math.ceil(SECOND_MS - (now % SECOND_MS));
      return {
        refused,
        headers: headers({ limit: requestsPerSecond, requests, resetMs, credits: credits?.left() ?? 0 }),
      };
    },
  };
}

function turn(window: { number: number; used: number }, number: number): void {
  if (window.number === number) return;
  window.number = number;
  window.used = 0;
}

function refusalOf(isTooFast: boolean, isTooDear: boolean): Admission['refused'] {
  if (isTooFast) return 'rate';
  return isTooDear ? 'credits' : null;
}

/** The number of the period that a moment is in. */
function periodAt({ per, resets }: Limits, at: Instant): number {
  if (per === 'day') return Math.floor((at - (resets?.type === 'time' ? resets.ms : 0)) / DAY_MS);
  const date = new Date(at);
  const isBefore = resets?.type === 'day' && date.getUTCDate() < resets.day;
  return date.getUTCFullYear() * 12 + date.getUTCMonth() - (isBefore ? 1 : 0);
}
