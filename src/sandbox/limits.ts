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
  /** `x-ratelimit-*` and `x-credits-remaining` where credits are counted: the per-instance form says nothing. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Meter {
  /** Counts one request. A refused one costs no credits. */
  admit(credits: number): Admission;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

export function createMeter(clock: Clock, limits: Limits, countsCredits: boolean): Meter {
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
      if (!countsCredits) return { refused, headers: {} };
      const rate = rateHeaders(limits, second.used, SECOND_MS - (now % SECOND_MS));
      return { refused, headers: { ...rate, 'x-credits-remaining': String(limits.credits - day.used) } };
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

/** The reset is in milliseconds (specification 8). */
function rateHeaders({ requestsPerSecond }: Limits, used: number, resetMs: number): Record<string, string> {
  return {
    'x-ratelimit-limit': String(requestsPerSecond),
    'x-ratelimit-remaining': String(Math.max(0, requestsPerSecond - used)),
    'x-ratelimit-reset': String(Math.ceil(resetMs)),
  };
}
