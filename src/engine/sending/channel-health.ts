// The outcomes of attempts on one channel since the start of the process.
import type { Outcome } from '../../core/model/delivery.ts';
import type { Clock, Instant } from '../../lib/clock.ts';

export interface ChannelHealth {
  /** The time at which a receiver last accepted a message; null: not since the start. */
  readonly lastSentAt: Instant | null;
  /** The time since which all attempts have failed; null: the last one was accepted, or there was none. */
  readonly failingSince: Instant | null;
  /** The failure of the last attempt; null if it did not fail. */
  readonly lastFailure: string | null;
  /**
   * The receiver refuses the daemon's credentials, or does not exist any more; null if the last attempts show neither.
   */
  readonly refusal: { readonly since: Instant; readonly why: string } | null;
}

export interface ChannelHealthRecord {
  ended(outcome: Outcome): void;
  now(): ChannelHealth;
}

/** The health before the first attempt. */
export const UNTRIED: ChannelHealth = { lastSentAt: null, failingSince: null, lastFailure: null, refusal: null };

export function createChannelHealth(clock: Pick<Clock, 'now'>): ChannelHealthRecord {
  let health = UNTRIED;
  return {
    ended(outcome) {
      const now = clock.now();
      health = outcome.type === 'sent' ? { ...UNTRIED, lastSentAt: now } : failed(health, outcome, now);
    },
    now: () => health,
  };
}

function failed(before: ChannelHealth, outcome: Exclude<Outcome, { type: 'sent' }>, now: Instant): ChannelHealth {
  const { why } = outcome;
  const isRefused = outcome.type === 'again' && outcome.auth === true;
  const refusal = isRefused ? { since: before.refusal?.since ?? now, why } : before.refusal;
  return { ...before, failingSince: before.failingSince ?? now, lastFailure: why, refusal };
}
