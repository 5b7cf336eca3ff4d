// Rounds of dispatch: what they read, and what they write in one transaction.
import type { DatabaseSync } from 'node:sqlite';
import type { CallResult, CallRound } from '../../../dispatch/rounds/call-round.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { DueGroup, DueRound } from '../../../dispatch/rounds/due-round.ts';
import type { Policy, RoundResult } from '../../../dispatch/model.ts';
import type { ActiveState, Rerouted } from '../../../dispatch/reroute.ts';
import type { Owing, RoutingResult, RoutingRound } from '../../../dispatch/rounds/routing-round.ts';
import { earliest, type Instant } from '../../../lib/clock.ts';
import type { RoundDecision, DueQuery, RecipientStateKey } from '../../dispatch-store.ts';
import type { AcksTable } from '../operators/acks-table.ts';
import type { AlertsTable } from './alerts-table.ts';
import type { BatchesTable } from './batches-table.ts';
import type { GroupsTable } from './groups-table.ts';
import type { NotificationsTable } from './notifications-table.ts';
import type { StatesTable } from './states-table.ts';

type Kept = 'kept' | 'superseded';

/** Within a transaction of the caller. `superseded`: nothing is written. */
export interface Rounds {
  readRouting(limit: number): RoutingRound;
  commitRouting(round: RoutingRound, result: RoutingResult, at: Instant): Kept;
  readDue(query: DueQuery): DueRound;
  readMembers(groups: readonly DueGroup[], limit: number): readonly DueGroup[];
  commitDue(round: DueRound, decision: RoundDecision, at: Instant): Kept;
  readCalls(at: Instant, limit: number, uncounted: readonly string[]): CallRound;
  commitCalls(round: CallRound, result: CallResult, at: Instant): Kept;
  readActive(after: RecipientStateKey | null, limit: number): ActiveState[];
  commitReroute(rerouted: readonly Rerouted[], at: Instant): void;
  moveClock(jump: ClockShift): void;
  nextRound(): Instant | null;
}

interface RoundTables {
  readonly db: DatabaseSync;
  readonly notifications: NotificationsTable;
  readonly states: StatesTable;
  readonly groups: GroupsTable;
  readonly alerts: AlertsTable;
  readonly batches: BatchesTable;
  readonly acks: Pick<AcksTable, 'moveClock'>;
  readonly policy: (at: Instant) => Policy;
}

export function createRounds(tables: RoundTables): Rounds {
  const { db, notifications, states, groups, alerts, batches, acks, policy } = tables;

  function owe(owing: readonly Owing[], at: Instant): void {
    for (const one of owing) {
      states.owe(one, at);
      if (one.state.wanted > one.state.closed) groups.wake(one.group, at, one.notification);
    }
  }

  /** All or nothing. */
  function allOf(work: () => boolean): Kept {
    db.exec('SAVEPOINT round');
    const isKept = work();
    if (!isKept) db.exec('ROLLBACK TO round');
    db.exec('RELEASE round');
    return isKept ? 'kept' : 'superseded';
  }

  function writeRouting({ unrouted }: RoutingRound, result: RoutingResult, at: Instant): boolean {
    if (!unrouted.every(({ number }) => notifications.routed(number))) return false;
    if (!result.withdrawn.every((one) => batches.withdraw(one, at))) return false;
    owe(result.owing, at);
    for (const one of result.informed) states.inform(one, at);
    for (const turned of result.turned) {
      alerts.turned(turned, at);
      // Only conditions inhibit others.
      if (turned.notification.transition === 'resolved') groups.wakeHeldBy(turned.notification.key, at);
    }
    for (const one of result.undeliverable) batches.addDead(one, at);
    return true;
  }

  function writeDue(
    round: DueRound,
    { result, shares, isKept, counts, isAnswered }: RoundDecision,
    at: Instant,
  ): boolean {
    if (policy(at).version !== round.policy.version) return false;
    const timers = new Map(result.groups.map((timer) => [timer.id, timer]));
    const areKept = round.groups.every((group) => {
      const timer = timers.get(group.id);
      return timer === undefined ? groups.isAsRead(group) : groups.keep(group, timer, isKept(group.target.channel));
    });
    if (!areKept || !result.withdrawn.every((one) => batches.withdraw(one, at))) return false;
    for (const one of result.needless) batches.dropRepeats(one, at);
    if (!batches.add(result.batches, shares, at)) return false;
    for (const group of round.groups) {
      keepStates(group, result);
      for (const key of group.damaged) states.giveUp({ key, ...group.target });
    }
    const labels = new Map(round.groups.flatMap(({ members }) => members.map((one) => [one.key, one.labels])));
    for (const { target, members } of result.batches)
      if (counts(target.channel))
        for (const { key } of members) alerts.told(key, at, isAnswered(labels.get(key) ?? {}));
    return true;
  }

  function keepStates({ id, target, members }: DueGroup, { states: changed, repeating }: RoundResult): void {
    for (const { key, state } of members) {
      const repeats = repeating.get(id)?.has(key) ?? false;
      states.keep({ key, ...target, state: changed.get(id)?.get(key) ?? state, repeats });
    }
  }

  return {
    readRouting(limit) {
      const unrouted = notifications.unrouted(limit);
      return { unrouted, known: states.knownOf(unrouted.flatMap(({ key, members }) => [key, ...members])) };
    },
    commitRouting: (round, result, at) => allOf(() => writeRouting(round, result, at)),
    readDue({ at, limit, members, counted, isFull, silencesSince, withSources }) {
      const due = groups.due({ at, limit, members, whole: counted, isFull });
      return {
        ...due,
        policy: policy(silencesSince),
        sources: withSources ? alerts.open() : [],
      };
    },
    readMembers: (some, limit) => groups.readMembers(some, limit),
    commitDue: (round, decision, at) => allOf(() => writeDue(round, decision, at)),
    readCalls: (at, limit, uncounted) => ({ alerts: alerts.due(at, limit, uncounted), policy: policy(at) }),
    commitCalls: (round, result, at) =>
      allOf(() => {
        if (policy(at).version !== round.policy.version) return false;
        owe(result.owing, at);
        for (const state of result.alerts) alerts.called(state, at);
        return true;
      }),
    readActive: (after, limit) => states.active(after, limit),
    commitReroute(rerouted, at) {
      for (const one of rerouted) {
        states.reroute(one);
        groups.wake(one.group, at, null);
      }
      groups.wakeHolding(at);
      alerts.askAgain(at);
    },
    moveClock(jump) {
      states.moveClock(jump);
      alerts.moveClock(jump);
      groups.moveClock(jump);
      // Silences keep their end: a person named that time of day.
      acks.moveClock(jump);
    },
    nextRound: () => earliest([groups.nextDue(), alerts.nextDue()]),
  };
}
