// Explains a watch from the rule and the state file alone: nothing is requested, and nothing is written.
import { healthOf } from '../core/model/health.ts';
import { decodeSnapshot } from '../core/model/snapshot.ts';
import { conditionText } from '../core/alerts/message.ts';
import type { DataState, Memory } from '../core/model/memory.ts';
import type { AlertId, RecipientsOf } from '../core/model/ids.ts';
import { labelsOf } from '../core/model/labels.ts';
import type { Pause } from '../core/model/pause.ts';
import type { AlertRule, ConditionAlert, Watch } from '../core/model/watch.ts';
import { type Instant, showInstant } from '../lib/clock.ts';
import { singleLine } from '../lib/untrusted.ts';
import { showRecipient, showSchedule, subjectOf } from '../rules/describe.ts';
import { nextTimeOf } from '../rules/compile/schedule.ts';
import type { StoredDiagnostics } from '../store/memories.ts';
import type { StoredDelivery } from '../store/outbox.ts';
import { ago, conditionLines, explainContextOf, truthOf, unknownOf, type ExplainContext } from './condition.ts';
import { stateLines } from './alert-state.ts';
import { dataWords, pauseWords } from './data-words.ts';
import { operatorLines, type OperatorFacts } from './operator-words.ts';
import { needsOf } from './needs.ts';
import { fieldText } from './values.ts';

/** What the state file knows of a watch. */
export interface ExplainInput {
  /** Null: the watch was not polled yet, or there is no state file. */
  readonly memory: Memory | null;
  readonly diagnostics: StoredDiagnostics | null;
  /** The newest first. */
  readonly deliveries: ReadonlyMap<AlertId, readonly StoredDelivery[]>;
  readonly recipientsOf: RecipientsOf;
  readonly now: Instant;
  /** The last one of the watch, over or not. */
  readonly pause: Pause | null;
  readonly operators: OperatorFacts;
}

/** Lines of text: the watch, then each of `alerts`, which are some or all of its own. */
export function explainWatch(watch: Watch, alerts: readonly AlertRule[], facts: ExplainInput): string[] {
  const context = contextOf(watch, facts);
  return [
    `${watch.name}  ${watch.source}`,
    `  ${watch.kind.name}${subjectOf(watch)} on ${watch.target.explorer}, ${showSchedule(watch.schedule)}`,
    ...dataLines(watch, facts, context).map((line) => `  ${line}`),
    ...alerts.flatMap((alert) => ['', ...alertLines(watch, alert, facts, context)]),
  ];
}

/** Memory of another checksum belongs to something else that was watched. */
function contextOf(watch: Watch, { memory, diagnostics }: ExplainInput): ExplainContext | null {
  if (memory === null || memory.checksum !== watch.checksum || diagnostics === null || diagnostics.snapshot === null)
    return null;
  const snapshot = decodeSnapshot(watch.kind.fields, diagnostics.snapshot);
  return snapshot === null ? null : explainContextOf(watch, snapshot, memory);
}

function dataLines(watch: Watch, facts: ExplainInput, context: ExplainContext | null): string[] {
  const { memory, now } = facts;
  const paused = pauseWords(facts);
  if (paused.length > 0) return [...seenLines(watch, facts, context), ...paused];
  const next = nextTimeOf(watch, now);
  const when = next === null ? 'not within a year' : `${showInstant(next)}, ${ago(next, now)}`;
  const until = memory?.coveredUntil ?? null;
  const isOld = until !== null && now - until > watch.schedule.intervalMs;
  const late = isOld ? '; the last answer is older than the interval, so at once when the daemon starts' : '';
  return [...seenLines(watch, facts, context), `looked at next: ${when}${late}`];
}

function seenLines(watch: Watch, facts: ExplainInput, context: ExplainContext | null): string[] {
  const { memory, now } = facts;
  if (memory === null) return ['not asked yet: nothing is known but the rule'];
  if (memory.checksum !== watch.checksum)
    return ['what is remembered is of another target or other options: it starts anew when the rule is loaded'];
  const { coveredUntil } = memory;
  const answered = coveredUntil === null ? 'no usable answer yet' : `last usable answer ${ago(coveredUntil, now)}`;
  const looked = context === null ? 'what was looked at is not kept yet' : `values as of ${showInstant(context.at)}`;
  return [[answered, ...dataWords(watch, memory, facts)].join('; '), looked];
}

function alertLines(watch: Watch, alert: AlertRule, facts: ExplainInput, context: ExplainContext | null): string[] {
  const { memory, now } = facts;
  const own = memory === null || memory.checksum !== watch.checksum ? null : memory;
  const more = [
    ...(own === null ? ['state: not known'] : stateLines(alert, own, now)),
    ...(own === null ? [] : unknownLines(alert, own, context)),
    ...(context === null ? [] : changeLines(alert, own, context)),
    ...operatorLines(watch, alert, facts.operators, now),
    ...healthLines(watch, alert, facts),
    labelsLine(watch, alert),
    ...deliveryLines(watch, alert, facts),
  ];
  return [
    `${watch.name}/${alert.id}  ${alert.source}  ${alert.severity}`,
    ...conditionsOf(watch, alert, context),
    ...more.map((line) => `  ${line}`),
  ];
}

function conditionsOf(watch: Watch, alert: AlertRule, context: ExplainContext | null): string[] {
  if (alert.type === 'condition') {
    const until = alert.until === null ? [] : conditionLines('until', alert.until, context);
    return [...conditionLines('while', alert.while, context), ...until];
  }
  const on = alert.type === 'count' ? conditionText({ ...alert, if: null }) : `on: ${alert.on}`;
  const which =
    watch.kind.while !== null && alert.on === 'changed' ? 'what was last seen' : 'the newest item that was read';
  const item = context === null ? [] : [`  of ${which}: ${itemText(watch, context)}`];
  return [`  ${on}`, ...item, ...(alert.if === null ? [] : conditionLines('if   ', alert.if, context))];
}

const MOST_SHOWN = 4;

function itemText({ kind }: Watch, { evaluation }: ExplainContext): string {
  const known = kind.shown.flatMap((path) => {
    const value = fieldText(evaluation.view, path);
    return value === undefined ? [] : [`${path} ${value}`];
  });
  return known.slice(0, MOST_SHOWN).join(', ');
}

/** Why nothing can be decided, where that is so. */
function unknownLines(alert: AlertRule, { data }: Memory, context: ExplainContext | null): string[] {
  const isBad = data !== null && UNDECIDED[alert.type].includes(data.state);
  const bad = isBad
    ? [`held back: data ${data.state} since ${showInstant(data.since)}, on which nothing is decided`]
    : [];
  const condition = alert.type === 'condition' ? alert.while : null;
  if (condition === null || context === null || truthOf(context, condition) !== 'unknown') return bad;
  return [...bad, `held back: it is unknown; ${unknownOf(condition, context)}`];
}

/** Counts need every item. Of a list that was read in part, single events are still sent. */
const UNDECIDED: Readonly<Record<AlertRule['type'], readonly DataState[]>> = {
  condition: ['nodata', 'throttled', 'error'],
  event: ['nodata', 'throttled', 'error'],
  count: ['nodata', 'throttled', 'error', 'partial', 'stale'],
};

/** How far the alert is from firing, or from resolving. */
function changeLines(alert: AlertRule, memory: Memory | null, context: ExplainContext): string[] {
  if (alert.type === 'condition') return conditionChange(alert, memory, context);
  if (alert.if === null) return [];
  return needLines('to match', needsOf(alert.if.clause(), true, context));
}

function conditionChange(alert: ConditionAlert, memory: Memory | null, context: ExplainContext): string[] {
  const state = memory?.alerts[alert.id]?.[''];
  if (state?.type !== 'condition' || !state.output)
    return needLines('to fire', needsOf(alert.while.clause(), true, context));
  const over = needsOf(alert.while.clause(), false, context);
  // A pending alert ends as soon as `while` is false; `until` is only evaluated while it fires.
  const until = alert.until === null || state.state === 'pending' ? [] : needsOf(alert.until.clause(), true, context);
  return needLines('to end', [...new Set([...over, ...until])]);
}

/** All of them are needed, so they are joined with "and". */
function needLines(aim: string, needs: readonly string[]): string[] {
  return needs.map((need, i) => `${i === 0 ? aim : 'and'.padStart(aim.length)}: ${need}`);
}

function healthLines({ schedule }: Watch, { id }: AlertRule, { diagnostics, now }: ExplainInput): string[] {
  const record = diagnostics?.health[id];
  const health = record === undefined ? 'ok' : healthOf(record, now, schedule.intervalMs);
  if (record === undefined || health === 'ok') return [];
  return [`health: ${health} since ${showInstant(record.unknownSince ?? record.since)}`];
}

/** What routes of the config can match: `labels: team: payments, watch: coins, alert: low, ...` */
function labelsLine(watch: Watch, alert: AlertRule): string {
  const labels = Object.entries(labelsOf(watch, alert)).map(([name, value]) => `${name}: ${value}`);
  return `labels: ${singleLine(labels.join(', '), MOST_OF_LABELS)}`;
}

const MOST_OF_LABELS = 2000;

function deliveryLines(watch: Watch, { id, notify }: AlertRule, { deliveries, recipientsOf }: ExplainInput): string[] {
  const to = notify.flatMap((channel) => recipientsOf(channel) ?? []);
  const stored = deliveries.get(id) ?? [];
  return [
    `would be told: ${to.map(showRecipient).join(', ')}`,
    ...(stored.length === 0
      ? ['told so far: nothing that is kept']
      : stored.flatMap((one) => toldLines(one, watch, id))),
  ];
}

/** A line for each time that the message speaks of the alert. */
function toldLines(
  { members, channel, recipient, state, outcome }: StoredDelivery,
  watch: Watch,
  alert: AlertId,
): string[] {
  const to = showRecipient({ channel, recipient });
  const why = outcome === null || state === 'sent' ? '' : `: ${singleLine(outcome.text)}`;
  const own = members.filter(({ message }) => message.watch === watch.name && message.alert === alert);
  return own.map(
    ({ message }) =>
      `told: ${message.type.replace('alert.', '')} at ${showInstant(message.at)} to ${to}, ${state}${why}`,
  );
}
