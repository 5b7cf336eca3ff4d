// Rounds of dispatch: what they read, and what they write in one transaction of the caller's.
import type { CallResult, CallRound } from '../../../dispatch/rounds/call-round.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { DueRound } from '../../../dispatch/rounds/due-round.ts';
import type { Rerouted } from '../../../dispatch/reroute.ts';
import type { Owing, RoutingResult, RoutingRound } from '../../../dispatch/rounds/routing-round.ts';
import { earliest, type Instant } from '../../../lib/clock.ts';
import type { RoundDecision, DueQuery } from '../../dispatch-store.ts';
import { moveAcks } from '../operators/acks-table.ts';
import { isPolicy, policyAt } from '../operators/policy.ts';
import type { Sql } from '../sql.ts';
import {
  askAgain,
  dueAlerts,
  keepCalls,
  markTold,
  moveAlerts,
  nextAlert,
  openConditions,
  turnAlerts,
} from './alerts-table.ts';
import { addBatches, addDead, dropRepeats, withdraw } from './batches-table.ts';
import {
  areAsRead,
  dueGroups,
  keepGroups,
  moveGroups,
  nextGroup,
  wake,
  wakeHeldBy,
  wakeHolding,
} from './groups-table.ts';
import { markRouted, unrouted } from './notifications-table.ts';
import {
  giveUpStates,
  informStates,
  keepStates,
  knownOf,
  moveStates,
  oweStates,
  rerouteStates,
  type Decided,
} from './states-table.ts';

type Kept = 'kept' | 'superseded';

/** `superseded`: nothing is written. */
async function allOf(sql: Sql, work: () => Promise<boolean>): Promise<Kept> {
  await sql.run('SAVEPOINT round');
  if (await work()) return 'kept';
  await sql.run('ROLLBACK TO round');
  return 'superseded';
}

export async function readRouting(sql: Sql, limit: number): Promise<RoutingRound> {
  const found = await unrouted(sql, limit);
  return {
    unrouted: found,
    known: await knownOf(
      sql,
      found.flatMap(({ key, members }) => [key, ...members]),
    ),
  };
}

export function commitRouting(sql: Sql, round: RoutingRound, result: RoutingResult, at: Instant): Promise<Kept> {
  return allOf(sql, () => writeRouting(sql, round, result, at));
}

async function writeRouting(
  sql: Sql,
  round: RoutingRound,
  { withdrawn, owing, informed, turned, undeliverable }: RoutingResult,
  at: Instant,
): Promise<boolean> {
  if (
    !(await markRouted(
      sql,
      round.unrouted.map(({ number }) => number),
    ))
  )
    return false;
  for (const one of withdrawn) if (!(await withdraw(sql, one, at))) return false;
  await owe(sql, owing, at);
  for (const one of informed) await informStates(sql, one, at);
  await turnAlerts(sql, turned, at);
  // Only conditions inhibit others.
  const over = turned.filter(({ notification }) => notification.transition === 'resolved');
  await wakeHeldBy(
    sql,
    over.map(({ notification }) => notification.key),
    at,
  );
  for (const one of undeliverable) await addDead(sql, one, at);
  return true;
}

async function owe(sql: Sql, owing: readonly Owing[], at: Instant): Promise<void> {
  await oweStates(sql, owing, at);
  await wake(
    sql,
    owing.filter(({ state }) => state.wanted > state.closed),
    at,
  );
}

export async function readDue(sql: Sql, query: DueQuery): Promise<DueRound> {
  const due = await dueGroups(sql, query);
  const policy = await policyAt(sql, query.silencesSince);
  return { ...due, policy, sources: query.withSources ? await openConditions(sql) : [] };
}

export function commitDue(sql: Sql, round: DueRound, decision: RoundDecision, at: Instant): Promise<Kept> {
  return allOf(sql, () => writeDue(sql, round, decision, at));
}

async function writeDue(sql: Sql, round: DueRound, decision: RoundDecision, at: Instant): Promise<boolean> {
  const { result } = decision;
  if (!(await isPolicy(sql, round.policy.version)) || !(await keepTimers(sql, round, decision))) return false;
  for (const one of result.withdrawn) if (!(await withdraw(sql, one, at))) return false;
  for (const one of result.needless) await dropRepeats(sql, one, at);
  if (!(await addBatches(sql, result.batches, decision.shares, at))) return false;
  await keepStates(sql, decidedIn(round, decision));
  for (const { damaged, target } of round.groups) await giveUpStates(sql, damaged, target);
  await markTold(sql, toldIn(round, decision), at);
  return true;
}

/** False: a group has changed since it was read. One without a timer is still to be decided. */
async function keepTimers(sql: Sql, round: DueRound, { result, isKept }: RoundDecision): Promise<boolean> {
  const timers = new Map(result.groups.map((timer) => [timer.id, timer]));
  const decided = round.groups.flatMap((group) => {
    const timer = timers.get(group.id);
    return timer === undefined ? [] : [{ group, timer, isKept: isKept(group.target.channel) }];
  });
  const undecided = round.groups.filter(({ id }) => !timers.has(id));
  return (await areAsRead(sql, undecided)) && keepGroups(sql, decided);
}

function decidedIn({ groups }: DueRound, { result: { states, repeating } }: RoundDecision): Decided[] {
  return groups.flatMap(({ id, target, members }) =>
    members.map(({ key, state }) => ({
      key,
      ...target,
      state: states.get(id)?.get(key) ?? state,
      repeats: repeating.get(id)?.has(key) ?? false,
    })),
  );
}

/** Alerts that were put into a message on a channel that counts. */
function toldIn(
  { groups }: DueRound,
  { result, counts, isAnswered }: RoundDecision,
): { key: string; isAnswered: boolean }[] {
  const labels = new Map(groups.flatMap(({ members }) => members.map((one) => [one.key, one.labels])));
  const told = result.batches.filter(({ target }) => counts(target.channel)).flatMap(({ members }) => members);
  return [...new Set(told.map(({ key }) => key))].map((key) => ({
    key,
    isAnswered: isAnswered(labels.get(key) ?? {}),
  }));
}

export async function readCalls(
  sql: Sql,
  at: Instant,
  limit: number,
  uncounted: readonly string[],
): Promise<CallRound> {
  return { alerts: await dueAlerts(sql, at, limit, uncounted), policy: await policyAt(sql, at) };
}

export function commitCalls(sql: Sql, round: CallRound, result: CallResult, at: Instant): Promise<Kept> {
  return allOf(sql, async () => {
    if (!(await isPolicy(sql, round.policy.version))) return false;
    await owe(sql, result.owing, at);
    await keepCalls(sql, result.alerts, at);
    return true;
  });
}

export async function commitReroute(sql: Sql, rerouted: readonly Rerouted[], at: Instant): Promise<void> {
  await rerouteStates(sql, rerouted);
  await wake(
    sql,
    rerouted.map(({ group }) => ({ group, notification: null })),
    at,
  );
  await wakeHolding(sql, at);
  await askAgain(sql, at);
}

export async function moveClock(sql: Sql, jump: ClockShift): Promise<void> {
  await moveStates(sql, jump);
  await moveAlerts(sql, jump);
  await moveGroups(sql, jump);
  // Silences keep their end: a person named that time of day.
  await moveAcks(sql, jump);
}

export async function nextRound(sql: Sql): Promise<Instant | null> {
  return earliest([await nextGroup(sql), await nextAlert(sql)]);
}
