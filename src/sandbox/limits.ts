// Requests per second and credits, as the multichain form counts them (specification 8).
import type { Clock } from '../lib/clock.ts';

export interface Limits {
  readonly requestsPerSecond: number;
  /** Per day, from midnight UTC on. */
  readonly credits: number;
}

export const DEFAULT_LIMITS: Limits = { requestsPerSecond: 50, credits: 1_000_000_000 };

export interface Admission {
  readonly refused: 'rate' | 'credits' | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Meter {
  /** Counts one request. A refused one costs no credits. */
  admit(credits: number): Admission;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

export interface MeterOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly countsCredits: boolean;
  /** Headers from what is left; called for every request. */
  readonly headers: (left: Left) => Readonly<Record<string, string>>;
}

export interface Left {
  readonly limit: number;
  readonly requests: number;
  /** Until the window of the rate limit ends. */
  readonly resetMs: number;
  readonly credits: number;
}

export function createMeter({ clock, limits, countsCredits, headers }: MeterOptions): Meter {
  const second = { number: -1, used: 0 };
  const day = { number: -1, used: 0 };
  return {
    admit(credits) {
      const now = clock.now();
      turn(second, Math.floor(now / SECOND_MS));
      turn(day, Math.floor(now / DAY_MS));
      const refused = decide(limits, second.used, countsCredits ? day.used + credits : 0);
      if (refused === null) {
        second.used += 1;
        day.used += credits;
      }
      const { requestsPerSecond: limit } = limits;
      const requests = Math.max(0, limit - second.used);
      const resetMs = Math.ceil(SECOND_MS - (now % SECOND_MS));
      return { refused, headers: headers({ limit, requests, resetMs, credits: limits.credits - day.used }) };
    },
  };
}

function turn(window: { number: number; used: number }, number: number): void {
  if (window.number === number) return;
  window.number = number;
  window.used = 0;
}

function decide(limits: Limits, requests: number, credits: number): Admission['refused'] {
  if (requests >= limits.requestsPerSecond) return 'rate';
  return credits > limits.credits ? 'credits' : null;
}
