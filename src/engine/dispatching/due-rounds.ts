// Decides the groups that are due. However many alerts they hold, no turn of the event loop reads or writes more than a
// bounded number of them.
import { decideDue, type DueGroup, type DueRound } from '../../dispatch/rounds/due-round.ts';
import { isAnswered } from '../../dispatch/escalate.ts';
import { PAST_SILENCES_MS } from '../../dispatch/policy/holds.ts';
import type { DeliveryBatch, RoundResult } from '../../dispatch/model.ts';
import { isCommonFull, sentBeforeOf } from '../../dispatch/batches.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import { sharesOf } from '../../dispatch/shares.ts';
import { nextTurn, type Clock, type Instant } from '../../lib/clock.ts';
import { finishInTurns } from '../../lib/steps.ts';
import type { RoundDecision, DispatchStore, DueQuery } from '../../store/contract/dispatch.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';

export interface DecidedGroups {
  readonly groups: readonly DueGroup[];
  /** The result of the last commit. */
  readonly end: CommitResult;
  /** Messages with at least one written member. */
  readonly written: readonly DeliveryBatch[];
}

interface DueTools {
  readonly store: Pick<DispatchStore, 'readDue' | 'readMembers' | 'commitDue'>;
  readonly rules: () => DispatchRules;
  readonly clock: Pick<Clock, 'now'>;
}

const MOST_GROUPS = 100;
const MOST_MEMBERS = 500;

/** Decides one round. Null: no group is due at `at`. `mostMembers`: in one turn of the event loop. */
export async function decideDueGroups(
  tools: DueTools,
  at: Instant,
  fence: Fence,
  mostMembers = MOST_MEMBERS,
): Promise<DecidedGroups | null> {
  const { store, rules } = tools;
  const inForce = rules();
  const query = queryOf(inForce, at, mostMembers);
  let round = await readRest(store, await store.readDue(query), query);
  if (round.groups.length === 0) return null;
  let result = await finishInTurns(decideDue(round, inForce, at));
  const partial = closedInPart(round, result);
  if (partial.size > 0) {
    round = await readRest(store, unreadAgain(round, partial), query);
    result = await finishInTurns(decideDue(round, inForce, at));
  }
  return writeAll(tools, round, result, { inForce, mostMembers, fence });
}

function queryOf({ counted, channelOf, inhibit }: DispatchRules, at: Instant, members: number): DueQuery {
  return {
    at,
    limit: MOST_GROUPS,
    members,
    counted,
    isFull: ({ target, closed }) => isCommonFull(channelOf(target.channel).cap, sentBeforeOf(closed, at), at),
    silencesSince: at - PAST_SILENCES_MS,
    withSources: inhibit.length > 0,
  };
}

async function readRest(store: DueTools['store'], read: DueRound, query: DueQuery): Promise<DueRound> {
  let round = read;
  while (round.groups.some(({ unread }) => unread !== null)) {
    await nextTurn();
    round = await store.readMembers(round, query);
  }
  return round;
}

/**
 * The groups that send a message of their new members alone, while their other members, which were not read, wait. Members
 * of one group may have different intervals, and belong into the message of the first one that is due.
 */
function closedInPart({ groups }: DueRound, { groups: timers }: RoundResult): ReadonlySet<string> {
  const closedAt = new Map(timers.map((timer) => [timer.id, timer.closedAt]));
  const partial = groups.filter(({ restWakesAt }) => restWakesAt !== null);
  return new Set(partial.filter((group) => closedAt.get(group.id) !== group.closedAt).map(({ id }) => id));
}

/** The round, with all members of these groups to be read. */
function unreadAgain(round: DueRound, ids: ReadonlySet<string>): DueRound {
  const unread = { members: [], damaged: [], unread: '', restWakesAt: null };
  return { ...round, groups: round.groups.map((group) => (ids.has(group.id) ? { ...group, ...unread } : group)) };
}

interface Writing {
  readonly inForce: DispatchRules;
  readonly mostMembers: number;
  readonly fence: Fence;
}

/** Stops at a superseded commit; the members that are left are decided again. */
async function writeAll(
  { store, clock }: DueTools,
  read: DueRound,
  result: RoundResult,
  { inForce, mostMembers, fence }: Writing,
): Promise<DecidedGroups> {
  const { channelOf, unanswered, routingOf } = inForce;
  const how: Omit<RoundDecision, 'result' | 'shares'> = {
    isKept: (channel) => channelOf(channel).unit === 'group',
    counts: (channel) => !unanswered.includes(channel),
    isAnswered: (labels) => isAnswered(routingOf(labels)),
  };
  const written: DeliveryBatch[] = [];
  let end: CommitResult = 'kept';
  for (const { round, ...share } of sharesOf(read, result, mostMembers)) {
    if (round !== read) await nextTurn();
    end = await store.commitDue(round, { ...how, ...share }, clock.now(), fence);
    if (end !== 'kept') break;
    written.push(...share.result.batches);
  }
  return { groups: read.groups, end, written };
}
