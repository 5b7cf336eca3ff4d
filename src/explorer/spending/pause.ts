// The pauses of a plan: why, and until when. One plan = one origin and key, so an answer of the limiter holds for all
// of its requests.
//
//   open      requests leave
//   resting   none leaves: requests fail at once, or wait if the pause is short
//   probing   after a refusal for want of credits or a key, which has no known end: one request alone is under way to see
//             whether it is over; all others wait for its end
//
// A limiter's pause ends by time. A refusal ends when a probe is answered; answers to requests that left earlier do not
// count.
import type { MissReason } from '../../core/model/observation.ts';
import type { PlanRest, RefusalReason } from '../../core/model/quality/plan-rest.ts';
import type { Instant } from '../../lib/clock.ts';
import { doubtOf, probeAfterMs, type Refill } from './refusals.ts';

const LONGEST_MS = 600_000;
/** An older header is outdated: other programs may have used the credits since. */
const LONGEST_SAID_MS = 600_000;
const FIRST_BACK_OFF_MS = 1_000;

export type Gate =
  | { readonly type: 'open' }
  | { readonly type: 'resting'; readonly rest: PlanRest; readonly leftMs: number }
  | { readonly type: 'probing'; readonly ended: Promise<unknown> };

/** How a request ended that left. */
export interface Settled {
  readonly isProbe: boolean;
  /** Null for an answer; `cut-off`: the request was aborted. */
  readonly reason: MissReason | 'cut-off' | null;
  /** The wait that a 429 announced. */
  readonly retryAfterMs: number | null;
  /** The credits in the answer's header; null = it has none. */
  readonly credits: number | null;
  readonly price: number;
  readonly refill: Refill;
}

export interface RequestGate {
  check(now: Instant): Gate;
  /** A request leaves while the gate is open. Returns true if it is a probe. */
  leave(): boolean;
  /** Pauses because the limiter announced that it will refuse the next request. */
  restFor(ms: number, now: Instant): void;
  settle(settled: Settled, now: Instant): void;
  /** Why requests do not leave freely; null while they do. */
  rest(now: Instant): PlanRest | null;
}

interface Refused {
  readonly reason: RefusalReason;
  readonly doubt: string | null;
  readonly count: number;
  until: Instant;
}

interface Probe {
  readonly ended: Promise<unknown>;
  readonly end: () => void;
}

export function createPause(): RequestGate {
  let limitedUntil: Instant = -Infinity;
  let limits = 0;
  let refused: Refused | null = null;
  let probe: Probe | null = null;
  let said: { readonly credits: number; readonly at: Instant } | null = null;
  let hasWorked = false;

  function restOf(): PlanRest {
    const nextAt = Math.max(limitedUntil, refused?.until ?? -Infinity);
    return { reason: refused?.reason ?? 'rate-limited', doubt: refused?.doubt ?? null, nextAt };
  }

  function limit(ms: number, now: Instant): void {
    limitedUntil = Math.max(limitedUntil, now + Math.min(ms, LONGEST_MS));
  }

  function refuse(reason: RefusalReason, { price, refill }: Settled, now: Instant): void {
    const credits = said !== null && now - said.at <= LONGEST_SAID_MS ? said.credits : null;
    const doubt = doubtOf(reason, { credits, price, hasWorked, refill });
    const isDoubted = doubt !== null;
    const goesOn = refused?.reason === reason && (refused.doubt !== null) === isDoubted;
    const count = goesOn ? (refused?.count ?? 0) + 1 : 1;
    refused = { reason, doubt, count, until: now + probeAfterMs({ reason, isDoubted, count, refill }, now) };
  }

  function answered(isProbe: boolean): void {
    limits = 0;
    if (refused !== null && !isProbe) return;
    hasWorked = true;
    refused = null;
  }

  function settleReason(settled: Settled, now: Instant): void {
    const { reason, retryAfterMs, isProbe } = settled;
    switch (reason) {
      case 'rate-limited':
        limits += 1;
        limit(Math.max(retryAfterMs ?? 0, backOff(limits, retryAfterMs !== null)), now);
        return;
      case 'out-of-credits':
      case 'no-key':
      case 'unauthorized':
        // A request that left before the pause does not count as a failed probe.
        if (refused === null || isProbe) refuse(reason, settled, now);
        return;
      case null:
      case 'not-found':
      case 'unprocessable':
        answered(isProbe);
        return;
      default:
        // The probe was inconclusive, so the next request is a probe again.
        if (refused !== null && isProbe) refused.until = now;
    }
  }

  return {
    check(now) {
      if (probe !== null) return { type: 'probing', ended: probe.ended };
      // A clock that was set back must not prolong a pause.
      limitedUntil = Math.min(limitedUntil, now + LONGEST_MS);
      if (refused !== null) refused.until = Math.min(refused.until, now + LONGEST_MS);
      const rest = restOf();
      return rest.nextAt > now ? { type: 'resting', rest, leftMs: rest.nextAt - now } : { type: 'open' };
    },
    leave() {
      if (refused === null) return false;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const end = (): void => {
        resolve(undefined);
      };
      probe = { ended: promise, end };
      return true;
    },
    restFor: limit,
    settle(settled, now) {
      if (settled.credits !== null) said = { credits: settled.credits, at: now };
      settleReason(settled, now);
      if (!settled.isProbe) return;
      probe?.end();
      probe = null;
    },
    rest: (now) => (refused === null && limitedUntil <= now ? null : restOf()),
  };
}

/** Doubling; an announced reset is believed the first time. */
function backOff(limits: number, isAnnounced: boolean): number {
  if (isAnnounced && limits === 1) return 0;
  return Math.min(FIRST_BACK_OFF_MS * 2 ** Math.min(limits - 1, 20), LONGEST_MS);
}
