// Explains a watch from the rule and the state alone. Sends no request and writes nothing.
import { healthOf, type HealthByAlert } from '../core/model/health.ts';
import { decodeSnapshot } from '../core/model/snapshot.ts';
import { conditionText } from '../core/alerts/sentence.ts';
import type { Segment } from '../core/model/watch/condition.ts';
import type { Snapshot } from '../core/model/decision.ts';
import type { DataState, Memory } from '../core/model/memory.ts';
import type { AlertId, RecipientsOf } from '../core/model/ids.ts';
import { labelsOf } from '../core/model/watch/identity.ts';
import type { Pause } from '../core/model/watch/pause.ts';
import { paceIn, paceOf, type AlertRule, type ConditionAlert, type Watch } from '../core/model/watch/watch.ts';
import { showDuration, type Instant } from '../lib/clock.ts';
import { showSchedule } from '../rules/describe.ts';
import { showInZone } from '../lib/time-zone.ts';
import { singleLine } from '../lib/untrusted.ts';
import { isOverdue, nextTimeOf } from '../core/model/watch/schedule.ts';
import type { StoredDiagnostics } from '../store/contract/memories.ts';
import type { StoredDelivery } from '../store/contract/deliveries.ts';
import { ago, explainContextOf, explainedCondition, truthOf, unknownOf, type ExplainContext } from './condition.ts';
import { explainedStates } from './alert-state.ts';
import { dataWords, neverWordsOf, pauseWords } from './data-words.ts';
import type { Explained, ExplainedAlert, ExplainedCondition, ExplainedItem, ExplainedMessage } from './model.ts';
import { operatorLines, type OperatorFacts } from './operator-words.ts';
import { needsOf, needsOfAll, type Need } from './needs.ts';
import { fieldSegments } from './values.ts';

/** The facts about a watch. */
export interface ExplainInput {
  /** Null if the watch was not polled yet, or if there is no state file. */
  readonly memory: Memory | null;
  /** The last snapshot; null: there is none. */
  readonly snapshot: Snapshot | null;
  readonly health: HealthByAlert;
  /** The deliveries about each alert, the newest first. */
  readonly deliveries: ReadonlyMap<AlertId, readonly StoredDelivery[]>;
  readonly recipientsOf: RecipientsOf;
  readonly now: Instant;
  /** The last pause of the watch, which may have ended; null: there was none. */
  readonly pause: Pause | null;
  /** The start of the daemon that polls the watch. Times before it are not missed. Null: no daemon runs. */
  readonly from: Instant | null;
  readonly operators: OperatorFacts;
}

/** Explains the watch, then each of `alerts`, which are some or all of the watch's alerts. */
export function explainWatch(watch: Watch, alerts: readonly AlertRule[], facts: ExplainInput): Explained {
  const context = contextOf(watch, facts);
  const next = pauseWords({ ...facts, zone: watch.zone }).length > 0 ? null : nextLookOf(watch, facts);
  return {
    watch,
    remarks: remarksOf(watch, facts, context, next),
    next,
    alerts: alerts.map((alert) => explainedAlert(watch, alert, facts, context)),
  };
}

/**
 * The data of the last snapshot; null if there is none, or if the memory belongs to a former target, so its checksum
 * differs.
 */
function contextOf(watch: Watch, { memory, snapshot }: ExplainInput): ExplainContext | null {
  if (memory === null || memory.checksum !== watch.checksum || snapshot === null) return null;
  return explainContextOf(watch, snapshot, memory);
}

/** The stored last snapshot; null: there is none, or it cannot be read. */
export function storedSnapshotOf({ kind }: Watch, diagnostics: StoredDiagnostics | undefined): Snapshot | null {
  const stored = diagnostics?.snapshot ?? null;
  return stored === null ? null : decodeSnapshot(kind.fields, stored);
}

function remarksOf(watch: Watch, facts: ExplainInput, context: ExplainContext | null, next: Instant | null): string[] {
  const { memory, now } = facts;
  const seen = seenRemarks(watch, facts, context);
  const paused = pauseWords({ ...facts, zone: watch.zone });
  if (paused.length > 0) return [...seen, ...paused];
  const when = next === null ? 'not within a year' : `${showInZone(watch.zone, next)}, ${ago(next, now)}`;
  const until = memory?.coveredUntil ?? null;
  const isOld = until !== null && isOverdue(watch, until, now, paceIn(memory, watch));
  const late = isOld ? '; the last answer is older than the interval' : '';
  return [...seen, ...paceRemark(watch, memory), `looked at next: ${when}${late}`];
}

/** The time of the next poll. A stretched interval counts from the last answer. */
function nextLookOf(watch: Watch, { memory, now }: ExplainInput): Instant | null {
  const paceMs = paceIn(memory, watch);
  const from = paceMs > watch.schedule.intervalMs ? (memory?.coveredUntil ?? now) : now;
  const next = nextTimeOf(watch, from, paceMs);
  return next === null ? null : Math.max(now, next);
}

/** `every 1m, now 2m 6s: the plan of ethereum` */
function paceRemark(watch: Watch, memory: Memory | null): string[] {
  const paceMs = paceIn(memory, watch);
  if (paceMs <= watch.schedule.intervalMs) return [];
  return [`${showSchedule(watch.schedule)}, now ${showDuration(paceMs)}: the plan of ${watch.target.explorer}`];
}

function seenRemarks(watch: Watch, facts: ExplainInput, context: ExplainContext | null): string[] {
  const { memory, now } = facts;
  if (memory === null) return ['not asked yet: nothing is known but the rule'];
  if (memory.checksum !== watch.checksum)
    return [
      'the stored memory is of another target or other options: the watch starts with a new baseline when the rule is loaded',
    ];
  const { coveredUntil } = memory;
  const answered = coveredUntil === null ? 'no usable answer yet' : `last usable answer ${ago(coveredUntil, now)}`;
  const looked =
    context === null ? 'what was looked at is not kept yet' : `values as of ${showInZone(watch.zone, context.at)}`;
  return [[answered, ...dataWords(watch, memory, { ...facts, zone: watch.zone })].join('; '), looked];
}

function explainedAlert(
  watch: Watch,
  alert: AlertRule,
  facts: ExplainInput,
  context: ExplainContext | null,
): ExplainedAlert {
  const { memory, now, recipientsOf } = facts;
  const moment = { now, zone: watch.zone };
  const own = memory === null || memory.checksum !== watch.checksum ? null : memory;
  return {
    alert,
    on: alert.type === 'condition' ? null : onText(alert),
    item: alert.type === 'condition' || context === null ? null : itemOf(watch, alert, context),
    conditions: conditionsOf(alert, context),
    ...(own === null ? { states: [], moreGroups: 0 } : explainedStates(alert, own, moment)),
    heldBack: own === null ? [] : [...undecidedWhy(watch, alert, own, context), ...neverWordsOf(watch, own, alert.id)],
    ...changeOf(alert, own, context),
    operators: operatorLines(watch, alert, facts.operators, moment),
    health: healthIn(watch, alert, facts),
    labels: labelsOf(watch, alert),
    wouldNotify: alert.notify.flatMap((channel) => recipientsOf(channel) ?? []),
    messages: (facts.deliveries.get(alert.id) ?? []).flatMap((one) => messagesIn(one, watch, alert.id)),
  };
}

function onText(alert: Exclude<AlertRule, ConditionAlert>): string {
  return alert.type === 'count' ? conditionText({ ...alert, if: null }) : `on: ${alert.on}`;
}

function conditionsOf(alert: AlertRule, context: ExplainContext | null): ExplainedCondition[] {
  if (alert.type !== 'condition') return alert.if === null ? [] : [explainedCondition('if', alert.if, context)];
  const until = alert.until === null ? [] : [explainedCondition('until', alert.until, context)];
  return [explainedCondition('while', alert.while, context), ...until];
}

const MOST_SHOWN = 4;

function itemOf(
  { kind }: Watch,
  alert: Exclude<AlertRule, ConditionAlert>,
  { evaluation }: ExplainContext,
): ExplainedItem {
  const isValue = kind.while !== null && kind.while.only === undefined && alert.on === 'changed';
  const known = kind.shown.flatMap((path) => {
    const value = fieldSegments(evaluation.view, path);
    return value === null ? [] : [[{ text: `${path} ` }, ...value]];
  });
  const text = known.slice(0, MOST_SHOWN).flatMap((one, i): Segment[] => (i === 0 ? one : [{ text: ', ' }, ...one]));
  return { which: isValue ? 'what was last seen' : 'the newest item that was read', text };
}

/** Reasons why no decision is possible; empty if there are none. */
function undecidedWhy({ zone }: Watch, alert: AlertRule, { data }: Memory, context: ExplainContext | null): string[] {
  const isBad = data !== null && UNDECIDED[alert.type].includes(data.state);
  const bad = isBad ? [`data ${data.state} since ${showInZone(zone, data.since)}, on which nothing is decided`] : [];
  const condition = alert.type === 'condition' ? alert.while : null;
  if (condition === null || context === null || truthOf(context, condition) !== 'unknown') return bad;
  return [...bad, `it is unknown; ${unknownOf(condition, context)}`];
}

/** Counts need every item. Single events are sent even if the list was read in part only. */
const UNDECIDED: Readonly<Record<AlertRule['type'], readonly DataState[]>> = {
  condition: ['nodata', 'throttled', 'error'],
  event: ['nodata', 'throttled', 'error'],
  count: ['nodata', 'throttled', 'error', 'partial', 'stale'],
};

type Change = Pick<ExplainedAlert, 'aim' | 'needs'>;

/** The distance of the alert from firing, or from resolving. */
function changeOf(alert: AlertRule, memory: Memory | null, context: ExplainContext | null): Change {
  if (context === null) return { aim: null, needs: [] };
  if (alert.type === 'condition') return conditionChange(alert, memory, context);
  if (alert.if === null) return { aim: null, needs: [] };
  return { aim: 'to match', needs: needsOf(alert.if.clause(), true, context) };
}

function conditionChange(alert: ConditionAlert, memory: Memory | null, context: ExplainContext): Change {
  const state = memory?.alerts[alert.id]?.[''];
  if (state?.type !== 'condition' || !state.output)
    return { aim: 'to fire', needs: needsOf(alert.while.clause(), true, context) };
  const over: Need = { clause: alert.while.clause(), wanted: false };
  // A pending alert ends as soon as `while` is false; `until` is only evaluated while it fires.
  const until: Need[] =
    alert.until === null || state.state === 'pending' ? [] : [{ clause: alert.until.clause(), wanted: true }];
  return { aim: 'to end', needs: needsOfAll([over, ...until], context) };
}

function healthIn(watch: Watch, { id }: AlertRule, facts: ExplainInput): ExplainedAlert['health'] {
  const record = facts.health[id];
  if (record === undefined) return { is: 'ok', since: null };
  return { is: healthOf(record, facts.now, paceOf(watch, facts.memory)), since: record.unknownSince ?? record.since };
}

/** One message for each member of the delivery that is about the alert. */
function messagesIn(
  { members, channel, recipient, state, outcome }: StoredDelivery,
  watch: Watch,
  alert: AlertId,
): ExplainedMessage[] {
  const answer = outcome === null || state === 'sent' ? null : singleLine(outcome.text);
  const own = members.filter(({ message }) => message.watch === watch.name && message.alert === alert);
  return own.map(({ message }) => {
    return { channel, recipient, what: message.type.replace('alert.', ''), at: message.at, state, answer };
  });
}
