// What there is to say of a watch, from the rule and the state file alone: nothing is asked, and nothing is written.
import { healthOf } from '../core/health.ts';
import { decodeLook } from '../core/look.ts';
import { conditionText } from '../core/message.ts';
import type { DataState, Memory } from '../core/memory.ts';
import type { AlertId, AlertRule, ConditionAlert, Instant, Watch } from '../core/model.ts';
import { showInstant } from '../lib/clock.ts';
import { singleLine } from '../lib/untrusted.ts';
import { showRecipient, showSchedule, subjectOf } from '../rules/describe.ts';
import { nextTimeOf } from '../rules/schedule.ts';
import type { StoredDelivery } from '../store/rows.ts';
import type { Kept } from '../store/store.ts';
import { ago, conditionLines, stageOf, truthOf, unknownOf, type Stage } from './condition.ts';
import { lifeLines } from './life.ts';
import { needsOf } from './needs.ts';
import { fieldText } from './values.ts';

/** What the state file knows of a watch. */
export interface Facts {
  /** Null: it was not asked yet, or there is no state file. */
  readonly memory: Memory | null;
  readonly kept: Kept | null;
  /** The newest first. */
  readonly said: ReadonlyMap<AlertId, readonly StoredDelivery[]>;
  readonly now: Instant;
}

/** Lines to read: the watch, then each of `alerts`, which are some or all of its own. */
export function explainWatch(watch: Watch, alerts: readonly AlertRule[], facts: Facts): string[] {
  const stage = lookedAt(watch, facts);
  return [
    `${watch.name}  ${watch.source}`,
    `  ${watch.kind.name}${subjectOf(watch)} on ${watch.target.explorer}, ${showSchedule(watch.schedule)}`,
    ...dataLines(watch, facts, stage).map((line) => `  ${line}`),
    ...alerts.flatMap((alert) => ['', ...alertLines(watch, alert, facts, stage)]),
  ];
}

/** Memory of another checksum is of something else that was looked at. */
function lookedAt(watch: Watch, { memory, kept }: Facts): Stage | null {
  if (memory === null || memory.checksum !== watch.checksum || kept === null || kept.look === null) return null;
  const look = decodeLook(watch.kind.fields, kept.look);
  return look === null ? null : stageOf(watch, look, memory);
}

function dataLines(watch: Watch, { memory, now }: Facts, stage: Stage | null): string[] {
  const next = nextTimeOf(watch, now);
  const when = next === null ? 'not within a year' : `${showInstant(next)}, ${ago(next, now)}`;
  const until = memory?.coveredUntil ?? null;
  const isOld = until !== null && now - until > watch.schedule.intervalMs;
  const late = isOld ? '; the last answer is older than the interval, so at once when the daemon starts' : '';
  return [...seenLines(watch, memory, stage, now), `looked at next: ${when}${late}`];
}

function seenLines(watch: Watch, memory: Memory | null, stage: Stage | null, now: Instant): string[] {
  if (memory === null) return ['not asked yet: nothing is known but the rule'];
  if (memory.checksum !== watch.checksum)
    return ['what is remembered is of another target or other options: it starts anew when the rule is loaded'];
  const { coveredUntil, data } = memory;
  const answered = coveredUntil === null ? 'no usable answer yet' : `last usable answer ${ago(coveredUntil, now)}`;
  const state = data === null ? '' : `; data ${data.state} since ${showInstant(data.since)}`;
  const looked = stage === null ? 'what was looked at is not kept yet' : `values as of ${showInstant(stage.at)}`;
  return [`${answered}${state}`, looked];
}

function alertLines(watch: Watch, alert: AlertRule, facts: Facts, stage: Stage | null): string[] {
  const { memory, now } = facts;
  const own = memory === null || memory.checksum !== watch.checksum ? null : memory;
  const more = [
    ...(own === null ? ['state: not known'] : lifeLines(alert, own, now)),
    ...(own === null ? [] : unknownLines(alert, own, stage)),
    ...(stage === null ? [] : changeLines(alert, own, stage)),
    ...healthLines(watch, alert, facts),
    ...toldLines(alert, facts),
  ];
  return [
    `${watch.name}/${alert.id}  ${alert.source}  ${alert.severity}`,
    ...conditionsOf(watch, alert, stage),
    ...more.map((line) => `  ${line}`),
  ];
}

function conditionsOf(watch: Watch, alert: AlertRule, stage: Stage | null): string[] {
  if (alert.type === 'condition') {
    const until = alert.until === null ? [] : conditionLines('until', alert.until, stage);
    return [...conditionLines('while', alert.while, stage), ...until];
  }
  const on = alert.type === 'count' ? conditionText({ ...alert, if: null }) : `on: ${alert.on}`;
  const which =
    watch.kind.conditions && alert.on === 'changed' ? 'what was last seen' : 'the newest item that was read';
  const item = stage === null ? [] : [`  of ${which}: ${itemText(watch, stage)}`];
  return [`  ${on}`, ...item, ...(alert.if === null ? [] : conditionLines('if   ', alert.if, stage))];
}

const MOST_SHOWN = 4;

function itemText({ kind }: Watch, { scene }: Stage): string {
  const known = kind.shown.flatMap((path) => {
    const value = fieldText(scene.view, path);
    return value === undefined ? [] : [`${path} ${value}`];
  });
  return known.slice(0, MOST_SHOWN).join(', ');
}

/** Why nothing can be decided, where that is so. */
function unknownLines(alert: AlertRule, { data }: Memory, stage: Stage | null): string[] {
  const isBad = data !== null && UNDECIDED[alert.type].includes(data.state);
  const bad = isBad
    ? [`held back: data ${data.state} since ${showInstant(data.since)}, on which nothing is decided`]
    : [];
  const condition = alert.type === 'condition' ? alert.while : null;
  if (condition === null || stage === null || truthOf(stage, condition) !== 'unknown') return bad;
  return [...bad, `held back: it is unknown; ${unknownOf(condition, stage)}`];
}

/** Counts need every item; of a list that was read in part the rest is still told. */
const UNDECIDED: Readonly<Record<AlertRule['type'], readonly DataState[]>> = {
  condition: ['nodata', 'throttled', 'error'],
  event: ['nodata', 'throttled', 'error'],
  count: ['nodata', 'throttled', 'error', 'partial', 'stale'],
};

/** How far it is from firing, or from its end. */
function changeLines(alert: AlertRule, memory: Memory | null, stage: Stage): string[] {
  if (alert.type === 'condition') return lastingChange(alert, memory, stage);
  if (alert.if === null) return [];
  return needLines('to match', needsOf(alert.if.clause(), true, stage));
}

function lastingChange(alert: ConditionAlert, memory: Memory | null, stage: Stage): string[] {
  const state = memory?.alerts[alert.id]?.[''];
  if (state?.type !== 'condition' || !state.output)
    return needLines('to fire', needsOf(alert.while.clause(), true, stage));
  const over = needsOf(alert.while.clause(), false, stage);
  // A pending alert is over as soon as `while` is: `until` is asked only after it fired.
  const until = alert.until === null || state.state === 'pending' ? [] : needsOf(alert.until.clause(), true, stage);
  return needLines('to end', [...new Set([...over, ...until])]);
}

/** All of them are needed: none may read as another way. */
function needLines(aim: string, needs: readonly string[]): string[] {
  return needs.map((need, i) => `${i === 0 ? aim : 'and'.padStart(aim.length)}: ${need}`);
}

function healthLines({ schedule }: Watch, { id }: AlertRule, { kept, now }: Facts): string[] {
  const record = kept?.health[id];
  const health = record === undefined ? 'ok' : healthOf(record, now, schedule.intervalMs);
  if (record === undefined || health === 'ok') return [];
  return [`health: ${health} since ${showInstant(record.unknownSince ?? record.since)}`];
}

function toldLines({ id, notify }: AlertRule, { said }: Facts): string[] {
  const told = said.get(id) ?? [];
  return [
    `would be told: ${notify.map(showRecipient).join(', ')}`,
    ...(told.length === 0 ? ['told so far: nothing that is kept'] : told.map(toldLine)),
  ];
}

function toldLine({ message, channel, recipient, state, outcome }: StoredDelivery): string {
  const to = showRecipient({ channel, recipient });
  const why = outcome === null || state === 'sent' ? '' : `: ${singleLine(outcome.text)}`;
  return `told: ${message.type.replace('alert.', '')} at ${showInstant(message.at)} to ${to}, ${state}${why}`;
}
