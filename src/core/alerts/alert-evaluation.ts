// Code for all types of alert: the poll that an alert evaluates, the alert's part of the decision, and its transitions.
import type { Instant } from '../../lib/clock.ts';
import type { FiringAlert, Reason } from '../model/decision.ts';
import { isHigher, type Message, type Present } from '../model/delivery.ts';
import type { DetectedEvent, Detection } from '../model/detection.ts';
import type { FindingKey, Severity, Truth } from '../model/ids.ts';
import type { Alert, ConditionState } from '../model/memory.ts';
import type { HeadNeed, TickChain } from '../model/observation.ts';
import type { Transition } from '../model/transition.ts';
import type { Condition, EvaluationContext, StepBudget } from '../model/watch/condition.ts';
import { labelsOf, labelsOfMessage } from '../model/watch/identity.ts';
import type { AlertRule, CountAlert, EventAlert, Watch } from '../model/watch/watch.ts';
import type { Amount } from '../values/amount.ts';
import { type AnyView, exactOf, recordTypeOf, valueAt } from '../values/fields.ts';
import { type Remembered, viewOf } from '../values/encoded.ts';
import { type PollTime, resolve } from './conditions/condition-state.ts';
import { wantedDetails } from './details.ts';
import { raisedMessage, resolvedMessage } from './message.ts';

/** A count without `per` has one group. This is its key. */
export const ALL_ITEMS = 'per ';

export type AlertsByKey = Readonly<Record<FindingKey, Alert>>;

/** One poll: the input for every alert of the watch. */
export interface AlertPoll {
  readonly watch: Watch;
  readonly time: PollTime;
  /** Null when the poll was missed. */
  readonly detection: Detection<unknown> | null;
  /** The context of `while`; null = unknown. */
  readonly context: EvaluationContext | null;
  readonly isComplete: boolean;
  readonly isStale: boolean;
  /** Fields that earlier polls had, and that are in no row of this poll. */
  readonly missing: ReadonlySet<string>;
  /** The height of the newest known block; null while none is known. */
  readonly head: number | null;
  readonly chain: TickChain;
  /**
   * The explorer has read the chain up to this height at least, by the answers of this tick; null when no answer shows
   * a height.
   */
  readonly reach: number | null;
  /** The steps that conditions on items may still take in this poll. */
  readonly budget: StepBudget;
}

/** One alert's part of the decision. */
export interface AlertEvaluation {
  /** The same object as before when nothing changed. */
  readonly alerts: AlertsByKey;
  readonly transitions: readonly Transition[];
  readonly reasons: readonly Reason[];
  readonly firing: readonly FiringAlert[];
  /** Result of the condition; `not-evaluated`: there was nothing to evaluate. */
  readonly truth: Truth | 'not-evaluated';
  readonly matchingBaseline: number;
  readonly needs: HeadNeed | null;
}

/**
 * True if the condition reads a field that the explorer no longer sends. The result of the condition then counts as
 * unknown. `view` is the item under evaluation: if it is from an older page, it may still have the field.
 */
export function readsMissing(
  { missing }: Pick<AlertPoll, 'missing'>,
  condition: Pick<Condition, 'reads'> | null,
  view?: AnyView,
): boolean {
  if (missing.size === 0 || condition === null) return false;
  return condition.reads.some((path) => missing.has(path) && (view === undefined || valueAt(view, path) === undefined));
}

/** The evaluation of a missed poll: nothing changes and nothing is sent. */
export function unread(known: AlertsByKey): AlertEvaluation {
  return { ...unevaluated(known), truth: 'unknown' };
}

/** The evaluation if there was nothing to evaluate: nothing is sent. */
export function unevaluated(alerts: AlertsByKey): AlertEvaluation {
  return {
    alerts,
    transitions: [],
    reasons: [],
    firing: [],
    truth: 'not-evaluated',
    matchingBaseline: 0,
    needs: null,
  };
}

/** The entries as a record; the same object as before when none of them differs. */
export function sameOr(known: AlertsByKey, entries: readonly (readonly [string, Alert])[]): AlertsByKey {
  const isSame = entries.length === Object.keys(known).length && entries.every(([key, alert]) => known[key] === alert);
  return isSame ? known : Object.fromEntries(entries);
}

export function transitionOf({ watch }: Pick<AlertPoll, 'watch'>, alert: AlertRule, message: Message): Transition {
  const details = wantedDetails(watch, alert, message);
  return { message, labels: labelsOf(watch, alert), notify: alert.notify, ...(details === null ? {} : { details }) };
}

/** The condition of a stateful alert; null for events. */
export function conditionOf(alert: Alert): ConditionState | null {
  if (alert.type === 'condition') return alert;
  return alert.type === 'group' ? alert.condition : null;
}

/** The present rule of alerts that fire. */
export interface RaisingRule extends Pick<Transition, 'labels' | 'notify'> {
  readonly severity: Severity;
  /** The values of a later poll; null if none are known. */
  readonly presentOf: (key: string) => Present | null;
}

/**
 * If the rule is now more severe than a firing alert, the alert fires once more in the same episode. If no alert fires
 * once more, `alerts` is the same object as before.
 */
export function raiseAll(
  byKey: AlertsByKey,
  rule: RaisingRule,
  at: Instant,
): Pick<AlertEvaluation, 'alerts' | 'transitions'> {
  const { severity, labels, notify } = rule;
  const transitions: Transition[] = [];
  const entries = Object.entries(byKey).map(([key, alert]): [string, Alert] => {
    const state = conditionOf(alert);
    if (state === null || state.firing === null || !isHigher(severity, state.firing.severity)) return [key, alert];
    const seq = state.seq + 1;
    const message = raisedMessage(state.firing, { at, seq, severity }, rule.presentOf(state.firing.key));
    transitions.push({ message, labels, notify });
    return [key, withCondition(alert, { ...state, seq, firing: { ...state.firing, severity } })];
  });
  return { alerts: sameOr(byKey, entries), transitions };
}

function withCondition(alert: Alert, condition: ConditionState): Alert {
  return alert.type === 'group' ? { ...alert, condition } : condition;
}

/** Resolves each firing alert for a reason other than its condition. */
export function endAll(byKey: AlertsByKey, at: Instant, reason: string): Transition[] {
  return Object.values(byKey).flatMap((alert) => {
    const state = conditionOf(alert);
    if (state === null || state.firing === null) return [];
    const { seq } = resolve(state).after;
    const message = resolvedMessage(state.firing, { at, seq }, { reason, last: null });
    return [{ message, labels: labelsOfMessage(message), notify: [] }];
  });
}

// Judges one item for an `on:` alert.

export type MatchingAlert = EventAlert | CountAlert;

/** The result for one item. `isHit`: it is counted as matching. */
interface ItemJudgement {
  readonly truth: Truth;
  readonly isHit: boolean;
}

/**
 * Whether the item counts for the alert. An item usually counts if it matches the condition. For a ratio each item of
 * the total (`of`) counts, and for items in a row each item, matching or not. For a sum, the result is unknown while
 * the amount of the item is unknown; an item without such an amount, such as a call of another function, does not
 * count.
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

/** The context of a single item, for conditions and messages. `before` is encoded as it is in the memory. */
export function contextOf(
  { view }: Pick<DetectedEvent, 'view'>,
  before: Remembered | null,
  at: Instant,
): EvaluationContext {
  return { view, before: before === null ? null : viewOf(recordTypeOf(view), before), history: null, at };
}

/** True if the budget of the poll is used up. The item is evaluated at the next poll, if that poll reads it. */
export function isSpent({ budget }: AlertPoll, alert: MatchingAlert): boolean {
  return budget.left <= 0 && (alert.if !== null || ofRatio(alert) !== null);
}

export function ofRatio(alert: MatchingAlert): Condition | null {
  return alert.type === 'count' && alert.fires.type === 'ratio' ? alert.fires.of : null;
}
