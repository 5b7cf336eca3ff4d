import type { Left } from '../limits.ts';
import type { Dialect } from './dialect.ts';

type Headers = Readonly<Record<string, string>>;

/** Specification 8: integers, the reset in milliseconds. In practice credits are a decimal. */
export function multichainHeaders({ release }: Dialect, left: Left): Headers {
  return { ...rateHeaders(left), 'x-credits-remaining': `${left.credits}${release === null ? '' : '.0'}` };
}

/** By the specification, the per-instance form has no such headers. */
export function instanceHeaders({ reportsLimits }: Dialect, left: Left): Headers {
  return reportsLimits ? { ...rateHeaders(left), 'bypass-429-option': 'no_bypass' } : {};
}

function rateHeaders({ limit, requests, resetMs }: Left): Headers {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(requests),
    'x-ratelimit-reset': String(resetMs),
  };
}
