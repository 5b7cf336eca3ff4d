// What an answer's headers say about the plan (specification, section 8). Nonsense and silence are "not known", and
// so is a limiter's -1; the credits of an overdrawn plan are below zero.
import type { IncomingHttpHeaders } from 'node:http';
import type { Instant } from '../../lib/clock.ts';

export interface PlanHeaders {
  /** Decimal text in life, and below zero when a plan is overdrawn. */
  readonly credits: number | null;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Milliseconds to the end of the limiter's window. */
  readonly resetMs: number | null;
}

export function readPlanHeaders(headers: IncomingHttpHeaders): PlanHeaders {
  return {
    credits: decimal(headers['x-credits-remaining']),
    limit: count(headers['x-ratelimit-limit']),
    remaining: count(headers['x-ratelimit-remaining']),
    resetMs: count(headers['x-ratelimit-reset']),
  };
}

/** `Retry-After`, in seconds or as a date, in milliseconds from now; null when it says nothing. */
export function readRetryAfter(headers: IncomingHttpHeaders, now: Instant): number | null {
  const text = headers['retry-after'];
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

function count(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

function decimal(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^-?\d{1,18}(?:\.\d{1,18})?$/.test(value) ? Number(value) : null;
}
