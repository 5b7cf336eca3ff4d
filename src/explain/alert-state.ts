// The state of an alert, and the event or time that it waits for.
import { settled, streakOf } from '../core/alerts/in-a-row.ts';
import { heldFor } from '../core/alerts/conditions/condition-state.ts';
import type { Alert, ConditionState, GroupState, Memory } from '../core/model/memory.ts';
import type { AlertRule, CountAlert, StatefulAlert } from '../core/model/watch/watch.ts';
import { type Instant, showDuration } from '../lib/clock.ts';
import { showInZone, type Moment } from '../lib/time-zone.ts';
import { conditionOf } from '../core/alerts/alert-evaluation.ts';
import { talliesAfter, totalsOf } from '../core/alerts/tallies.ts';
import { showPart } from '../core/wording/words.ts';
import { REASON_WORDS } from '../core/model/quality/reason-words.ts';
import { activeSince, isActive } from '../core/alerts/emission.ts';
import { plain, untrusted } from '../lib/untrusted.ts';
import type { ExplainedAlert, ExplainedState } from './model.ts';

type States = Pick<ExplainedAlert, 'states' | 'moreGroups'>;

/** The states of an alert by key. An alert without memory is inactive. */
export function explainedStates(rule: AlertRule, memory: Memory, { now, zone }: Moment): States {
  const known = Object.entries(memory.alerts[rule.id] ?? {});
  if (rule.type === 'event') return { states: [eventState(known.map(([, alert]) => alert))], moreGroups: 0 };
  const stateful = known.flatMap(([key, alert]) => {
    const state = conditionOf(alert);
    return state === null ? [] : [{ key, alert, state }];
  });
  if (stateful.length === 0) return { states: [inactive(known.map(([, alert]) => alert))], moreGroups: 0 };
  const shown = stateful.slice(0, MOST_GROUPS).map(({ key, alert, state }): ExplainedState => {
    const group = rule.type === 'count' && alert.type === 'group' ? groupText(rule, key, alert, now) : '';
    return stateOf(rule, state, memory, { now, zone, group });
  });
  return { states: shown, moreGroups: stateful.length - shown.length };
}

const MOST_GROUPS = 10;

const STATE_WORDS = {
  pending: 'still-pending',
  firing: 'still-firing',
  recovering: 'still-recovering',
} as const satisfies Partial<Record<ConditionState['state'], keyof typeof REASON_WORDS>>;

interface At extends Moment {
  /** The group of a count, in words; empty if there is only one. */
  readonly group: string;
}

function stateOf(rule: StatefulAlert, state: ConditionState, memory: Memory, { group, ...moment }: At): ExplainedState {
  return {
    state: state.state,
    since: activeSince(state) ?? (state.state === 'pending' ? state.since : null),
    words: `${group}${stateText(rule, state, memory, moment)}`,
    heldBack: heldBack(rule, state, memory, moment),
    remarks: state.flaps > 0 ? [`untold since the last message: ${state.flaps}`] : [],
  };
}

function stateText(
  rule: StatefulAlert,
  state: ConditionState,
  { data, coveredUntil }: Memory,
  { now, zone }: Moment,
): string {
  const began = activeSince(state);
  const since = began === undefined ? '' : ` since ${showInZone(zone, began)}`;
  const wait = { pending: rule.forMs, recovering: rule.keepFiringForMs, inactive: 0, firing: 0 }[state.state];
  const counted = showDuration(heldFor(state, coveredUntil ?? now));
  const waits = wait === 0 ? '' : `, held ${counted} of ${showDuration(wait)}`;
  const isUnsure = isActive(state) && data !== null && data.state !== 'ok';
  const unsure = isUnsure ? `, unverified since ${showInZone(zone, data.since)}` : '';
  // The state is inactive also if the condition is unknown. So no words are added: the line of the condition shows why.
  const words = state.state === 'inactive' ? '' : `: ${REASON_WORDS[STATE_WORDS[state.state]]}`;
  return `${state.state}${since}${waits}${unsure}${words}`;
}

function heldBack(
  rule: StatefulAlert,
  state: ConditionState,
  { coveredUntil }: Memory,
  { now, zone }: Moment,
): string[] {
  const lines: string[] = [];
  const missing = rule.forMs - heldFor(state, coveredUntil ?? now);
  if (state.state === 'pending') lines.push(`\`for\`, for another ${showDuration(Math.max(0, missing))}`);
  if (state.cooldownUntil !== null && state.cooldownUntil > now)
    lines.push(
      `cooldown until ${showInZone(zone, state.cooldownUntil)}: until then messages about a firing are not sent`,
    );
  if (state.flapping !== null) lines.push(`flapping: ${REASON_WORDS.flapping}`);
  return lines;
}

/** `2 of 3 within 10m, ` */
function groupText({ fires }: CountAlert, key: string, group: GroupState, now: Instant): string {
  const { matches, condition } = group;
  const name = key === 'per ' ? '' : `${plain(untrusted(key.slice('per '.length)))} `;
  if (fires.type === 'at-least') {
    const count = matches.filter((at) => at > now - fires.withinMs && at <= now).length;
    return `${name}${count} of ${fires.count} within ${showDuration(fires.withinMs)}, `;
  }
  if (fires.type === 'in-a-row') {
    const { count } = streakOf(settled(group.row ?? [], fires.count), fires.count, now);
    return `${name}${count} of ${fires.count} in a row, `;
  }
  if (fires.type === 'sum' || fires.type === 'ratio') {
    const { items, total } = totalsOf(talliesAfter(group.tallies, now - fires.withinMs), now);
    const least = fires.type === 'sum' ? fires.least.toString() : `at least ${showPart(fires.part)}`;
    const so = fires.type === 'sum' ? `${total.toString()} of ${least}` : `${total.toString()} of ${items}, ${least}`;
    return `${name}${so} within ${showDuration(fires.withinMs)}, `;
  }
  const last = Math.max(condition.born, matches.at(-1) ?? 0);
  return `${name}none for ${showDuration(now - last)} of ${showDuration(fires.ms)}, `;
}

function inactive(alerts: readonly Alert[]): ExplainedState {
  return { state: 'inactive', since: null, words: `inactive${openOf(alerts)}`, heldBack: [], remarks: [] };
}

function eventState(alerts: readonly Alert[]): ExplainedState {
  const events = alerts.filter((alert) => alert.type === 'event');
  const countIn = (...states: readonly string[]) => events.filter(({ state }) => states.includes(state)).length;
  const [waiting, doubted] = [countIn('observed'), countIn('suspect')];
  return {
    state: 'event',
    since: null,
    words: `${countIn('confirmed')} sent and followed, ${waiting} waiting${openOf(alerts)}`,
    heldBack: waiting > 0 ? [REASON_WORDS.observed] : [],
    remarks: doubted > 0 ? [`${doubted} in doubt: ${REASON_WORDS.suspect}`] : [],
  };
}

/** The number of items whose condition is still unknown, in words; empty if there are none. */
function openOf(alerts: readonly Alert[]): string {
  const open = alerts.filter(({ type }) => type === 'open').length;
  return open === 0 ? '' : `, ${open} open: ${REASON_WORDS.open}`;
}
