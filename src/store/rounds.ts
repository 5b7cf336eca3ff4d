// The reads and writes of dispatch rounds. Each round is written in one transaction of the caller. A commit throws
// `Superseded` if data that its round depends on has changed.
import { z } from 'zod';
import {
  closedLines,
  type HeldAlert,
  heldLines,
  type JournalEntry,
  routedLines,
  withdrawnLines,
} from '../core/journal/entry.ts';
import { ANNOUNCER } from '../core/model/ids.ts';
import { targetOf } from '../core/model/delivery.ts';
import type { ClockShift } from '../dispatch/clock-jump.ts';
import type { HeldMember } from '../dispatch/first-try.ts';
import type { DeliveryBatch, Key, RoundResult, Withdrawal } from '../dispatch/model.ts';
import type { GoneTargets, RerouteResult } from '../dispatch/reroute.ts';
import type { CallRound } from '../dispatch/rounds/call-round.ts';
import type { DueGroup, DueRound } from '../dispatch/rounds/due-round.ts';
import type { Owing, RoutingResult, RoutingRound } from '../dispatch/rounds/routing-round.ts';
import { earliest, type Instant } from '../lib/clock.ts';
import type { Tried } from './contract/deliveries.ts';
import type { DispatchStore, DueQuery, MembersQuery, RoundDecision } from './contract/dispatch.ts';
import { Superseded } from './sql/database.ts';
import { intOrNull } from './sql/rows.ts';
import type { Sql } from './sql/sql.ts';
import {
  areAsRead,
  askAgain,
  dueAlerts,
  keepCalls,
  keepGroups,
  markTold,
  moveAlerts,
  moveGroups,
  openConditions,
  relabelAlerts,
  type ToldAlert,
  turnAlerts,
  wake,
  wakeHeldBy,
  wakeHolding,
} from './tables/alerts/alerts.ts';
import { addBatches, addDead, cancelFor, dropOvertaken, withdraw, withdrawUntried } from './tables/alerts/batches.ts';
import { dueGroups, withMoreMembers } from './tables/alerts/due-groups.ts';
import { addNotifications, markRouted, routeAgain, unrouted } from './tables/alerts/notifications.ts';
import {
  type DecidedState,
  giveUpStates,
  informStates,
  keepStates,
  knownOf,
  moveStates,
  oweStates,
  rerouteStates,
  uninformStates,
} from './tables/alerts/recipient-states.ts';
import { retractedBy, summariesAfter } from './tables/alerts/summaries.ts';
import { keepTold } from './tables/alerts/told-before.ts';
import { moveDeliveries } from './tables/deliveries/deliveries.ts';
import { putBack } from './tables/deliveries/first-tries.ts';
import { append } from './tables/journal/journal.ts';
import { readFact, writeFact } from './tables/memory/facts.ts';
import { acksOf, isPolicy, moveAcks, policyFor } from './tables/operators/policy.ts';
import { keepOver } from './tables/operators/silences.ts';

export async function readRouting(sql: Sql, limit: number, at: Instant): Promise<RoutingRound> {
  const found = await unrouted(sql, limit, at);
  const retractions = found.filter(({ transition }) => transition === 'retracted');
  const retracting = retractions.length === 0 ? [] : await retractedBy(sql, retractions);
  const keys = [...found.flatMap(({ key, members }) => [key, ...members]), ...retracting.map(({ key }) => key)];
  return { unrouted: found, retracting, known: await knownOf(sql, keys) };
}

export async function commitRouting(sql: Sql, round: RoutingRound, result: RoutingResult, at: Instant): Promise<void> {
  const numbers = round.unrouted.map(({ number }) => number);
  requireUnchanged(await markRouted(sql, numbers));
  await withdrawAll(sql, result.withdrawn, at);
  // First: only this writes that an event may have been sent with its summary.
  await informStates(sql, result.informed, at);
  await owe(sql, result.owing, at);
  await turnAlerts(sql, result.turned, at);
  if (result.told.length > 0) await keepTold(sql, result.told, at);
  // Only conditions inhibit other alerts, so only the end of a condition releases some.
  const over = result.turned.filter(({ notification }) => notification.transition === 'resolved');
  const ended = over.map(({ notification }) => notification.key);
  await wakeHeldBy(sql, ended, at);
  for (const one of result.undeliverable) await addDead(sql, one, at);
  await append(sql, routingLines(round, result, at));
}

function requireUnchanged(isUnchanged: boolean): void {
  if (!isUnchanged) throw new Superseded();
}

async function withdrawAll(sql: Sql, withdrawn: readonly Withdrawal[], at: Instant): Promise<void> {
  for (const one of withdrawn) requireUnchanged(await withdraw(sql, one, at));
}

async function owe(sql: Sql, owing: readonly Owing[], at: Instant): Promise<void> {
  await oweStates(sql, owing, at);
  const news = owing.filter(({ state }) => state.wanted > state.closed || state.renewed !== null);
  await wake(sql, news, at);
}

export async function readDue(sql: Sql, query: DueQuery): Promise<DueRound> {
  const due = await dueGroups(sql, query);
  const policy = await policyFor(sql, membersIn(due.groups), query.silencesSince);
  return { ...due, policy, sources: query.withSources ? await openConditions(sql) : [] };
}

export async function readMembers(sql: Sql, round: DueRound, query: MembersQuery): Promise<DueRound> {
  const groups = await withMoreMembers(sql, round.groups, query.members);
  const added = groups.map(({ members }, n) => ({ members: members.slice(round.groups[n]?.members.length) }));
  const acks = await acksOf(sql, membersIn(added), query.silencesSince);
  return { ...round, groups, policy: { ...round.policy, acks: [...round.policy.acks, ...acks] } };
}

function membersIn(groups: readonly Pick<DueGroup, 'members'>[]): Key[] {
  return groups.flatMap(({ members }) => members.map(({ key }) => key));
}

export async function commitDue(sql: Sql, round: DueRound, decision: RoundDecision, at: Instant): Promise<void> {
  const { result, shares } = decision;
  requireUnchanged(await isPolicy(sql, round.policy.version));
  requireUnchanged(await keepTimers(sql, round, decision));
  await withdrawAll(sql, result.withdrawn, at);
  for (const one of result.overtaken) await dropOvertaken(sql, one, at);
  requireUnchanged(await addBatches(sql, result.batches, shares, at));
  await keepStates(sql, decidedIn(round, decision));
  for (const { damaged, target } of round.groups) await giveUpStates(sql, damaged, target);
  await markTold(sql, toldIn(round, decision), at);
  await append(sql, dueLines(round, decision, at));
}

/** False: a group has changed since it was read. A group without a timer is not decided yet, so it is only checked. */
async function keepTimers(sql: Sql, round: DueRound, { result, isKept }: RoundDecision): Promise<boolean> {
  const timers = new Map(result.groups.map((timer) => [timer.id, timer]));
  const decided = round.groups.flatMap((group) => {
    const timer = timers.get(group.id);
    return timer === undefined ? [] : [{ group, timer, isKept: isKept(group.target.channel) }];
  });
  const undecided = round.groups.filter(({ id }) => !timers.has(id));
  return (await areAsRead(sql, undecided)) && keepGroups(sql, decided);
}

function decidedIn({ groups }: DueRound, { result: { states, repeating } }: RoundDecision): DecidedState[] {
  return groups.flatMap(({ id, target, members }) =>
    members.map(({ key, state }) => ({
      key,
      ...target,
      state: states.get(id)?.get(key) ?? state,
      repeats: repeating.get(id)?.has(key) ?? false,
    })),
  );
}

/** Alerts that were put into a message on a channel where people can answer them. */
function toldIn({ groups }: DueRound, { result, counts, isAnswered }: RoundDecision): ToldAlert[] {
  const labels = new Map(groups.flatMap(({ members }) => members.map((one) => [one.key, one.labels])));
  const told = result.batches.filter(({ target }) => counts(target.channel)).flatMap(({ members }) => members);
  return [...Map.groupBy(told, ({ key }) => key)].map(([key, members]) => ({
    key,
    seq: Math.max(...members.map(({ seq }) => seq)),
    isAnswered: isAnswered(labels.get(key) ?? {}),
  }));
}

export async function readCalls(
  sql: Sql,
  at: Instant,
  limit: number,
  uncounted: readonly string[],
): Promise<CallRound> {
  const alerts = await dueAlerts(sql, at, limit, uncounted);
  const keys = alerts.map(({ key }) => key);
  return { alerts, policy: await policyFor(sql, keys, at) };
}

export async function commitCalls(
  sql: Sql,
  round: CallRound,
  result: Parameters<DispatchStore['commitCalls']>[1],
  at: Instant,
): Promise<void> {
  requireUnchanged(await isPolicy(sql, round.policy.version));
  await owe(sql, result.owing, at);
  await keepCalls(sql, result.alerts, at);
  await addNotifications(sql, [{ watch: ANNOUNCER, transitions: result.announced }], at);
}

export async function commitReroute(sql: Sql, result: RerouteResult, at: Instant): Promise<void> {
  const { rerouted, owing, withdrawn, informed, uninformed, relabelled, undeliverable } = result;
  await withdrawAll(sql, withdrawn, at);
  await rerouteStates(sql, rerouted);
  await owe(sql, owing, at);
  await informStates(sql, informed, at);
  if (informed.length > 0) await routeAgain(sql, await summariesAfter(sql, informed, at));
  await uninformStates(sql, uninformed);
  for (const one of uninformed) await withdrawUntried(sql, one, at);
  await relabelAlerts(sql, relabelled);
  for (const one of undeliverable) await addDead(sql, one, at);
  const woken = rerouted.map(({ group }) => ({ group, notification: null }));
  await wake(sql, woken, at);
  await wakeHolding(sql, at);
  await askAgain(sql, at);
  await append(sql, withdrawnLines(withdrawn, at));
}

export async function putBackHeld(sql: Sql, tried: Tried, held: readonly HeldMember[], at: Instant): Promise<'kept'> {
  const withdrawn = await putBack(sql, tried, held, at);
  await withdrawAll(sql, withdrawn, at);
  await append(sql, withdrawnLines(withdrawn, at));
  return 'kept';
}

const goneShape = z.record(z.string(), z.number());

/**
 * Targets that are missing in the config, with the time since which they are missing. Empty if the row is unreadable,
 * so that this time starts again.
 */
export async function goneTargets(sql: Sql): Promise<GoneTargets> {
  return goneShape.safeParse(await readFact(sql, 'gone-targets')).data ?? {};
}

export async function keepGone(sql: Sql, gone: GoneTargets, left: readonly string[], at: Instant): Promise<void> {
  await writeFact(sql, 'gone-targets', gone);
  await cancelFor(sql, left.map(targetOf), at);
}

export async function dispatchedAt(sql: Sql): Promise<Instant | null> {
  return z.number().safeParse(await readFact(sql, 'dispatched-at')).data ?? null;
}

export async function keepDispatched(sql: Sql, at: Instant): Promise<void> {
  await writeFact(sql, 'dispatched-at', at);
}

export async function moveClock(sql: Sql, jump: ClockShift): Promise<void> {
  await keepDispatched(sql, jump.now);
  await moveStates(sql, jump);
  await moveAlerts(sql, jump);
  await moveGroups(sql, jump);
  await moveDeliveries(sql, jump);
  // The end of a silence does not move: an operator chose that time of day.
  await moveAcks(sql, jump);
  await keepOver(sql, jump.now);
}

const NEXT = `
  SELECT (SELECT min(due_at) FROM dispatch_group WHERE due_at IS NOT NULL) AS of_groups,
    (SELECT min(due_at) FROM alerts WHERE due_at IS NOT NULL) AS of_alerts,
    (SELECT min(details_until) FROM notifications WHERE routed = 0) AS of_details`;

export async function nextRound(sql: Sql): Promise<Instant | null> {
  const row = await sql.first(NEXT);
  return row === undefined
    ? null
    : earliest(['of_groups', 'of_alerts', 'of_details'].map((name) => intOrNull(row, name)));
}

// The journal lines of dispatch rounds.

/** The lines of a round that chose targets. */
export function routingLines(
  { unrouted }: RoutingRound,
  { owing, undeliverable, withdrawn }: RoutingResult,
  at: Instant,
): readonly JournalEntry[] {
  const owed = Map.groupBy(owing, ({ notification }) => notification);
  const undelivered = Map.groupBy(undeliverable, ({ notification }) => notification.number);
  const routed = unrouted.map(({ number, ...notification }) => ({
    ...notification,
    channels: [...new Set((owed.get(number) ?? []).map(({ group }) => group.target.channel))],
    lost: (undelivered.get(number) ?? []).map(({ channel }) => channel),
  }));
  return [...routedLines(routed, at), ...withdrawnLines(withdrawn, at)];
}

/** The lines of a round that decided which messages are sent. */
export function dueLines(round: DueRound, { result, shares }: RoundDecision, at: Instant): readonly JournalEntry[] {
  const closed = result.batches.flatMap((batch) => wholeOf(batch, shares));
  return [...withdrawnLines(result.withdrawn, at), ...heldLines(heldIn(round, result), at), ...closedLines(closed, at)];
}

/** A large message is stored by several commits. Only the last one adds its line. */
function wholeOf(batch: DeliveryBatch, shares: RoundDecision['shares']): readonly DeliveryBatch[] {
  const share = shares.get(batch.id);
  if (share === undefined) return [batch];
  return share.isLast ? [share.batch] : [];
}

function heldIn({ groups }: DueRound, { states }: RoundResult): HeldAlert[] {
  return groups.flatMap(({ id, target: { channel }, members }) =>
    members.flatMap(({ key, watch, alert, state: { held: before } }): HeldAlert[] => {
      const after = states.get(id)?.get(key)?.held;
      if (after === undefined || (after === null) === (before === null)) return [];
      const cause = after ?? before;
      if (cause === null) return [];
      return [{ ...cause, is: after === null ? 'released' : 'held', key, watch, alert, channel }];
    }),
  );
}
