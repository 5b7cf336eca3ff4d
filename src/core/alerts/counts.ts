// Alerts of `on:` with `at_least:` or `none_for:`. They count matching items by the items' own times, late ones
// included, and are evaluated only at complete polls. `per` splits the items into groups with separate states.
//
// A burst may lie between two polls, or on both sides of one, so `at_least` is evaluated at the time of the poll, and
// at the own time of each item since the last complete poll.
import { typeAt, type AnyRecord, type AnyView } from '../values/fields.ts';
import { truthOfAll } from '../model/health.ts';
import { stepConditionState } from './conditions/condition-alert.ts';
import { newCondition } from './conditions/condition-state.ts';
import { pageOf, pathsToShow } from './message.ts';
import { namesOf, type Counted } from './sentence.ts';
import { newestOf, type DetectedEvent } from '../model/detection.ts';
import { withOthers, withReason } from './counted-beside.ts';
import { countedIn, isOver, keptAt, lastHeld, mostNeeded } from './count-window.ts';
import { replacedSince, rowAfter, settled } from './in-a-row.ts';
import type { CountedItem, GroupState, Tally } from '../model/memory.ts';
import type { Transition } from '../model/transition.ts';
import { readsOfCount, type CountAlert, type Watch } from '../model/watch/watch.ts';
import { idOf, withoutClaims } from '../model/watch/identity.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Steps } from '../../lib/steps.ts';
import type { FiringAlert, Reason } from '../model/decision.ts';
import type { EvaluationContext } from '../model/watch/condition.ts';
import type { Truth } from '../model/ids.ts';
import {
  type AlertEvaluation,
  type AlertPoll,
  type AlertsByKey,
  ALL_ITEMS,
  amountAt,
  contextOf,
  readsMissing,
  sameOr,
  unread,
} from './alert-evaluation.ts';
import { matchEvents, type Match } from './events/event-matching.ts';
import { spansOf, waitingItems, waitingUnread, type WaitingItems } from './waiting-items.ts';
import { ONE, tallied, ZERO } from './tallies.ts';
import { encodedAt, type Remembered, viewOf } from '../values/encoded.ts';

interface CountPoll extends AlertPoll {
  readonly waiting: WaitingItems;
}

export function* stepCounts(alertPoll: AlertPoll, alert: CountAlert, known: AlertsByKey): Steps<AlertEvaluation> {
  if (alertPoll.detection === null)
    return unchangedCounts({ ...alertPoll, waiting: waitingUnread(known) }, alert, known);
  const happened = alertPoll.detection.events.filter(({ on }) => on === alert.on);
  const events = withoutClaims(alertPoll.watch, alert, happened);
  const matched = yield* matchEvents(alertPoll, alert, events, known);
  const waiting = waitingItems(known, { at: alertPoll.time.at, events }, matched);
  const poll: CountPoll = { ...alertPoll, waiting };
  const groups = groupsOf(known);
  const before = new Map(groups);
  // Items of the baseline are not counted. Only `none_for` gets them, since it needs the time of the last item.
  const past =
    alert.fires.type === 'none-for'
      ? matched.matchingBaseline.map((event) => ({
          event,
          context: contextOf(event, null, poll.time.at),
          unjudged: null,
          isHit: true,
          isClaim: false,
        }))
      : [];
  if (alert.fires.type === 'in-a-row')
    addToRow(groups, poll, alert, { ...alert.fires, events, matches: matched.matches });
  else for (const match of [...past, ...matched.matches]) addTo(groups, poll, alert, match);
  if (alert.per.length === 0 && !groups.has(ALL_ITEMS))
    groups.set(ALL_ITEMS, newGroup(poll.time.at, meaningOf(alert, poll.watch.kind.fields)));
  const all = groups.get(ALL_ITEMS);
  if (alert.fires.type === 'none-for' && all !== undefined) {
    const known = before.get(ALL_ITEMS);
    const others = known === undefined ? [...matched.otherBaseline, ...matched.others] : matched.others;
    groups.set(ALL_ITEMS, withOthers(all, known, { others, at: poll.time.at }));
  }
  const stepped = [...groups].map(([key, group]) => stepGroup(poll, alert, key, group, before.get(key)));
  return {
    alerts: sameOr(known, [...matched.open, ...stepped.flatMap(({ entry }) => entry)]),
    transitions: stepped.flatMap(({ transitions }) => transitions),
    firing: stepped.flatMap(({ firing }) => firing),
    reasons: [...matched.reasons, ...stepped.flatMap(({ reasons }) => reasons)],
    truth: truthOfAll(stepped.map(({ truth }) => truth)),
    matchingBaseline: matched.matchingBaseline.length,
    needs: null,
  };
}

/**
 * A hash of the sort of count, the items that it counts, their groups and the added values. A count with a changed
 * limit or span keeps its hash and goes on. With other `units` the same words mean other amounts.
 */
export function meaningOf(alert: CountAlert, fields: AnyRecord): string {
  const { on, if: selector, fires, per } = alert;
  const counted = fires.type === 'sum' ? fires.path : fires.type === 'ratio' ? (fires.of?.text ?? null) : null;
  const units = [...readsOfCount(alert), ...per].flatMap((path) => unitsAt(fields, path));
  const meaning = [on, selector?.text ?? null, fires.type, counted, per];
  return idOf(JSON.stringify(units.length === 0 ? meaning : [...meaning, units]));
}

function unitsAt(fields: AnyRecord, path: string): readonly string[] {
  const type = typeAt(fields, path);
  return type?.type === 'amount' && type.decimals !== undefined ? [`${path} ${type.decimals}`] : [];
}

/** A missed poll: no group changes. */
function unchangedCounts(poll: CountPoll, alert: CountAlert, known: AlertsByKey): AlertEvaluation {
  const lived = [...groupsOf(known)].map(([key, group]) => stepGroup(poll, alert, key, group, group));
  const rest = Object.entries(known).filter(([, { type }]) => type !== 'group');
  return {
    ...unread(known),
    alerts: sameOr(known, [...rest, ...lived.flatMap(({ entry }) => entry)]),
    firing: lived.flatMap(({ firing }) => firing),
  };
}

/** Separates the keys of groups from those of open items, which are hashes. */
const PREFIX = 'per ';
const OTHERS = `${PREFIX}others`;
const MOST_GROUPS = 100;

function groupsOf(known: AlertsByKey): Map<string, GroupState> {
  return new Map(Object.entries(known).flatMap(([key, alert]) => (alert.type === 'group' ? [[key, alert]] : [])));
}

function addTo(groups: Map<string, GroupState>, poll: CountPoll, alert: CountAlert, match: Match): void {
  const { event } = match;
  const wanted = keyOf(alert, event.view);
  const key = groups.has(wanted) || groups.size < MOST_GROUPS ? wanted : OTHERS;
  // A group is born at the own time of its first item. So two replicas that see the item at different polls give the
  // group the same key.
  const isRest = alert.fires.type === 'none-for';
  const born = isRest ? poll.time.at : (event.happenedAt ?? poll.time.at);
  const group = groups.get(key) ?? newGroup(born, meaningOf(alert, poll.watch.kind.fields));
  const tallies = withTally(poll, alert, group, match);
  if (!match.isHit) {
    groups.set(key, { ...group, tallies });
    return;
  }
  const matches = [...group.matches, event.happenedAt ?? poll.time.at].toSorted((a, b) => a - b);
  const items = isRest ? [] : [...group.items, itemOf(poll, event)];
  const at = event.happenedAt ?? poll.time.at;
  const reasons = isRest ? undefined : withReason(poll.watch.kind, group.reasons, { event, at });
  groups.set(key, {
    ...group,
    matches: matches.slice(-(mostNeeded(alert) + MOST_UNJUDGED)),
    tallies,
    items: items.toSorted((a, b) => a.at - b.at).slice(-MOST_ITEMS),
    ...(reasons === undefined ? {} : { reasons }),
    last: remember(poll, alert, event.view, key),
  });
}

interface RowItems {
  readonly count: number;
  readonly events: readonly DetectedEvent[];
  readonly matches: readonly Match[];
}

function addToRow(
  groups: Map<string, GroupState>,
  poll: AlertPoll,
  alert: CountAlert,
  { count, events, matches }: RowItems,
): void {
  const group = groups.get(ALL_ITEMS) ?? newGroup(poll.time.at, meaningOf(alert, poll.watch.kind.fields));
  const before = group.row ?? [];
  const isReplaced = replacedSince(poll, judgedUntil(poll, group));
  const { kind } = poll.watch;
  const row = rowAfter(before, { kind, limit: count, at: poll.time.at, events, matches, isReplaced });
  if (row === before) return;
  const judged = matches.map(({ event, isHit }) => ({ item: itemOf(poll, event), event, isHit }));
  const places = new Set(judged.map(({ item }) => item.place));
  const hits = judged.filter(({ isHit }) => isHit);
  const items = [...group.items.filter(({ place }) => !places.has(place)), ...hits.map(({ item }) => item)];
  const newest = newestOf(hits.map(({ event }) => event));
  groups.set(ALL_ITEMS, {
    ...group,
    row,
    items: items.toSorted((a, b) => a.at - b.at).slice(-MOST_ITEMS),
    last: newest === null ? group.last : remember(poll, alert, newest.view),
  });
}

function withTally(poll: CountPoll, alert: CountAlert, group: GroupState, match: Match): readonly Tally[] {
  const { fires } = alert;
  const { tallies } = group;
  if (fires.type !== 'sum' && fires.type !== 'ratio') return tallies;
  const at = match.event.happenedAt ?? poll.time.at;
  const counted = match.isHit ? ONE : ZERO;
  const amount = fires.type === 'sum' ? (amountAt(match.context, fires.path) ?? ZERO) : counted;
  return tallied(
    tallies,
    { at, amount },
    {
      now: poll.time.at,
      withinMs: fires.withinMs,
      judgedUntil: Math.min(judgedUntil(poll, group), poll.waiting.since),
    },
  );
}

const MOST_ITEMS = 5;

function itemOf({ watch, time }: AlertPoll, { view, happenedAt }: DetectedEvent): CountedItem {
  const place = watch.kind.wording.place?.({ names: namesOf(watch), view }) ?? '';
  return { at: happenedAt ?? time.at, place, page: pageOf(watch, view) };
}

function keyOf({ per }: CountAlert, view: AnyView): string {
  if (per.length === 0) return ALL_ITEMS;
  return PREFIX + JSON.stringify(per.map((path) => encodedAt(view, path)));
}

/** Besides `mostNeeded`, this many matches are kept until they are evaluated. */
const MOST_UNJUDGED = 1000;

/** The group of the rest has items with many values, so a message names none of them. */
function remember({ watch }: AlertPoll, alert: CountAlert, view: AnyView, key = ALL_ITEMS): Remembered {
  const shown = pathsToShow(watch, alert);
  const paths = key === OTHERS ? shown.filter((path) => !alert.per.includes(path)) : [...shown, ...alert.per];
  return Object.fromEntries(paths.map((path) => [path, encodedAt(view, path)]));
}

interface GroupStep {
  /** Empty when there is nothing left to remember. */
  readonly entry: readonly (readonly [string, GroupState])[];
  readonly transitions: readonly Transition[];
  readonly reasons: readonly Reason[];
  readonly firing: readonly FiringAlert[];
  readonly truth: Truth;
}

function stepGroup(
  poll: CountPoll,
  alert: CountAlert,
  key: string,
  group: GroupState,
  before: GroupState | undefined,
): GroupStep {
  const { at } = poll.time;
  const isJudged = poll.isComplete && !poll.isStale && !readsMissing(poll, { reads: readsOfCount(alert) });
  const from = judgedUntil(poll, group);
  const heldAt = isJudged ? (lastHeld(alert, group, { from, at }) ?? heldLate(poll, alert, group, before)) : null;
  const isKnown = isJudged && !(heldAt !== null && mayHide(alert, poll));
  const truth = isKnown ? heldAt !== null : 'unknown';
  const shown = subjectOfCount(poll.watch, alert, group, heldAt ?? at);
  const subject = { key: key === ALL_ITEMS ? '' : key, ...shown };
  const stepped = stepConditionState(poll, alert, group.condition, { while: truth, until: null }, subject);
  const unjudgedFrom = isJudged ? undefined : poll.detection === null ? group.unjudgedFrom : from;
  const isSame = before === group && stepped.state === group.condition && unjudgedFrom === group.unjudgedFrom;
  const kept = keptAt(alert, group, Math.min(isJudged ? at : from, poll.waiting.since));
  const after = isSame
    ? group
    : { ...kept, ...(isJudged ? evaluated(alert, kept) : {}), unjudgedFrom, condition: stepped.state };
  const entry = isOver(alert, after, Math.min(at, poll.waiting.since)) ? [] : [[key, after] as const];
  return { entry, truth, transitions: stepped.transitions, reasons: stepped.reasons, firing: stepped.firing };
}

/**
 * The time before this poll at which the condition held because of items that waited; null if it did not hold, or would
 * have held without them.
 */
function heldLate(
  { waiting: { ended }, time: { at } }: CountPoll,
  alert: CountAlert,
  group: GroupState,
  before: GroupState | undefined,
): Instant | null {
  const { fires } = alert;
  if (ended.length === 0 || fires.type === 'none-for' || fires.type === 'in-a-row') return null;
  const moments = spansOf(ended, fires.withinMs).flatMap(
    (span) => lastHeld(alert, group, { ...span, at: Math.min(at, span.at) }) ?? [],
  );
  const hadHeld = (then: Instant): boolean =>
    before !== undefined && lastHeld(alert, before, { from: then, at: then }) !== null;
  return moments.findLast((then) => !hadHeld(then)) ?? null;
}

/** True if an item that ends the absence may be among those that are never read. */
function mayHide({ fires }: CountAlert, { detection, time }: AlertPoll): boolean {
  const hidAt = detection?.hidAt;
  return fires.type === 'none-for' && hidAt !== undefined && time.at - hidAt < fires.ms;
}

/** The items that are kept after their evaluation. */
function evaluated(alert: CountAlert, { matches, row }: GroupState): Pick<GroupState, 'matches' | 'row'> {
  const { fires } = alert;
  const ofRow = fires.type === 'in-a-row' && row !== undefined ? { row: settled(row, fires.count) } : {};
  return { matches: matches.slice(-mostNeeded(alert)), ...ofRow };
}

/** Up to this time, items were evaluated at their own times. */
function judgedUntil({ time }: AlertPoll, { unjudgedFrom }: GroupState): Instant {
  return Math.min(time.at, unjudgedFrom ?? time.coveredUntil ?? time.at);
}

/** The values of a group that a message as of `at` shows. */
export function subjectOfCount(
  { kind }: Watch,
  alert: CountAlert,
  group: GroupState,
  at: Instant,
): { readonly context: EvaluationContext; readonly counted: Counted } {
  const view = viewOf(kind.fields, (group.last ?? {}) as Remembered);
  return { context: contextOf({ view }, null, at), counted: countedIn(alert, keptAt(alert, group, at), at) };
}

/** Like `subjectOfCount`, but between two polls: items that wait for their evaluation are left out. */
export function subjectOfCountNow(
  watch: Watch,
  alert: CountAlert,
  group: GroupState,
  at: Instant,
): ReturnType<typeof subjectOfCount> {
  return subjectOfCount(watch, alert, { ...group, ...evaluated(alert, group) }, at);
}

/** A group in which nothing was counted yet. */
function newGroup(born: number, meaning: string): GroupState {
  return { type: 'group', meaning, condition: newCondition(born), matches: [], tallies: [], items: [], last: null };
}
