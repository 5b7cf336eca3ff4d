// Judges refusals because of missing credits or a missing key, and decides when a probe is sent: one request that shows
// whether the refusals are over. A single wrong answer of a proxy must not stop the polls of all watches of the plan.
// So a refusal that contradicts the known facts is doubted and soon checked again.
import type { RefusalReason } from '../../core/model/quality/plan-rest.ts';
import type { Instant } from '../../lib/clock.ts';

/** The facts about the plan at the time of the refusal. */
export interface PlanEvidence {
  /**
   * The credits in the last header, which may be that of the refusal itself; null = no recent answer had this header.
   */
  readonly credits: number | null;
  /** Price of the request that was refused. */
  readonly price: number;
  /** True if a request was answered since the start. */
  readonly hasWorked: boolean;
  readonly refill: Refill;
}

/** The next refill of a plan's credits, as far as it is known. */
export interface Refill {
  readonly at: Instant;
  /** True if the refill was expected a moment ago, but no header has shown more credits since. */
  readonly isUnderWay: boolean;
}

/** If the last header has credits for this many calls, it contradicts "out of credits". */
const LEAST_CALLS_LEFT = 20;

/** The reason why a refusal is doubted, for people; null = it is not doubted. */
export function doubtOf(reason: RefusalReason, { credits, price, hasWorked, refill }: PlanEvidence): string | null {
  if (reason !== 'out-of-credits') return hasWorked ? 'the key has worked since the start' : null;
  if (refill.isUnderWay) return 'the plan is refilled about now';
  if (credits === null || credits < LEAST_CALLS_LEFT * price) return null;
  return `${Math.floor(credits).toLocaleString('en-US')} credits were left`;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DOUBTED_MS = [5 * SECOND_MS, 15 * SECOND_MS, 45 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];
const NEVER_WORKED_MS = [30 * SECOND_MS, 2 * MINUTE_MS];
export const PROBE_EVERY_MS = 10 * MINUTE_MS;
/** The probe is sent this long after the refill, since the explorer's clock may be late. */
const AFTER_REFILL_MS = 5 * SECOND_MS;

export interface PlanRefusal {
  readonly reason: RefusalReason;
  readonly isDoubted: boolean;
  /** The number of refusals in a row, this one included. */
  readonly count: number;
  readonly refill: Refill;
}

/** The wait before the next probe. */
export function probeAfterMs({ reason, isDoubted, count, refill }: PlanRefusal, now: Instant): number {
  if (isDoubted) return DOUBTED_MS[count - 1] ?? PROBE_EVERY_MS;
  if (reason !== 'out-of-credits') return NEVER_WORKED_MS[count - 1] ?? PROBE_EVERY_MS;
  return Math.min(PROBE_EVERY_MS, Math.max(0, refill.at - now) + AFTER_REFILL_MS);
}
