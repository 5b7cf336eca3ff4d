// Judges one item for an `on:` alert.
import type { Amount } from '../../values/amount.ts';
import { exactOf, recordTypeOf, valueAt } from '../../values/fields.ts';
import type { DetectedEvent } from '../../model/detection.ts';
import type { Truth } from '../../model/ids.ts';
import type { Condition, EvaluationContext } from '../../model/watch/condition.ts';
import type { CountAlert, EventAlert } from '../../model/watch/watch.ts';
import type { Instant } from '../../../lib/clock.ts';
import { readsMissing, type AlertPoll } from '../alert-evaluation.ts';
import { viewOf, type Remembered } from '../../values/tracked.ts';

export type MatchingAlert = EventAlert | CountAlert;

/** The result for one item. `isHit`: it is counted as matching. */
export interface ItemJudgement {
  readonly truth: Truth;
  readonly isHit: boolean;
}

/**
 * True if the item matches; for a ratio or items in a row, if it is one of the counted items, matching or not. Unknown
 * while the amount that it adds is unknown. An item that has no such amount, such as a call of another function, adds
 * nothing.
 */
export function truthOf(poll: AlertPoll, alert: MatchingAlert, context: EvaluationContext): Truth {
  return judgeItem(poll, alert, context).truth;
}

export function judgeItem(poll: AlertPoll, alert: MatchingAlert, context: EvaluationContext): ItemJudgement {
  if (isSpent(poll, alert)) return { truth: 'unknown', isHit: false };
  const truth = holds(poll, alert.if, context);
  const fires = alert.type === 'count' ? alert.fires : null;
  if (fires?.type === 'sum' && truth === true && amountAt(context, fires.path) === undefined)
    return { truth: lacksAmount(poll, fires.path, context) ? false : 'unknown', isHit: true };
  if (fires?.type === 'in-a-row') return { truth: truth === 'unknown' ? truth : true, isHit: truth === true };
  if (fires?.type !== 'ratio') return { truth, isHit: true };
  const counts = holds(poll, fires.of, context);
  return { truth: counts === true && truth === 'unknown' ? 'unknown' : counts, isHit: truth === true };
}

function lacksAmount({ watch }: AlertPoll, path: string, { view }: EvaluationContext): boolean {
  const { lacking } = watch.kind.fields;
  return lacking !== null && lacking.covers(path) && lacking.lacks(view, path);
}

/** Without a condition everything matches. */
export function holds(poll: AlertPoll, condition: Condition | null, context: EvaluationContext): Truth {
  if (condition === null) return true;
  return readsMissing(poll, condition, context.view) ? 'unknown' : condition.evaluate(context, poll.budget);
}

export function amountAt({ view }: EvaluationContext, path: string): Amount | undefined {
  return exactOf(valueAt(view, path));
}

/** The context of a single item, for conditions and messages. `before`: as encoded in memory. */
export function contextOf(
  { view }: Pick<DetectedEvent, 'view'>,
  before: Remembered | null,
  at: Instant,
): EvaluationContext {
  return { view, before: before === null ? null : viewOf(recordTypeOf(view), before), history: null, at };
}

export function isSpent({ budget }: AlertPoll, alert: MatchingAlert): boolean {
  return budget.left <= 0 && (alert.if !== null || ofRatio(alert) !== null);
}

export function ofRatio(alert: MatchingAlert): Condition | null {
  return alert.type === 'count' && alert.fires.type === 'ratio' ? alert.fires.of : null;
}
