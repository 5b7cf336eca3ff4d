// The result of an attempt to send a delivery: the delivery ends, or is due again after a growing wait.
import type { Instant } from '../lib/clock.ts';
import type { Outcome, Settlement } from './model/delivery.ts';
import type { DeliveryId } from './model/ids.ts';
import { fractionOf } from './model/watch/identity.ts';

/** An attempt to send that has ended. */
interface Try {
  readonly id: DeliveryId;
  /** 1 is the first attempt. Attempts outside the delivery's own schedule are not counted. */
  readonly attempt: number;
  /** The number of rejected attempts, including this one. */
  readonly rejections: number;
  /** The time for which the delivery was pending and could be tried. */
  readonly ageMs: number;
  readonly outcome: Outcome;
  readonly at: Instant;
  readonly giveUpAfterMs: number;
}

/**
 * A delivery is given up only after this many attempts, however old it is, so a single refusal after a long stop does
 * not end it.
 */
export const FEWEST_TRIES = 12;

/**
 * The state after an attempt. The waits are 5 s, 30 s, 2, 5, 15, 30 min and then an hour, give or take a fifth. If the
 * receiver named a wait (1 s to 1 h), that wait is used. A delivery is given up when its age has reached
 * `giveUpAfterMs` and it was tried `FEWEST_TRIES` times. So the last attempt is at that age, or it is the twelfth,
 * whichever is later. A rejected delivery is tried again after 5 and after another 25 min, since receivers also reject
 * while they are being changed; the third rejection ends it.
 *
 * const outcome = { type: 'again', why: '503', afterMs: 7000 }
 * afterOutcome({ id, attempt: 1, rejections: 0, ageMs: 0, outcome, at: 0, giveUpAfterMs })
 * // { state: 'due', outcome, dueAt: 7000 }
 */
export function afterOutcome(tried: Try): Settlement {
  const { outcome, at } = tried;
  if (outcome.type === 'sent') return { state: 'sent', outcome };
  if (outcome.type === 'rejected') return afterRejection(tried);
  const leftMs = tried.giveUpAfterMs - tried.ageMs;
  if (leftMs <= 0 && tried.attempt >= FEWEST_TRIES) return { state: 'dead', outcome };
  const waitMs = waitAfter(tried);
  return { state: 'due', outcome, dueAt: at + (leftMs > 0 ? Math.min(waitMs, leftMs) : waitMs) };
}

function afterRejection(tried: Try): Settlement {
  const { outcome, rejections } = tried;
  const wait = REJECTED_WAITS[rejections - 1];
  return wait === undefined
    ? { state: 'dead', outcome }
    : { state: 'due', outcome, dueAt: tried.at + spread(wait, tried) };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];
/** The waits after the first and the second rejection. */
const REJECTED_WAITS = [5 * MINUTE, 25 * MINUTE];
const SPREAD = 0.2;
/** The longest wait between two attempts. */
export const LONGEST_WAIT_MS = HOUR * (1 + SPREAD);
/**
 * The longest wait between two attempts for a message that blocks a later one about the same alert, while its receiver
 * accepts other messages.
 */
export const AWAITED_WAIT_MS = 5 * MINUTE;

/** The wait that the receiver named, 1 s to 1 h; null: it named none. */
export function namedWaitOf(outcome: Outcome): number | null {
  if (outcome.type !== 'again' || outcome.afterMs === undefined) return null;
  return Math.min(Math.max(outcome.afterMs, SECOND), HOUR);
}

function waitAfter(tried: Try): number {
  const { attempt, outcome } = tried;
  const namedMs = namedWaitOf(outcome);
  if (namedMs !== null) return namedMs;
  const wait = WAITS[attempt - 1] ?? HOUR;
  const atLeast = outcome.type === 'again' ? (outcome.atLeastMs ?? 0) : 0;
  return Math.max(atLeast, spread(wait, tried));
}

// The spread is computed from the id. So deliveries that failed together are not due together, and tests can compute
// the time.
function spread(waitMs: number, { id, attempt }: Try): number {
  return Math.round(waitMs * (1 - SPREAD + 2 * SPREAD * fractionOf(id, attempt)));
}
