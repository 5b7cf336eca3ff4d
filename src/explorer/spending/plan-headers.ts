// The headers of an answer about the plan. A missing or invalid value is null, and so is a limiter's -1; the credits of
// an overdrawn plan are below zero.
import type { IncomingHttpHeaders } from 'node:http';
import type { Instant } from '../../lib/clock.ts';

export interface PlanHeaders {
  /** Servers send decimal text, below zero for an overdrawn plan. */
  readonly credits: number | null;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Milliseconds until the limiter allows more. `Retry-After` wins over the reset. */
  readonly resetMs: number | null;
}

export function readPlanHeaders(headers: IncomingHttpHeaders, now: Instant): PlanHeaders {
  return {
    credits: decimal(headers['x-credits-remaining']),
    limit: count(headers['x-ratelimit-limit']),
    remaining: count(headers['x-ratelimit-remaining']),
    resetMs: plausible(readRetryAfter(headers, now)) ?? plausible(readReset(headers, now)),
  };
}

/** `Retry-After`, in seconds or as a date, in milliseconds from now; null if there is no valid one. */
export function readRetryAfter(headers: IncomingHttpHeaders, now: Instant): number | null {
  const text = headers['retry-after'];
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Milliseconds by the specification; other limiters send a moment, in seconds or milliseconds since 1970. */
function readReset(headers: IncomingHttpHeaders, now: Instant): number | null {
  const reset = count(headers['x-ratelimit-reset']);
  if (reset === null) return null;
  const digits = String(reset).length;
  if (digits === 10) return reset * 1000 - now;
  return digits === 13 ? reset - now : reset;
}

const LONGEST_WAIT_MS = 600_000;

/**
 * Windows of limiters are short. A longer or past time means another unit, another clock, or a broken limiter, so it is
 * null.
 */
function plausible(ms: number | null): number | null {
  return ms !== null && ms > 0 && ms <= LONGEST_WAIT_MS ? ms : null;
}

function count(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

function decimal(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^-?\d{1,18}(?:\.\d{1,18})?$/.test(value) ? Number(value) : null;
}
