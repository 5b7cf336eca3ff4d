// The pauses of a plan: the reason and the end of each. One plan = one origin and key, so an answer of the limiter holds
// for all of its requests.
//
//   open      requests are sent
//   resting   no request is sent: requests fail at once, or wait if the pause is short
//   probing   after a refusal for lack of credits or of a key, which has no known end: one request alone is under way,
//             to check whether the refusal is over; all others wait for its result
//
// A limiter's pause ends by time. A refusal ends when a probe is answered; answers to requests that were sent earlier
// do not count.
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

/** The end of a request that was sent. */
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

export class RequestGate {
  #limitedUntil: Instant = -Infinity;
  #limits = 0;
  #refused: Refused | null = null;
  #probe: Probe | null = null;
  #said: { readonly credits: number; readonly at: Instant } | null = null;
  #hasWorked = false;

  check(now: Instant): Gate {
    if (this.#probe !== null) return { type: 'probing', ended: this.#probe.ended };
    // A clock that was set back must not prolong a pause.
    this.#limitedUntil = Math.min(this.#limitedUntil, now + LONGEST_MS);
    if (this.#refused !== null) this.#refused.until = Math.min(this.#refused.until, now + LONGEST_MS);
    const rest = this.#restOf();
    return rest.nextAt > now ? { type: 'resting', rest, leftMs: rest.nextAt - now } : { type: 'open' };
  }

  /** Called when a request is sent while the gate is open. Returns true if it is a probe. */
  leave(): boolean {
    if (this.#refused === null) return false;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const end = (): void => {
      resolve(undefined);
    };
    this.#probe = { ended: promise, end };
    return true;
  }

  /** Pauses because the limiter announced that it will refuse the next request. */
  restFor(ms: number, now: Instant): void {
    this.#limitedUntil = Math.max(this.#limitedUntil, now + Math.min(ms, LONGEST_MS));
  }

  settle(settled: Settled, now: Instant): void {
    if (settled.credits !== null) this.#said = { credits: settled.credits, at: now };
    this.#settleReason(settled, now);
    if (!settled.isProbe) return;
    this.#probe?.end();
    this.#probe = null;
  }

  /** The present pause, with its reason; null: there is none. */
  rest(now: Instant): PlanRest | null {
    return this.#refused === null && this.#limitedUntil <= now ? null : this.#restOf();
  }

  #restOf(): PlanRest {
    const nextAt = Math.max(this.#limitedUntil, this.#refused?.until ?? -Infinity);
    return { reason: this.#refused?.reason ?? 'rate-limited', doubt: this.#refused?.doubt ?? null, nextAt };
  }

  #refuse(reason: RefusalReason, { price, refill }: Settled, now: Instant): void {
    const credits = this.#said !== null && now - this.#said.at <= LONGEST_SAID_MS ? this.#said.credits : null;
    const doubt = doubtOf(reason, { credits, price, hasWorked: this.#hasWorked, refill });
    const isDoubted = doubt !== null;
    const goesOn = this.#refused?.reason === reason && (this.#refused.doubt !== null) === isDoubted;
    const count = goesOn ? (this.#refused?.count ?? 0) + 1 : 1;
    this.#refused = { reason, doubt, count, until: now + probeAfterMs({ reason, isDoubted, count, refill }, now) };
  }

  #answered(isProbe: boolean): void {
    this.#limits = 0;
    if (this.#refused !== null && !isProbe) return;
    this.#hasWorked = true;
    this.#refused = null;
  }

  #settleReason(settled: Settled, now: Instant): void {
    const { reason, retryAfterMs, isProbe } = settled;
    switch (reason) {
      case 'rate-limited':
        this.#limits += 1;
        this.restFor(Math.max(retryAfterMs ?? 0, backOff(this.#limits, retryAfterMs !== null)), now);
        return;
      case 'out-of-credits':
      case 'no-key':
      case 'unauthorized':
        // A request that was sent before the pause does not count as a failed probe.
        if (this.#refused === null || isProbe) this.#refuse(reason, settled, now);
        return;
      case null:
      case 'not-found':
      case 'unprocessable':
        this.#answered(isProbe);
        return;
      default:
        // The probe was inconclusive, so the next request is a probe again.
        if (this.#refused !== null && isProbe) this.#refused.until = now;
    }
  }
}

/** The wait after a 429, which doubles each time. For the first 429 an announced reset is enough. */
function backOff(limits: number, isAnnounced: boolean): number {
  if (isAnnounced && limits === 1) return 0;
  return Math.min(FIRST_BACK_OFF_MS * 2 ** Math.min(limits - 1, 20), LONGEST_MS);
}
