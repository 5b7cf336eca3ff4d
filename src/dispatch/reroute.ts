// After a start or a reload: assigns open alerts and pending transitions to targets of the config in force.
//
//   a named target                 open alerts that it was not sent are pending for it; its group is computed again
//   a target no longer named       the end of a sent alert is pending; other pending transitions move to named targets
//   a target of a removed channel  the same, after `GONE_MS` without the channel: a half-saved file loses nothing
import type { Recipient } from '../core/model/ids.ts';
import { distinctTargets, isAmong, targetKey } from '../core/model/delivery.ts';
import { earliest, type Instant } from '../lib/clock.ts';
import { placeOf } from './group.ts';
import type { AlertEpisode, RecipientState, Withdrawal } from './model.ts';
import { isHeard, UNTOLD } from './owed.ts';
import type { RoutingRules } from './rounds/route-round.ts';
import type { Knowledge, Owing, Undeliverable } from './rounds/routing-round.ts';

/** An alert that is open, or has pending transitions, with the states of its targets. */
export interface ActiveAlert extends AlertEpisode {
  /** The newest transition that was routed, and the number of its notification. */
  readonly newest: number;
  readonly number: number;
  /** The seq of the begin of an open alert, or of an event that is not acknowledged; null: there is none. */
  readonly began: number | null;
  readonly known: readonly ActiveKnowledge[];
}

export interface ActiveKnowledge extends Knowledge {
  /** The first transition of what is over, and is in a message to the target that is not settled; null: there is none. */
  readonly overFrom: number | null;
}

type ReroutingRules = Omit<RoutingRules, 'unanswered'>;

/** By key of a removed target: when the config was first found without it. */
export type GoneTargets = Readonly<Record<string, Instant>>;

export interface Rerouted extends Owing {
  /** False: the target is sent no repeats. */
  readonly isNamed: boolean;
}

export interface RerouteResult {
  readonly rerouted: readonly Rerouted[];
  /** The states of targets that join. */
  readonly owing: readonly Owing[];
  readonly withdrawn: readonly Withdrawal[];
  /** Pending transitions of a former target, for which the config names no other target. */
  readonly undeliverable: readonly Undeliverable[];
  /** Open alerts to which the rule in force gives other labels. */
  readonly relabelled: readonly Pick<ActiveAlert, 'key' | 'labels'>[];
  /** Removed targets with states of these alerts. */
  readonly gone: GoneTargets;
}

const GONE_MS = 30_000;

/** Pure. `goneBefore`: the removed targets that earlier calls found. */
export function reroute(
  active: readonly ActiveAlert[],
  rules: ReroutingRules,
  goneBefore: GoneTargets,
  now: Instant,
): RerouteResult {
  const parts = active.map((alert) => rerouteOne(alert, rules, goneBefore, now));
  return {
    rerouted: parts.flatMap(({ rerouted }) => rerouted),
    owing: parts.flatMap(({ owing }) => owing),
    withdrawn: parts.flatMap(({ withdrawn }) => withdrawn),
    undeliverable: parts.flatMap(({ undeliverable }) => undeliverable),
    relabelled: parts.flatMap(({ relabelled }) => relabelled),
    gone: Object.assign({}, ...parts.map(({ gone }) => gone)) as GoneTargets,
  };
}

/**
 * `left`: targets that were removed at least `GONE_MS` ago, so nothing is pending for them. `nextAt`: when the next
 * target reaches that.
 */
export function leftBy(gone: GoneTargets, now: Instant): { readonly left: string[]; readonly nextAt: Instant | null } {
  const isLeft = ([, since]: [string, Instant]): boolean => isLong(since, now);
  const entries = Object.entries(gone);
  return {
    left: entries.filter(isLeft).map(([key]) => key),
    nextAt: earliest(entries.filter((one) => !isLeft(one)).map(([, since]) => since + GONE_MS)),
  };
}

/** True after `GONE_MS`. Also true if the clock was set back, so that no wait becomes longer. */
function isLong(since: Instant, now: Instant): boolean {
  return now - since >= GONE_MS || now < since;
}

function rerouteOne(before: ActiveAlert, rules: ReroutingRules, goneBefore: GoneTargets, now: Instant): RerouteResult {
  const { key } = before;
  const rule = rules.ruleOf(before.watch, before.alert, before.labels);
  const labels = rule?.type === 'rule' ? rule.labels : before.labels;
  const named = distinctTargets((rule?.channels ?? []).flatMap((channel) => rules.recipientsOf(channel) ?? []));
  const known = before.known.map((one) => standingOf(one, named, rules, goneBefore, now));
  const lost = known.filter(({ lostFrom }) => lostFrom !== null);
  const joining = joiningOf(before, named, known);
  const owing = ({ target, via, state }: Pick<Knowledge, 'target' | 'via' | 'state'>): Owing => {
    return { key, notification: null, group: placeOf({ key, labels }, target, rules), via, state };
  };
  return {
    rerouted: known.map((one) => ({ ...owing(one), isNamed: one.isNamed })),
    owing: joining.map(owing),
    withdrawn: known.flatMap(({ withdrawal }) => withdrawal ?? []),
    undeliverable: named.length > 0 ? [] : lost.map(({ target }) => undeliverableOn(target, before)),
    relabelled: JSON.stringify(labels) === JSON.stringify(before.labels) ? [] : [{ key, labels }],
    gone: Object.fromEntries(known.flatMap(goneEntry)),
  };
}

function undeliverableOn({ channel }: Recipient, alert: ActiveAlert): Undeliverable {
  return { channel, notification: { ...alert, seq: alert.newest }, why: 'the config names nobody for it any more' };
}

function goneEntry({ target, goneSince }: Standing): [string, Instant][] {
  return goneSince === null ? [] : [[targetKey(target), goneSince]];
}

/** A target with a state of an alert, after the rules in force were applied. */
interface Standing extends Pick<Knowledge, 'target' | 'via' | 'state'> {
  readonly isNamed: boolean;
  readonly goneSince: Instant | null;
  /** The seq of the first transition that is no longer pending for the target; null: there is none. */
  readonly lostFrom: number | null;
  /** The same, also for a target that was removed less than `GONE_MS` ago. */
  readonly waitsFrom: number | null;
  readonly withdrawal: Withdrawal | null;
}

function standingOf(
  known: ActiveKnowledge,
  named: readonly Recipient[],
  rules: ReroutingRules,
  goneBefore: GoneTargets,
  now: Instant,
): Standing {
  const { target, via, state } = known;
  const isThere = isAmong(target, rules.recipientsOf);
  const isNamed = isThere && (via !== 'route' || named.some((one) => targetKey(one) === targetKey(target)));
  const goneSince = isThere ? null : (goneBefore[targetKey(target)] ?? now);
  const stays = { target, via, state, isNamed, goneSince, lostFrom: null, waitsFrom: null, withdrawal: null };
  if (isNamed) return stays;
  // If nobody is named, it stays with the target, which the config still has.
  const isOverMoved = !isThere || (named.length > 0 && isOverUnsent(known));
  const left = leftBehind(isOverMoved ? known : { ...known, overFrom: null }, !isThere);
  const isMoved = goneSince === null || isLong(goneSince, now);
  return { ...stays, ...(isMoved ? left : {}), waitsFrom: left.lostFrom };
}

/**
 * A target that is no longer named keeps only the end of an alert that it was sent. A removed target is not tried
 * again.
 */
function leftBehind(
  { key, target, state, overFrom }: ActiveKnowledge,
  isGone: boolean,
): Pick<Standing, 'state' | 'lostFrom' | 'withdrawal'> {
  const free = { ...state, held: null, heldAt: null, renewed: null };
  const { begun } = state;
  if (begun !== null && (isGone ? state.notified >= begun : isHeard(state)))
    return { state: { ...state, renewed: null }, lostFrom: overFrom, withdrawal: null };
  const first = overFrom ?? begun;
  if (first === null) {
    const lostFrom = state.wanted > state.closed ? state.closed + 1 : null;
    return { state: { ...free, wanted: state.closed }, lostFrom, withdrawal: null };
  }
  const before = first - 1;
  return {
    state: { ...free, wanted: before, closed: before, begun: null, owed: null },
    lostFrom: first,
    withdrawal: isGone ? null : { target, key, from: first, as: 'cancelled' },
  };
}

/** True if no message about what is over, or about what followed, can have arrived. */
function isOverUnsent({ overFrom, state: { begun, owed, notified, maybeNotified } }: ActiveKnowledge): boolean {
  return overFrom !== null && begun === null && owed === 'untried' && Math.max(notified, maybeNotified) < overFrom;
}

const RELOADED: RecipientState['renewed'] = { why: 'reload', by: null };

/**
 * The states of named targets that were not sent an open alert, or transitions that are lost for former targets. What
 * waits for a removed target from before an open alert is sent together with it, since it cannot follow later.
 */
function joiningOf(
  { began, newest, known }: ActiveAlert,
  named: readonly Recipient[],
  standings: readonly Standing[],
): Pick<Knowledge, 'target' | 'via' | 'state'>[] {
  const lost = standings.flatMap(({ lostFrom, waitsFrom }) => (began === null ? lostFrom : waitsFrom) ?? []);
  const froms = [...lost, ...(began === null ? [] : [began])].toSorted((a, b) => a - b);
  const joinedAs = (target: Recipient): ReturnType<typeof joinOf>[] =>
    froms.map((from) => joinOf(target, { known, newest }, from));
  return named.flatMap((target) => joinedAs(target).find(({ length }) => length > 0) ?? []);
}

/**
 * Makes the transitions from seq `from` on pending for the target. Empty if it was sent them, or they are pending
 * already. A target that was called, and not sent the alert, is sent it as a named one: its call may be needless now.
 */
export function joinOf(
  target: Recipient,
  { known, newest }: { readonly known: readonly Knowledge[]; readonly newest: number },
  from: number,
): Pick<Knowledge, 'target' | 'via' | 'state'>[] {
  const before = known.find((one) => targetKey(one.target) === targetKey(target));
  const { via, state } = before ?? { via: 'route', state: UNTOLD };
  if (state.begun !== null || (via === 'route' && state.wanted >= from)) return [];
  return [{ target, via: 'route', state: { ...state, wanted: newest, closed: from - 1, renewed: RELOADED } }];
}
