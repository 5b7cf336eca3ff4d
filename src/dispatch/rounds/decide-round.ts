// One round decides every group that is due. The messages of one target are counted together, in an order that does not
// depend on how the groups were read: the same round gives the same messages.
import { RANK_OF, targetKey } from '../../core/model/delivery.ts';
import { repeatEvery } from '../decide.ts';
import { decideGroup, sentTallyOf, type GroupDecision } from '../decide-group.ts';
import { timersOf } from '../group.ts';
import { contextOf, type Context } from '../policy/holds.ts';
import { earliest, type Instant } from '../../lib/clock.ts';
import { createPace, finish, type Steps } from '../../lib/steps.ts';
import type {
  DeliveryBatch,
  DispatchGroup,
  DispatchRound,
  GroupTimer,
  Key,
  RecipientState,
  RoundResult,
  States,
  MemberVerdict,
} from '../model.ts';
import { closeSummaries } from '../summaries.ts';

/** Pure. If a round is decided twice, the messages have the same ids, so nothing is sent twice. */
export function decideRound(round: DispatchRound, now: Instant): RoundResult {
  return finish(decideInSteps(round, now));
}

/** Like `decideRound`, but in steps, for rounds with thousands of members. */
export function* decideInSteps({ groups, states, world }: DispatchRound, now: Instant): Steps<RoundResult> {
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
