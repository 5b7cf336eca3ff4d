// The record of requests to one host: can it be reached from here?
import { reachabilityAfter, type Reachability } from '../core/model/quality/reachability.ts';
import type { Clock } from '../lib/clock.ts';
import { RequestFault } from './http/fault.ts';
import type { HttpTransport } from './http/http-transport.ts';

export interface ReachRecord {
  now(): Reachability;
  /** The given transport, but each request is recorded. */
  noting(transport: HttpTransport): HttpTransport;
}

export function createReachRecord(clock: Clock): ReachRecord {
  let reachability: Reachability = { type: 'unknown' };

  const noteEnd = (error: unknown): void => {
    const end = endOf(error);
    if (end !== null) reachability = reachabilityAfter(reachability, end, clock.monotonic());
  };

  return {
    now: () => reachability,
    noting: (transport) => ({
      ...transport,
      async get(...args) {
        try {
          const answer = await transport.get(...args);
          noteEnd(null);
          return answer;
        } catch (error) {
          noteEnd(error);
          throw error;
        }
      },
    }),
  };
}

/** Null: the request shows neither, for example if the host received it but did not answer in time. */
function endOf(error: unknown): 'answered' | 'unreached' | null {
  if (error === null) return 'answered';
  if (!(error instanceof RequestFault)) return null;
  if (error.isUnreached) return 'unreached';
  return error.reason === 'timeout' || error.reason === 'unauthorized' ? null : 'answered';
}
