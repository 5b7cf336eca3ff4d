// Why a plan rests, and until when. One plan = one origin and key: what the limiter says to one question holds for all.
//
//   open     requests leave
//   resting  none leaves: asks fail at once, or wait where the rest is short
//   probing  a rest without a known end: from time to time one request leaves to see whether it is over
import type { MissReason } from '../../core/model/observation.ts';
import type { Instant } from '../../lib/clock.ts';

const PROBE_EVERY_MS = 600_000;
const LONGEST_MS = 600_000;
const FIRST_BACK_OFF_MS = 1_000;

type PauseReason = 'rate-limited' | 'out-of-credits' | 'no-key' | 'unauthorized';

export interface Rest {
  readonly reason: PauseReason;
  readonly leftMs: number;
}

export interface Pause {
  /** Null when a request may leave. */
  check(now: Instant): Rest | null;
  /** A request leaves: the probe, if one was due, and then the only one. */
  leave(now: Instant): void;
  /** The limiter said it would refuse the next one. */
  restFor(ms: number, now: Instant): void;
  /** How a request ended: null for an answer. `retryAfterMs`: what a 429 announced. */
  settle(reason: MissReason | null, retryAfterMs: number | null, now: Instant): void;
  /** The key changed. */
  end(): void;
}

export function createPause(): Pause {
  let resting: { readonly reason: PauseReason; until: Instant } | null = null;
  let refusals = 0;

  function rest(reason: PauseReason, ms: number, now: Instant): void {
    const until = now + Math.min(ms, LONGEST_MS);
    // A limiter's few seconds do not end a rest for want of credits.
    if (reason === 'rate-limited' && resting !== null && resting.reason !== reason) return;
    if (resting?.reason === reason && resting.until > until) return;
    resting = { reason, until };
  }

  function check(now: Instant): Rest | null {
    if (resting === null) return null;
    // A clock that was set back must not make a rest longer.
    resting.until = Math.min(resting.until, now + LONGEST_MS);
    return resting.until > now ? { reason: resting.reason, leftMs: resting.until - now } : null;
  }

  return {
    check,
    leave(now) {
      if (resting === null) return;
      if (resting.reason === 'rate-limited') resting = null;
      else resting.until = now + PROBE_EVERY_MS;
    },
    restFor(ms, now) {
      rest('rate-limited', ms, now);
    },
    settle(reason, retryAfterMs, now) {
      switch (reason) {
        case 'rate-limited':
          refusals += 1;
          rest(reason, Math.max(retryAfterMs ?? 0, backOff(refusals, retryAfterMs !== null)), now);
          return;
        case 'out-of-credits':
        case 'no-key':
        case 'unauthorized':
          rest(reason, PROBE_EVERY_MS, now);
          return;
        case null:
        case 'not-found':
        case 'unprocessable':
          refusals = 0;
          if (resting !== null && resting.reason !== 'rate-limited') resting = null;
          return;
        default:
          // The probe told nothing: the next ask is a probe again.
          if (resting !== null && resting.reason !== 'rate-limited') resting.until = now;
      }
    },
    end() {
      refusals = 0;
      resting = null;
    },
  };
}

/** Doubling; an announced reset is believed the first time. */
function backOff(refusals: number, isAnnounced: boolean): number {
  if (isAnnounced && refusals === 1) return 0;
  return Math.min(FIRST_BACK_OFF_MS * 2 ** Math.min(refusals - 1, 20), LONGEST_MS);
}
