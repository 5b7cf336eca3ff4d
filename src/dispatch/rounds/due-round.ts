// A round that decides due groups: its input, and the decision from it.
import { isAmong, RANK_OF, targetKey } from '../../core/model/delivery.ts';
import type { Recipient, RecipientsOf, WatchId } from '../../core/model/ids.ts';
import { earliest, type Instant } from '../../lib/clock.ts';
import { createPace, finish, mapInSteps, type Steps } from '../../lib/steps.ts';
import { CAPPED, decideGroup, type GroupDecision, type Of, sentTallyOf } from '../decide-group.ts';
import { repeatEvery, stateTold, stateWaiting } from '../decide.ts';
import { type GroupingRules, timersOf } from '../group.ts';
import type {
  AlertEpisode,
  Cap,
  DeliveryBatch,
  DispatchContext,
  DispatchGroup,
  DispatchRound,
  GroupTimer,
  InhibitionSource,
  InhibitRule,
  Key,
  MemberVerdict,
  PendingTransition,
  Policy,
  PresentOf,
  RecipientState,
  RoundResult,
  SentBefore,
  States,
  SummaryStream,
} from '../model.ts';
import { type Context, contextOf } from '../policy/holds.ts';
import {
  closeBatch,
  type ClosedBefore,
  NOTHING_SENT,
  sentBeforeOf,
  slotEnd,
  streamOf,
  summaryFrom,
} from '../batches.ts';

/** One alert in a group, with its state for the group's target. */
export interface DueMember extends AlertEpisode {
  readonly isOpen: boolean;
  readonly isEvent: boolean;
  readonly needsAck: boolean;
  readonly news: readonly PendingTransition[];
  readonly state: RecipientState;
}

export interface DueGroup {
  readonly id: string;
  readonly target: Recipient;
  readonly version: number;
  readonly closedAt: Instant | null;
  /** If only new members were read: when the others are decided next. Null: all members were read. */
  readonly restWakesAt: Instant | null;
  readonly members: readonly DueMember[];
  /** Members whose newest notification cannot be read: they cannot be sent, so nothing stays pending for them. */
  readonly damaged: readonly Key[];
  /** Members with keys after this one were not read yet; null: all were read. */
  readonly unread: Key | null;
}

export interface RecentlySent {
  readonly target: Recipient;
  readonly closed: readonly ClosedBefore[];
}

export interface DueRound {
  readonly groups: readonly DueGroup[];
  /** Messages sent to targets that have a cap. */
  readonly sent: readonly RecentlySent[];
  readonly policy: Policy;
  /** Open alerts that may inhibit others; empty if the config has no rule for that. */
  readonly sources: readonly InhibitionSource[];
}

/** The settings of the config in force, and facts of the running process. */
export interface DecidingRules extends GroupingRules {
  readonly inhibit: readonly InhibitRule[];
  readonly recipientsOf: RecipientsOf;
  readonly channelOf: (channel: string) => { readonly unit: DispatchGroup['unit']; readonly cap: Cap | null };
  readonly startedAt: Instant;
  readonly lookedAt: (watch: WatchId) => Instant | null;
  readonly coveredUntil: (watch: WatchId) => Instant | null;
  readonly presentOf: PresentOf;
}

/** Pure. */
export function* decideDue(due: DueRound, rules: DecidingRules, now: Instant): Steps<RoundResult> {
  const sentTo = new Map(due.sent.map(({ target, closed }) => [targetKey(target), sentBeforeOf(closed, now)]));
  const groups: DispatchGroup[] = [];
  const states = new Map<string, ReadonlyMap<Key, RecipientState>>();
  const isStep = createPace();
  for (const read of due.groups) {
    const group = isAmong(read.target, rules.recipientsOf) ? read : begunIn(read);
    groups.push(yield* groupOf(group, rules));
    states.set(group.id, statesOf(group.members));
    if (isStep(group.members.length)) yield;
  }
  const sentBefore = (target: Recipient): SentBefore => sentTo.get(targetKey(target)) ?? NOTHING_SENT;
  const result = yield* decideInSteps({ groups, states, world: { ...worldOf(due, rules), sentBefore } }, now);
  const rests = new Map(due.groups.map(({ id, restWakesAt }) => [id, restWakesAt]));
  return {
    ...result,
    groups: result.groups.map((timer) => ({ ...timer, wakeAt: earliest([timer.wakeAt, rests.get(timer.id) ?? null]) })),
  };
}

/** Its `sentBefore` always returns `NOTHING_SENT`. */
export function worldOf(
  { policy: { silences, acks }, sources }: Pick<DueRound, 'policy' | 'sources'>,
  { startedAt, inhibit, lookedAt, coveredUntil, presentOf }: DecidingRules,
): DispatchContext {
  const process = { startedAt, lookedAt, coveredUntil, presentOf };
  return { ...process, silences, acks, inhibit, sources, sentBefore: () => NOTHING_SENT };
}

/**
 * A removed target is sent nothing new: alerts that it was not sent stay undecided until a config has it again, or
 * `reroute` moves them to other targets.
 */
function begunIn(group: DueGroup): DueGroup {
  return { ...group, members: group.members.filter(({ state }) => state.begun !== null) };
}

function statesOf(members: readonly DueMember[]): ReadonlyMap<Key, RecipientState> {
  return new Map(members.map(({ key, state }) => [key, state]));
}

function* groupOf(group: DueGroup, rules: DecidingRules): Steps<DispatchGroup> {
  const { id, target, version, closedAt } = group;
  const members = yield* mapInSteps(group.members, ({ state: _state, ...member }) => ({
    ...member,
    routing: rules.routingOf(member.labels),
  }));
  return { id, target, version, closedAt, ...rules.channelOf(target.channel), members };
}

// One round decides every group that is due. The messages of one target are counted together, in an order that does not
// depend on how the groups were read: the same round gives the same messages.

/** Pure. If a round is decided twice, the messages have the same ids, so nothing is sent twice. */
export function decideRound(round: DispatchRound, now: Instant): RoundResult {
  return finish(decideInSteps(round, now));
}

/** Like `decideRound`, but in steps, for rounds with thousands of members. */
function* decideInSteps({ groups, states, world }: DispatchRound, now: Instant): Steps<RoundResult> {
  const context = contextOf(world, now);
  const byTarget = Map.groupBy(groups, ({ target }) => targetKey(target));
  const decided: Decided[] = [];
  for (const ofTarget of byTarget.values()) decided.push(yield* decideTarget(context, ofTarget, states));
  const parts = decided.flatMap((one) => one.parts);
  const isStep = createPace();
  const size = groups.reduce((sum, { members }) => sum + members.length, 0);
  if (isStep(size)) yield;
  const timers = parts.map((part) => timerOf(part, now));
  if (isStep(size)) yield;
  const changes = new Map(parts.map((part) => [part.group.id, changesIn(part, states)]));
  if (isStep(size)) yield;
  return {
    groups: timers,
    states: changes,
    batches: [...parts.flatMap(({ batches }) => batches), ...decided.flatMap(({ summaries }) => summaries)],
    withdrawn: parts.flatMap(({ withdrawn }) => withdrawn),
    overtaken: parts.flatMap(({ overtaken }) => overtaken),
    repeating: new Map(parts.map((part) => [part.group.id, new Set(repeatsOf(part).keys())])),
    verdicts: new Map(parts.map(({ group, verdicts }) => [group.id, verdicts])),
  };
}

interface Decided {
  readonly parts: readonly GroupDecision[];
  readonly summaries: readonly DeliveryBatch[];
}

function* decideTarget(context: Context, groups: readonly DispatchGroup[], states: States): Steps<Decided> {
  const [to] = groups;
  if (to === undefined) return { parts: [], summaries: [] };
  const sent = sentTallyOf(context.world.sentBefore(to.target));
  const parts: GroupDecision[] = [];
  const isStep = createPace();
  for (const group of inOrder(groups)) {
    parts.push(yield* decideGroup(context, group, states.get(group.id) ?? new Map(), sent));
    if (isStep(group.members.length)) yield;
  }
  return { parts, summaries: yield* closeSummaries(context, to, parts) };
}

/** The most severe groups come first, since the cap may let only some through. */
function inOrder(groups: readonly DispatchGroup[]): DispatchGroup[] {
  const ranks = new Map(groups.map((group) => [group, rankOf(group)]));
  const rank = (group: DispatchGroup): number => ranks.get(group) ?? 0;
  return groups.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : Number(a.id > b.id)));
}

function rankOf({ members }: DispatchGroup): number {
  return members.reduce(
    (rank, { news, severity }) => (news.length > 0 ? Math.min(rank, RANK_OF[severity]) : rank),
    RANK_OF.info + 1,
  );
}

function timerOf(part: GroupDecision, now: Instant): GroupTimer {
  // The repeat counts from the acceptance of the message, which is later than `now`. So this decision may come too
  // early, and another one follows.
  const repeats = [...repeatsOf(part)]
    .filter(([key]) => isTold(part.verdicts.get(key)))
    .map(([, every]) => now + every);
  return { id: part.group.id, closedAt: part.closedAt, wakeAt: earliest([...part.wakes, ...repeats]) };
}

function isTold(verdict: MemberVerdict | undefined): boolean {
  return verdict?.type === 'send' || verdict?.type === 'count';
}

/** Members with repeats while they are open, and the milliseconds between these. */
function repeatsOf({ group, states }: GroupDecision): Map<Key, number> {
  const every = group.members.flatMap((member): [Key, number][] => {
    const state = states.get(member.key);
    const ms = state === undefined ? null : repeatEvery(member, state, timersOf(member.routing, group.unit));
    return ms === null ? [] : [[member.key, ms]];
  });
  return new Map(every);
}

function changesIn(part: GroupDecision, states: States): ReadonlyMap<Key, RecipientState> {
  const before = states.get(part.group.id);
  return new Map([...part.states].filter(([key, state]) => !isSame(state, before?.get(key))));
}

function isSame(after: RecipientState, before: RecipientState | undefined): boolean {
  return (
    before !== undefined &&
    after.wanted === before.wanted &&
    after.closed === before.closed &&
    after.begun === before.begun &&
    after.held?.why === before.held?.why &&
    after.held?.by === before.held?.by &&
    after.heldAt === before.heldAt &&
    after.owed === before.owed &&
    after.renewed?.why === before.renewed?.why &&
    after.renewed?.by === before.renewed?.by
  );
}

// Summaries of one target: of transitions above its cap, and of those that a silence or an inhibition held back until
// it was over.

interface Counted {
  readonly part: GroupDecision;
  readonly one: Of<'count'>;
  /** The earliest time of its summary. */
  readonly from: Instant;
}

type To = Pick<DispatchGroup, 'target' | 'cap'>;

/**
 * Closes the summaries that are due, at most one of each stream in ten minutes. They do not count against the cap, so
 * no storm holds them back.
 */
function* closeSummaries(context: Context, to: To, parts: readonly GroupDecision[]): Steps<DeliveryBatch[]> {
  const { now } = context;
  const counted = parts.flatMap((part) => part.counted.map((one) => countedFrom(part, one)));
  const due = counted.filter(({ from }) => from <= now);
  const { summaries } = to.cap === null ? NOTHING_SENT : context.world.sentBefore(to.target);
  const freeFrom = (stream: SummaryStream): Instant => summaryFrom(summaries.get(stream), now);
  const batches: DeliveryBatch[] = [];
  const closed = new Set<Counted>();
  for (const [stream, some] of Map.groupBy(due, streamOfCounted)) {
    if (freeFrom(stream) > now) continue;
    batches.push(yield* close(context, to, some));
    for (const one of some) closed.add(one);
  }
  for (const one of counted) if (!closed.has(one)) keepWaiting(one, Math.max(one.from, freeFrom(streamOfCounted(one))));
  return batches;
}

function streamOfCounted({ one: { member, next } }: Counted): SummaryStream {
  return streamOf(next.in, member.severity === 'critical');
}

function countedFrom(part: GroupDecision, one: Of<'count'>): Counted {
  const { heldAt, in: kind } = one.next;
  return { part, one, from: kind === 'overflow_summary' ? slotEnd(heldAt) : heldAt };
}

function oldest(counted: readonly Counted[]): Instant {
  return counted.reduce((first, { one }) => Math.min(first, one.next.heldAt), Infinity);
}

function keepWaiting({ part, one }: Counted, until: Instant): void {
  const { key } = one.member;
  part.wakes.push(until);
  part.verdicts.set(key, { type: 'hold', until, why: one.state.held ?? CAPPED });
  part.states.set(key, stateWaiting(one));
}

function* close({ now }: Context, { target }: To, counted: readonly Counted[]): Steps<DeliveryBatch> {
  const kind = counted[0]?.one.next.in ?? 'overflow_summary';
  for (const { part, one } of counted) {
    part.verdicts.set(one.member.key, { type: 'count', in: kind });
    part.states.set(one.member.key, stateTold(one, one.next.lines.length, null, now));
    part.closedAt = now;
  }
  const lines = counted.flatMap(({ one }) => one.next.lines);
  return yield* closeBatch({ kind, target, groupId: null, dueAt: slotEnd(oldest(counted)), closedAt: null }, lines);
}
