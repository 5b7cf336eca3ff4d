// Records whether one host can be reached from here, as its requests show.
import { reachabilityAfter, type Reachability } from '../core/model/quality/reachability.ts';
import type { Clock } from '../lib/clock.ts';
import { RequestFault } from './http/fault.ts';
import type { HttpTransport } from './http/http-transport.ts';

export interface ReachRecord {
  now(): Reachability;
  /** Returns a transport that sends through the given one and records each request. */
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
      async send(...args) {
        try {
          const answer = await transport.send(...args);
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

/**
 * Null: the request does not show whether the host can be reached. Examples: the answer did not come in time, or the
 * request was not sent (`unauthorized`).
 */
function endOf(error: unknown): 'answered' | 'unreached' | null {
  if (error === null) return 'answered';
  if (!(error instanceof RequestFault)) return null;
  if (error.isUnreached) return 'unreached';
  return error.reason === 'timeout' || error.reason === 'unauthorized' ? null : 'answered';
}
