// A round that calls further targets for an alert if nobody answers, or if no target could be reached.
import { EVENT_OPEN_MS } from '../../core/model/transition.ts';
import { earliest, type Instant } from '../../lib/clock.ts';
import type { DecidingRules } from './due-round.ts';
import { APART_MS, callIn, needsAck, type CallCounts, type CallIn, type Unanswered } from '../escalate.ts';
import { placeOf } from '../group.ts';
import { acksAt } from '../policy/holds.ts';
import type { Ack, AlertEpisode, Policy, RecipientState } from '../model.ts';
import { FREE, isUntried, UNTOLD } from '../owed.ts';
import { BUILT_IN_RULE, type Recipient } from '../../core/model/ids.ts';
import { recipientsOn, targetKey } from '../../core/model/delivery.ts';
import { joinOf, knownBy, NOT_HELD } from '../takeover.ts';
import type { RoutingRules } from './route-round.ts';
import type { Knowledge, Owing, Via } from './routing-round.ts';

/** An acknowledgement: by an operator, from one instant to another. */
export interface AckInForce {
  readonly by: string;
  readonly at: Instant;
  readonly until: Instant;
}

/** An open alert that needs an answer, or was acknowledged. */
export interface CalledAlert extends AlertEpisode {
  /** The seqs of its begin and of its newest transition. */
  readonly began: number;
  readonly newest: number;
  readonly isEvent: boolean;
  /** False: an event for which the routes required no acknowledgement when it happened. */
  readonly needsAck: boolean;
  readonly openedAt: Instant;
  /** The close of the first message of the episode on a channel where somebody can answer; null: none was. */
  readonly firstClosedAt: Instant | null;
  /** The time at which the last acknowledgement of the episode ended; null: none did. */
  readonly calledFrom: Instant | null;
  /** The acknowledgement that was in force at the last decision; null: none was. */
  readonly answered: AckInForce | null;
  /** The time of the stored acknowledgement of the episode, and its end, which may be past; null: there is none. */
  readonly ackedAt: Instant | null;
  readonly ackEndsAt: Instant | null;
  /** True if a channel where somebody can answer accepted a message of the episode. */
  readonly isAccepted: boolean;
  readonly calls: CallCounts;
  readonly hasFailedOver: boolean;
  readonly known: readonly Knowledge[];
}

export interface CallRound {
  readonly alerts: readonly CalledAlert[];
  readonly policy: Policy;
}

export interface CallState extends Pick<CalledAlert, 'key' | 'calledFrom' | 'answered' | 'calls' | 'hasFailedOver'> {
  /** False: an event that can no longer be answered. */
  readonly isOpen: boolean;
  readonly askAt: Instant | null;
}

export interface CallResult {
  readonly owing: readonly Owing[];
  readonly alerts: readonly CallState[];
  /** Events that are no longer open, without an acknowledgement. */
  readonly unanswered: readonly AlertEpisode[];
}

type Rules = RoutingRules & Pick<DecidingRules, 'startedAt' | 'lookedAt'>;

/** Pure. */
export function decideCalls({ alerts, policy }: CallRound, rules: Rules, now: Instant): CallResult {
  const ackOf = acksAt(policy.acks, now);
  const parts = alerts.map((alert) => callFor(alert, ackOf(alert), rules, now));
  return {
    owing: parts.flatMap(({ owing }) => owing),
    alerts: parts.map(({ state }) => state),
    unanswered: alerts.filter((alert) => isUnanswered(alert, ackOf(alert), rules, now)),
  };
}

interface Called {
  readonly owing: readonly Owing[];
  readonly state: CallState;
}

function callFor(before: CalledAlert, ack: Ack | null, rules: Rules, now: Instant): Called {
  const overAt = endOf(before);
  const isOpen = (overAt === null || now < overAt) && !(ack === null && isClosedBy(before, now));
  const hasEnded = isOpen && ack === null && (before.answered !== null || isMissed(before));
  // The acknowledgement may have ended earlier, while no process ran.
  const calledFrom = Math.min(now, before.ackEndsAt ?? now);
  const left = leftOut(before, rules);
  const current = hasEnded ? { ...before, calledFrom, calls: {}, hasFailedOver: false } : before;
  const alert = left.reduce(withoutCall, current);
  const channels = rules.ruleOf(alert.watch, alert.alert, alert.labels)?.channels ?? [];
  const named = recipientsOn(channels, rules.recipientsOf);
  const called = callIn(unansweredOf(alert, { isOpen, isAcked: ack !== null, named }, rules), rules, now);
  const owing = [
    ...(hasEnded ? named.flatMap((target) => owingAfterAck(target, before, rules)) : []),
    ...called.escalate.flatMap((target) => owingCall(target, 'escalate', alert, rules)),
    ...called.failover.flatMap((target) => owingCall(target, 'failover', alert, rules)),
    ...left.map((one) => notOwed(one, alert, rules)),
    ...needlessFailover(alert, rules),
  ];
  const state: CallState = {
    key: alert.key,
    calledFrom: alert.calledFrom,
    answered: ack === null ? null : { by: ack.actor, at: ack.at, until: ack.until },
    calls: called.calls,
    hasFailedOver: alert.hasFailedOver || called.failover.length > 0,
    isOpen,
    askAt: isOpen ? earliest([called.askAt, ack?.until ?? null, overAt, failoverAskAt(alert, called, now)]) : null,
  };
  return { owing: distinct(owing), state };
}

/** True if an acknowledgement began and ended since the last decision, as while no process ran. */
function isMissed({ ackedAt, ackEndsAt, calledFrom }: CalledAlert): boolean {
  // A raised severity ends an acknowledgement, too. It is an end of its own, so the time of the acknowledgement is compared.
  const since = calledFrom ?? -Infinity;
  return ackedAt !== null && ackEndsAt !== null && ackedAt >= since && ackEndsAt > since;
}

/** The time at which an event is over without an answer; null for a condition, which ends when it resolves. */
function endOf({ isEvent, openedAt }: CalledAlert): Instant | null {
  return isEvent ? openedAt + EVENT_OPEN_MS : null;
}

/**
 * True for an event that is over without an answer. A snooze is no answer. Alerts of the daemon about itself need none.
 */
function isUnanswered(alert: CalledAlert, ack: Ack | null, rules: Rules, now: Instant): boolean {
  const overAt = endOf(alert);
  if (overAt === null || now < overAt || alert.labels['watch'] === BUILT_IN_RULE) return false;
  if (!alert.needsAck || !needsAck(rules.routingOf(alert.labels))) return false;
  return ack === null ? !isClosedBy(alert, now) : isSnooze(ack);
}

const LONGEST_ACK_MS = 86_400_000;

function isSnooze({ at, until }: Pick<AckInForce, 'at' | 'until'>): boolean {
  return until - at < LONGEST_ACK_MS;
}

/**
 * True if an event is closed because its acknowledgement ended. A snooze, or an acknowledgement that was taken back,
 * does not close it.
 */
function isClosedBy({ isEvent, answered }: CalledAlert, now: Instant): boolean {
  return isEvent && answered !== null && now >= answered.until && !isSnooze(answered);
}

function unansweredOf(
  alert: CalledAlert,
  { named, ...is }: Pick<Unanswered, 'isOpen' | 'isAcked'> & { readonly named: readonly Recipient[] },
  rules: Rules,
): Unanswered {
  const { firstClosedAt, calledFrom } = alert;
  return {
    ...alert,
    ...is,
    routing: rules.routingOf(alert.labels),
    named: new Set(named.map(targetKey)),
    waiting: keysOf(alert.known.filter((one) => isWaiting(one, alert))),
    failedOverTo: keysOf(alert.hasFailedOver ? alert.known.filter((one) => isCalled(one, alert)) : []),
    since: firstClosedAt === null ? null : Math.max(firstClosedAt, calledFrom ?? firstClosedAt),
  };
}

function keysOf(known: readonly Knowledge[]): ReadonlySet<string> {
  return new Set(known.map(({ target }) => targetKey(target)));
}

/**
 * After the acknowledgement of a condition ends, its targets are sent again that it fires. An event is sent only to the
 * targets that a reload has added meanwhile.
 */
function owingAfterAck(target: Recipient, alert: CalledAlert, rules: Rules): Owing[] {
  if (!alert.needsAck) return [];
  const owing = alert.isEvent
    ? joinOf(target, alert, { from: alert.began, ...NOT_HELD })
    : renewedAfterAck(target, alert);
  return owing.map((one) => ({ ...one, key: alert.key, notification: null, group: placeOf(alert, target, rules) }));
}

/** The states of targets that were sent the alert. */
function renewedAfterAck(target: Recipient, alert: CalledAlert): Pick<Knowledge, 'via' | 'state'>[] {
  const known = knownBy(target, alert.known);
  if (known === undefined || known.state.begun === null) return [];
  const renewed = { why: 'ack-ended', by: alert.answered?.by ?? null } as const;
  return [{ via: known.via, state: { ...known.state, renewed } }];
}

const CALLED: RecipientState['renewed'] = { why: 'called', by: null };

/** The begin is pending for the target; if it was sent before, it is sent again. */
function owingCall(target: Recipient, via: Via, alert: CalledAlert, rules: Rules): Owing[] {
  const known = knownBy(target, alert.known)?.state ?? UNTOLD;
  if (isOnItsWay(known, alert)) return [];
  const knows = known.begun !== null ? known : { ...known, wanted: alert.newest, closed: alert.began - 1 };
  const group = placeOf(alert, target, rules);
  return [{ key: alert.key, notification: null, group, via, state: { ...knows, renewed: CALLED } }];
}

/** Failovers that were not sent yet. They are needless as soon as a channel accepts a message. */
function heldFailovers({ known, ...alert }: CalledAlert): Knowledge[] {
  return known.filter(({ via, state }) => via === 'failover' && isOnItsWay(state, alert));
}

function needlessFailover(alert: CalledAlert, rules: Rules): Owing[] {
  return alert.isAccepted ? heldFailovers(alert).map((one) => notOwed(one, alert, rules)) : [];
}

function notOwed({ target, state }: Knowledge, alert: CalledAlert, rules: Rules): Owing {
  const { closed } = state;
  const group = placeOf(alert, target, rules);
  return {
    key: alert.key,
    notification: null,
    group,
    via: 'route',
    state: { ...state, ...FREE, closed, wanted: closed },
  };
}

/** Targets that wait for a call, although no step and no failover names them since a reload. */
function leftOut({ known, ...alert }: CalledAlert, rules: Rules): Knowledge[] {
  const waiting = known.filter(({ via, state }) => via !== 'route' && isOnItsWay(state, alert));
  if (waiting.length === 0) return [];
  const { escalate, failover } = rules.routingOf(alert.labels).options;
  const targetsOf = (channels: readonly string[]): Set<string> =>
    new Set(channels.flatMap((channel) => rules.recipientsOf(channel) ?? []).map(targetKey));
  const steps = targetsOf((escalate ?? []).flatMap(({ notify }) => notify));
  const failovers = targetsOf(failover ?? []);
  return waiting.filter(({ target, via }) => !(via === 'escalate' ? steps : failovers).has(targetKey(target)));
}

/** Removes the call of a target, so that it is called if a later reload names it again. */
function withoutCall(alert: CalledAlert, { target, via }: Knowledge): CalledAlert {
  const { [targetKey(target)]: count = 0, ...others } = alert.calls;
  const calls = count > 1 ? { ...others, [targetKey(target)]: count - 1 } : others;
  return {
    ...alert,
    calls: via === 'escalate' ? calls : alert.calls,
    known: alert.known.filter((one) => targetKey(one.target) !== targetKey(target)),
  };
}

function failoverAskAt(alert: CalledAlert, { failover }: CallIn, now: Instant): Instant | null {
  const isHeld = failover.length > 0 || heldFailovers(alert).length > 0;
  return isHeld && !alert.isAccepted ? now + APART_MS : null;
}

/** True if the target was not sent the alert yet. */
function isOnItsWay({ begun, wanted, closed }: RecipientState, { began }: Pick<CalledAlert, 'began'>): boolean {
  return begun === null && wanted >= began && wanted > closed;
}

function isCalled({ via, state }: Knowledge, { began }: CalledAlert): boolean {
  return via !== 'route' && state.wanted >= began;
}

/** True if the target waits for a message, or its receiver has not accepted one yet. */
function isWaiting({ state }: Knowledge, alert: CalledAlert): boolean {
  return isOnItsWay(state, alert) || state.renewed !== null || isUntried(state);
}

function distinct(owing: readonly Owing[]): Owing[] {
  return [...new Map(owing.map((one) => [targetKey(one.group.target), one])).values()];
}
