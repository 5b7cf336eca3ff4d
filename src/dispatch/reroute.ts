// After a start or a reload: assigns open alerts and pending transitions to targets of the config in force.
//
//   a named target                 open alerts that it was not sent are pending for it; its group is computed again
//   a target no longer named       the end of a sent alert is pending; other pending transitions move to named targets
//   a target of a removed channel  the same, after `GONE_MS` without the channel: a half-saved file loses nothing
import type { Recipient } from '../core/model/ids.ts';
import { isAmong, recipientsOn, targetKey } from '../core/model/delivery.ts';
import { earliest, type Instant } from '../lib/clock.ts';
import { placeOf } from './group.ts';
import type { AlertEpisode, Key, Withdrawal } from './model.ts';
import type { RoutingRules } from './rounds/route-round.ts';
import type { Informed, Knowledge, Owing, Undeliverable } from './rounds/routing-round.ts';
import { formerTarget, inOrder, isUncertain, joinOf, NOT_HELD, unsentFrom, type Unsent } from './takeover.ts';

/** An alert that is open, or has pending transitions, with the states of its targets. */
export interface ActiveAlert extends AlertEpisode {
  /** The newest transition that was routed, and the number of its notification. */
  readonly newest: number;
  readonly number: number;
  /** The seq of the begin of an open alert, or of an event that is not acknowledged; null: there is none. */
  readonly began: number | null;
  readonly known: readonly Knowledge[];
  /** Keys of the alerts in a summary; empty for other notifications. */
  readonly members: readonly Key[];
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
  /** Targets that are sent a summary in place of others. */
  readonly informed: readonly Informed[];
  /** Targets that were not sent a summary, and are not sent it any more: they were not sent its events either. */
  readonly uninformed: readonly Informed[];
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
    informed: parts.flatMap(({ informed }) => informed),
    uninformed: parts.flatMap(({ uninformed }) => uninformed),
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

function rerouteOne(read: ActiveAlert, rules: ReroutingRules, goneBefore: GoneTargets, now: Instant): RerouteResult {
  const before = { ...read, known: read.known.map((one) => ifBack(one, read, rules, goneBefore)) };
  const { key } = before;
  const rule = rules.ruleOf(before.watch, before.alert, before.labels);
  const labels = rule?.type === 'rule' ? rule.labels : before.labels;
  const named = recipientsOn(rule?.channels ?? [], rules.recipientsOf);
  const known = before.known.map((one) => standingOf(one, named, rules, goneBefore, now));
  const lost = known.filter((one) => one.lost !== null);
  const joining = joiningOf(before, named, known);
  const owing = ({ target, via, state }: Pick<Knowledge, 'target' | 'via' | 'state'>): Owing => {
    return { key, notification: null, group: placeOf({ key, labels }, target, rules), via, state };
  };
  return {
    rerouted: known.map((one) => ({ ...owing(one), isNamed: one.isNamed })),
    owing: joining.map(owing),
    withdrawn: known.flatMap(({ withdrawal }) => withdrawal ?? []),
    informed: informedOf(before, joining),
    uninformed: informedOf(
      before,
      lost.filter(({ state }) => state.begun === null),
    ),
    undeliverable: named.length > 0 ? [] : lost.map(({ target }) => undeliverableOn(target, before)),
    relabelled: JSON.stringify(labels) === JSON.stringify(before.labels) ? [] : [{ key, labels }],
    gone: Object.fromEntries(known.flatMap(goneEntry)),
  };
}

/**
 * A target that is back is sent the open alert if no message about it is known to have arrived. It has the id of the
 * cancelled one, and is marked as a copy if that may have arrived.
 */
function ifBack(
  known: Knowledge,
  { began }: ActiveAlert,
  { recipientsOf }: ReroutingRules,
  goneBefore: GoneTargets,
): Knowledge {
  const { target, state } = known;
  const { begun, owed } = state;
  const isBack = targetKey(target) in goneBefore && isAmong(target, recipientsOf);
  const isCancelled = isBack && owed === null && isUncertain(state);
  if (began === null || begun === null || begun < began || !isCancelled) return known;
  return { ...known, state: unsentFrom(begun, state) };
}

function informedOf({ number, members }: ActiveAlert, targets: readonly Pick<Knowledge, 'target'>[]): Informed[] {
  return members.length === 0 ? [] : targets.map(({ target }) => ({ number, keys: members, target }));
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
  /** Transitions that are no longer pending for the target; null: there are none. */
  readonly lost: Unsent | null;
  /** The same, also for a target that was removed less than `GONE_MS` ago. */
  readonly waiting: Unsent | null;
  readonly withdrawal: Withdrawal | null;
}

function standingOf(
  known: Knowledge,
  named: readonly Recipient[],
  rules: ReroutingRules,
  goneBefore: GoneTargets,
  now: Instant,
): Standing {
  const { target, via, state } = known;
  const former = formerTarget(known, named, rules.recipientsOf);
  const stays = { target, via, state, isNamed: former === null, goneSince: null, lost: null, withdrawal: null };
  if (former === null) return { ...stays, waiting: null };
  const { isGone, waiting } = former;
  const goneSince = isGone ? (goneBefore[targetKey(target)] ?? now) : null;
  if (goneSince !== null && !isLong(goneSince, now)) return { ...stays, goneSince, waiting };
  return { ...stays, goneSince, state: former.state, lost: waiting, waiting, withdrawal: former.withdrawal };
}

/**
 * The states of named targets that were not sent an open alert, or transitions that are lost for former targets. What
 * waits for a removed target from before an open alert is sent together with it, since it cannot follow later.
 */
function joiningOf(
  { began, newest, known }: ActiveAlert,
  named: readonly Recipient[],
  standings: readonly Standing[],
): Pick<Knowledge, 'target' | 'via' | 'state'>[] {
  const moved = standings.flatMap(({ lost, waiting }) => (began === null ? lost : waiting) ?? []);
  const all = inOrder([...moved, ...(began === null ? [] : [{ from: began, ...NOT_HELD }])]);
  const joinedAs = (target: Recipient): ReturnType<typeof joinOf>[] =>
    all.map((waiting) => joinOf(target, { known, newest }, waiting));
  return named.flatMap((target) => joinedAs(target).find(({ length }) => length > 0) ?? []);
}
