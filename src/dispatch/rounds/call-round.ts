// A round that calls others in where nobody answers an alert, or where nobody could be told of it.
import { EVENT_OPEN_MS } from '../../core/model/transition.ts';
import { earliest, type Instant } from '../../lib/clock.ts';
import type { DecidingRules } from './due-round.ts';
import { callIn } from '../escalate.ts';
import { placeOf } from '../group.ts';
import { acksAt } from '../policy/holds.ts';
import type { AlertEpisode, Key, Policy } from '../model.ts';
import { UNTOLD } from '../owed.ts';
import { targetKey } from '../../core/model/watch/targets.ts';
import type { RoutingRules } from './route-round.ts';
import type { Knowledge, Owing, Via } from './routing-round.ts';

/** An open alert that somebody has to answer. */
export interface CalledAlert extends AlertEpisode {
  /** The seqs of its begin, and of the newest that happened. */
  readonly began: number;
  readonly newest: number;
  readonly isEvent: boolean;
  readonly openedAt: Instant;
  /** When the first message of the episode was closed on a channel that counts; null: none was. */
  readonly firstClosedAt: Instant | null;
  /** Whether a channel that counts took a message of the episode. */
  readonly isAccepted: boolean;
  readonly stepsTaken: number;
  readonly hasFailedOver: boolean;
  readonly known: readonly Knowledge[];
}

export interface CallRound {
  readonly alerts: readonly CalledAlert[];
  readonly policy: Policy;
}

export interface CallState {
  readonly key: Key;
  readonly stepsTaken: number;
  readonly hasFailedOver: boolean;
  /** False: an event that nobody answers any more. */
  readonly isOpen: boolean;
  readonly askAt: Instant | null;
}

export interface CallResult {
  readonly owing: readonly Owing[];
  readonly alerts: readonly CallState[];
}

type Rules = RoutingRules & Pick<DecidingRules, 'startedAt' | 'lookedAt'>;

/** Pure. */
export function decideCalls({ alerts, policy }: CallRound, rules: Rules, now: Instant): CallResult {
  const ackOf = acksAt(policy.acks, now);
  const parts = alerts.map((alert) => callFor(alert, ackOf(alert) !== null, rules, now));
  return { owing: parts.flatMap(({ owing }) => owing), alerts: parts.map(({ state }) => state) };
}

interface Called {
  readonly owing: readonly Owing[];
  readonly state: CallState;
}

function callFor(alert: CalledAlert, isAlertAcked: boolean, rules: Rules, now: Instant): Called {
  const overAt = alert.isEvent ? alert.openedAt + EVENT_OPEN_MS : null;
  const isOpen = overAt === null || now < overAt;
  const routing = rules.routingOf(alert.labels);
  const called = callIn({ ...alert, routing, isOpen, isAcked: isAlertAcked }, rules, now);
  const owing = [
    ...called.escalate.flatMap((channel) => owingOn(channel, 'escalate', alert, rules)),
    ...called.failover.flatMap((channel) => owingOn(channel, 'failover', alert, rules)),
  ];
  const askAt = isOpen ? earliest([called.askAt, overAt]) : null;
  const hasFailedOver = alert.hasFailedOver || called.failover.length > 0;
  return { owing: distinct(owing), state: { key: alert.key, stepsTaken: called.steps, hasFailedOver, isOpen, askAt } };
}

/** Who was told already is not told again. */
function owingOn(channel: string, via: Via, alert: CalledAlert, rules: Rules): Owing[] {
  return (rules.recipientsOf(channel) ?? []).flatMap((target): Owing[] => {
    const known = alert.known.find((one) => targetKey(one.target) === targetKey(target))?.state ?? UNTOLD;
    if (known.begun !== null || known.wanted >= alert.began) return [];
    const group = placeOf(alert, target, rules);
    const state = { ...known, wanted: alert.newest, closed: alert.began - 1 };
    return [{ key: alert.key, notification: null, group, via, state }];
  });
}

function distinct(owing: readonly Owing[]): Owing[] {
  return [...new Map(owing.map((one) => [targetKey(one.group.target), one])).values()];
}
