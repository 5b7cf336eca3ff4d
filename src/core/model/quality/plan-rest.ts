// The reason why the daemon sends no requests under a plan for the moment. A plan is one origin with one key.
import { causeWords } from './blind-cause.ts';
import { showInstant, type Instant } from '../../../lib/clock.ts';

export type RefusalReason = 'out-of-credits' | 'no-key' | 'unauthorized';

export interface PlanRest {
  readonly reason: RefusalReason | 'rate-limited';
  /** The reason why the refusal is not believed, as in `90,000 credits were left`; null = it is believed. */
  readonly doubt: string | null;
  /** The time of the next request. After a refusal only one is sent, to check whether the refusal is over. */
  readonly nextAt: Instant;
}

/** `the API key is rejected (401), doubted (the key has worked since the start), asked next at 2026-01-01T00:00:05Z` */
export function showRest({ reason, doubt, nextAt }: PlanRest): string {
  const doubted = doubt === null ? '' : `, doubted (${doubt})`;
  return `${causeWords(reason)}${doubted}, asked next at ${showInstant(Math.ceil(nextAt / 1000) * 1000)}`;
}
