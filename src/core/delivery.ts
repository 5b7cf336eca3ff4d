// The life of what is owed: due -> sending -> sent, or due again after a wait that grows, or dead.
import { fractionOf } from './identity.ts';
import type { DeliveryId, Instant, Outcome } from './model.ts';

/** How a try is recorded: `dueAt` when it is to be tried again, else it ends as `sent` or `dead`. */
export type Settlement =
  | { readonly state: 'sent'; readonly outcome: Outcome }
  | { readonly state: 'dead'; readonly outcome: Outcome }
  | { readonly state: 'due'; readonly outcome: Outcome; readonly dueAt: Instant };

/** A try that has ended. */
interface Try {
  readonly id: DeliveryId;
  /** 1 = the first. */
  readonly attempt: number;
  readonly createdAt: Instant;
  readonly outcome: Outcome;
  readonly at: Instant;
  readonly giveUpAfterMs: number;
}

/**
 * What follows from a try: 5 s, 30 s, 2, 5, 15, 30 min and then an hour of waiting, give or take a fifth, unless the
 * receiver named its own time (1 s to 1 h). The last try is at the give-up time itself; one that fails then is dead.
 *
 * afterOutcome({ id, attempt: 1, createdAt: 0, outcome: { type: 'again', why: '503', afterMs: 7000 }, at: 0, giveUpAfterMs })
 * // { state: 'due', outcome, dueAt: 7000 }
 */
export function afterOutcome(tried: Try): Settlement {
  const { outcome, at } = tried;
  if (outcome.type === 'sent') return { state: 'sent', outcome };
  if (outcome.type === 'rejected') return { state: 'dead', outcome };
  const giveUpAt = tried.createdAt + tried.giveUpAfterMs;
  if (at >= giveUpAt) return { state: 'dead', outcome };
  return { state: 'due', outcome, dueAt: Math.min(at + waitAfter(tried), giveUpAt) };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];
const SPREAD = 0.2;
/** Between two tries. */
export const LONGEST_WAIT_MS = HOUR * (1 + SPREAD);

function waitAfter({ id, attempt, outcome }: Try): number {
  if (outcome.type === 'again' && outcome.afterMs !== undefined)
    return Math.min(Math.max(outcome.afterMs, SECOND), HOUR);
  const wait = WAITS[attempt - 1] ?? HOUR;
  const atLeast = outcome.type === 'again' ? (outcome.atLeastMs ?? 0) : 0;
  // From the id, so that deliveries that failed together do not come back together, and a test can foretell the time.
  return Math.max(atLeast, Math.round(wait * (1 - SPREAD + 2 * SPREAD * fractionOf(id, attempt))));
}
