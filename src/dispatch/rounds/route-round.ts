// Chooses the targets of transitions, and their groups.
//
//   event, reinstated, firing  every recipient of the channels that the rule and the routes lead to
//   all transitions            targets with a state of the alert; called targets, until its end
//
// A summary is an event of its own. It covers its members, so later transitions of them are pending for its targets.
import type { AlertId, Recipient, RecipientsOf, Severity, WatchId } from '../../core/model/ids.ts';
import { isBegin, isNowTrue, type ToldUnrecorded } from '../../core/model/transition.ts';
import { placeOf, type GroupingRules } from '../group.ts';
import type { Key, Labels, RecipientState, Routing, Withdrawal } from '../model.ts';
import { isAnswered, needsAck } from '../escalate.ts';
import { isEnd, isHeard, stateAfterTelling, stateOwing, UNTOLD } from '../owed.ts';
import { criticalOf } from '../batches.ts';
import { formerTarget, inOrder, knownBy, takenOver, type Unsent } from '../takeover.ts';
import { distinctTargets, recipientsOn, targetKey } from '../../core/model/delivery.ts';
import type {
  Informed,
  Knowledge,
  Owing,
  RoutingResult,
  RoutingRound,
  ToldBefore,
  Turned,
  Unrouted,
} from './routing-round.ts';

/**
 * Channels, labels and severity that the rule in force gives an alert. `fixed`: for an alert of the daemon about
 * itself, whose labels never change.
 */
export type RuleInForce =
  | { readonly type: 'fixed'; readonly channels: readonly string[] }
  | {
      readonly type: 'rule';
      readonly channels: readonly string[];
      readonly labels: Labels;
      readonly severity: Severity;
    };

/** The channels and routes of the config in force. */
export interface RoutingRules extends GroupingRules {
  readonly recipientsOf: RecipientsOf;
  /** `labels`: of the alert, which may be a claim. Null: the rule was removed. */
  readonly ruleOf: (watch: WatchId, alert: AlertId, labels: Labels) => RuleInForce | null;
  /** Channels on which nobody can answer. */
  readonly unanswered: readonly string[];
}

/** Pure: the same round and rules give the same result. */
export function routeRound(round: RoutingRound, rules: RoutingRules): RoutingResult {
  const { unrouted, retracting } = round;
  const finished = retracting.filter(({ isFinished }) => isFinished);
  const called = informedByCalls(round);
  const knownOf = knownIn(finished, [...round.known, ...called.flatMap(knownWith)]);
  const unsent = finished.map((summary) => endedOf(summary, knownOf(summary.key).filter(isUnheard), rules));
  const parts = unrouted.map((notification) =>
    notification.members.length > 0
      ? routeSummary(notification, knownOf, rules)
      : routeOne(notification, knownOf(notification.key), rules),
  );
  const closed = finished.map((summary): Turned => ({ type: 'closed', notification: summary }));
  return {
    owing: [...unsent, ...parts].flatMap(({ owing }) => owing),
    told: parts.flatMap(({ told }) => told),
    informed: [...called, ...parts.flatMap(({ informed }) => informed)],
    turned: [...parts.flatMap(({ turned }) => turned), ...closed],
    withdrawn: [...unsent, ...parts].flatMap(({ withdrawn }) => withdrawn),
    undeliverable: parts.flatMap(({ undeliverable }) => undeliverable),
  };
}

/**
 * A target that was not sent a summary was not sent its events either. So if all of them are retracted, neither the
 * summary is sent, nor their end.
 */
function knownIn(finished: readonly Unrouted[], known: readonly Knowledge[]): (key: Key) => readonly Knowledge[] {
  const byKey = Map.groupBy(known, ({ key }) => key);
  const unsentBy = new Map<Key, Set<string>>();
  for (const { key: summary, members } of finished) {
    const targets = (byKey.get(summary) ?? []).filter(isUnheard).map(({ target }) => targetKey(target));
    for (const key of members) unsentBy.set(key, new Set([...(unsentBy.get(key) ?? []), ...targets]));
  }
  const asSent = (one: Knowledge): Knowledge =>
    unsentBy.get(one.key)?.has(targetKey(one.target)) === true
      ? { ...one, state: { ...one.state, maybeNotified: 0 } }
      : one;
  return (key) => (byKey.get(key) ?? []).map(asSent);
}

/** Targets that were called about a summary were sent its events with it. Those are listed that this round retracts. */
function informedByCalls({ unrouted, retracting, known }: RoutingRound): Informed[] {
  if (retracting.length === 0) return [];
  const byKey = Map.groupBy(known, ({ key }) => key);
  const retracted = new Set(unrouted.flatMap(({ key, members }) => [key, ...members]));
  return retracting.flatMap(({ number, key: summary, members, isFinished }) => {
    const called = (byKey.get(summary) ?? []).filter((one) => isCalled(one, isFinished));
    return called.map(({ target }) => {
      const isNew = (key: Key): boolean => retracted.has(key) && knownBy(target, byKey.get(key) ?? []) === undefined;
      return { number, keys: members.filter(isNew), target };
    });
  });
}

/** True for a target that was called about the summary, if the summary was sent to it, or will be. */
function isCalled({ via, state }: Knowledge, isFinished: boolean): boolean {
  const isPending = state.owed !== null || state.wanted > state.closed;
  return via !== 'route' && (isHeard(state) || (isPending && !isFinished));
}

/** The states as they are written for `informed`. */
function knownWith({ keys, target }: Informed): Knowledge[] {
  const state = { ...UNTOLD, wanted: 1, closed: 1, begun: 1, maybeNotified: 1 };
  return keys.map((key) => ({ key, target, via: 'route', state, overFrom: null }));
}

function isUnheard({ state }: Knowledge): boolean {
  return !isHeard(state);
}

function routeOne(notification: Unrouted, known: readonly Knowledge[], rules: RoutingRules): RoutingResult {
  const named = targetsOf(notification, rules);
  const told = new Map(notification.told.map((one) => [targetKey(one), one]));
  const namedKeys = new Set(named.map(targetKey));
  const knowing = new Set(known.map(({ target }) => targetKey(target)));
  const hearing = [...(isNowTrue(notification.transition) ? named : []), ...notification.told.map(recipientOf)];
  const joining = distinctTargets(hearing).filter((target) => !knowing.has(targetKey(target)));
  const all = [...known, ...joining.map((target) => ({ target, via: 'route' as const, state: UNTOLD }))];
  const waiting = waitingBefore(notification, known, named, rules);
  const owing = all.flatMap(({ target, state, via }): Owing[] => {
    const name = targetKey(target);
    const isNamed = namedKeys.has(name);
    const wasTold = told.has(name);
    const before = isNamed ? withWaiting({ via, state }, waiting) : state;
    const owed = stateOwing(before, notification, isNamed || wasTold || via !== 'route');
    if (owed === null || owed === state) return [];
    const next = wasTold ? stateAfterTelling(owed, notification) : owed;
    const group = placeOf(notification, target, rules);
    const last = isEnd(notification.transition) ? 'route' : via;
    return [{ key: notification.key, notification: notification.number, group, via: last, state: next }];
  });
  return {
    owing,
    told: notification.told.map((telling) => toldBefore(notification, telling, rules)),
    informed: [],
    withdrawn: [],
    turned: turnedBy(notification, rules),
    undeliverable: lostIn(notification, rules),
  };
}

/** Transitions that former targets were not sent. They cannot be sent after something that is so now. */
function waitingBefore(
  { transition }: Unrouted,
  known: readonly Knowledge[],
  named: readonly Recipient[],
  { recipientsOf }: RoutingRules,
): readonly Unsent[] {
  if (!isNowTrue(transition)) return [];
  return inOrder(known.flatMap((one) => formerTarget(one, named, recipientsOf)?.waiting ?? []));
}

function withWaiting(of: Pick<Knowledge, 'via' | 'state'>, waiting: readonly Unsent[]): RecipientState {
  return waiting.map((one) => takenOver(of, one)).find((state) => state !== null) ?? of.state;
}

function recipientOf({ channel, recipient }: ToldUnrecorded): Recipient {
  return { channel, recipient };
}

function toldBefore(notification: Unrouted, telling: ToldUnrecorded, rules: RoutingRules): ToldBefore {
  const { transition, labels } = notification;
  return {
    notification,
    telling,
    group: placeOf(notification, recipientOf(telling), rules),
    critical: criticalOf([{ ...notification, isEvent: transition === 'event' }]),
    counts: isBegin(transition) && !rules.unanswered.includes(telling.channel),
    isAnswered: isAnswered(rules.routingOf(labels)),
  };
}

/** The state of a target that joins an alert: later transitions are pending for it. */
function joiningAt({ seq }: Unrouted, target: Recipient): Pick<Knowledge, 'target' | 'state' | 'via'> {
  return { target, state: { ...UNTOLD, wanted: seq - 1, closed: seq - 1 }, via: 'route' };
}

/** A summary is pending for the targets of its members. */
function routeSummary(
  notification: Unrouted,
  knownOf: (key: Key) => readonly Knowledge[],
  rules: RoutingRules,
): RoutingResult {
  // If it was routed before, then only for targets that have taken its events over since.
  const before = new Set(knownOf(notification.key).map(({ target }) => targetKey(target)));
  const members = notification.members.flatMap(knownOf).filter(({ target }) => !before.has(targetKey(target)));
  const isBack = notification.transition === 'reinstated';
  const knowing = members.filter(({ state }) => isBack || isHeard(state)).map(({ target }) => target);
  const named = isBegin(notification.transition) ? targetsOf(notification, rules) : [];
  const summaries = distinctTargets([...named, ...knowing]).map((target): Owing => {
    const { state, via } = joiningAt(notification, target);
    const group = placeOf(notification, target, rules);
    return {
      key: notification.key,
      notification: notification.number,
      group,
      via,
      // The target was sent the members, so their end counts as the end of a sent alert and passes every mute.
      state: { ...state, wanted: notification.seq, begun: isEnd(notification.transition) ? state.closed : null },
    };
  });
  const { owing, ...others } = membersAfter(notification, members, rules);
  const turned =
    before.size > 0 ? [] : isOfEvents(notification) ? turnedBy(notification, rules) : membersClosed(notification);
  const undeliverable = lostIn(notification, rules);
  return { ...others, owing: [...owing, ...summaries], told: [], turned, undeliverable };
}

/** True for a summary of events. They count as one open alert until somebody answers. */
function isOfEvents({ transition }: Unrouted): boolean {
  return transition === 'event' || transition === 'reinstated';
}

/** Closes each member, since an event that was sent singly has a row of its own. */
function membersClosed(notification: Unrouted): Turned[] {
  if (!isEnd(notification.transition)) return [];
  return notification.members.map((key) => ({ type: 'closed', notification: { ...notification, key } }));
}

type OfMembers = Pick<RoutingResult, 'owing' | 'informed' | 'withdrawn'>;

/** The states of targets for the members of a summary after the summary is pending. */
function membersAfter(notification: Unrouted, members: readonly Knowledge[], rules: RoutingRules): OfMembers {
  const nothing: OfMembers = { owing: [], informed: [], withdrawn: [] };
  switch (notification.transition) {
    case 'event': {
      const { number, members: keys } = notification;
      return { ...nothing, informed: targetsOf(notification, rules).map((target) => ({ number, keys, target })) };
    }
    case 'retracted':
    case 'resolved':
      return { ...nothing, ...endedOf(notification, members, rules) };
    case 'reinstated':
      return { ...nothing, owing: changed(notification, members, rules, reinstated) };
    case 'firing':
    case 'corrected':
      return nothing;
  }
}

/** Ends the members. Their untried transitions are withdrawn. */
function endedOf(
  notification: Unrouted,
  members: readonly Knowledge[],
  rules: RoutingRules,
): Pick<OfMembers, 'owing' | 'withdrawn'> {
  const withdrawn = members
    .filter(({ state }) => state.begun !== null && !isHeard(state))
    .map(({ key, target, state }): Withdrawal => ({ target, key, from: state.begun ?? 0, as: 'cancelled' }));
  return { owing: changed(notification, members, rules, ended), withdrawn };
}

function ended(state: RecipientState): RecipientState {
  return { ...state, closed: state.wanted, begun: null, held: null, heldAt: null };
}

function reinstated(state: RecipientState): RecipientState {
  return { ...state, begun: state.begun ?? state.wanted };
}

function changed(
  notification: Unrouted,
  members: readonly Knowledge[],
  rules: RoutingRules,
  change: (state: RecipientState) => RecipientState,
): Owing[] {
  return members.map(({ key, target, via, state }) => {
    const group = placeOf({ ...notification, key }, target, rules);
    return { key, notification: notification.number, group, via, state: change(state) };
  });
}

function targetsOf(notification: Unrouted, rules: RoutingRules): Recipient[] {
  return recipientsOn(channelsOf(notification, rules), rules.recipientsOf);
}

/**
 * The config may have changed since the decision, as in a restart between the two: a condition goes to the channels of
 * today, and so does an event if one of its channels is no longer among them.
 */
function channelsOf(
  { watch, alert, labels, notify, transition }: Unrouted,
  { ruleOf }: RoutingRules,
): readonly string[] {
  const today = ruleOf(watch, alert, labels)?.channels ?? notify;
  return transition === 'firing' || notify.some((channel) => !today.includes(channel)) ? today : notify;
}

/** Channels of a begin that the config no longer has; all of them, if it names none any more. */
function lostIn(notification: Unrouted, rules: RoutingRules): RoutingResult['undeliverable'] {
  if (!isBegin(notification.transition)) return [];
  const channels = channelsOf(notification, rules);
  if (channels.length === 0)
    return notification.notify.map((channel) => ({
      channel,
      notification,
      why: 'the config names nobody for it any more',
    }));
  const lost = channels.filter((channel) => rules.recipientsOf(channel) === undefined);
  return lost.map((channel) => ({ channel, notification, why: 'the config has no such channel any more' }));
}

function turnedBy(notification: Unrouted, rules: RoutingRules): Turned[] {
  switch (notification.transition) {
    case 'firing':
      return [{ type: 'opened', notification, isEvent: false, needsAck: true }];
    case 'event':
    case 'reinstated':
      return eventOpened(notification, rules.routingOf(notification.labels));
    case 'resolved':
    case 'retracted':
      return [{ type: 'closed', notification }];
    case 'corrected':
      return [];
  }
}

function eventOpened(notification: Unrouted, routing: Pick<Routing, 'options'>): Turned[] {
  return isAnswered(routing) ? [{ type: 'opened', notification, isEvent: true, needsAck: needsAck(routing) }] : [];
}
