// Decides the groups that are due. However many alerts they hold, no turn of the event loop reads or writes more than a
// bounded number of them.
import { decideDue, type DueRound } from '../../dispatch/rounds/due-round.ts';
import { isAnswered } from '../../dispatch/escalate.ts';
import { PAST_SILENCES_MS } from '../../dispatch/policy/holds.ts';
import type { DeliveryBatch, Labels, RoundResult } from '../../dispatch/model.ts';
import { isCommonFull, sentBeforeOf } from '../../dispatch/batches.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import { sharesOf } from '../../dispatch/shares.ts';
import { nextTurn, type Clock, type Instant } from '../../lib/clock.ts';
import { finishInTurns } from '../../lib/steps.ts';
import type { RoundDecision, DispatchStore, DueQuery } from '../../store/contract/dispatch.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';

export interface DueRounds {
  /** Decides one round. Null: nothing is due at `at`. */
  work(at: Instant, fence: Fence): Promise<DecidedRound | null>;
}

export interface DecidedRound {
  readonly read: DueRound;
  /** The result of the last commit. */
  readonly end: CommitResult;
  /** Messages with at least one written member. */
  readonly written: readonly DeliveryBatch[];
}

export interface DueRoundsOptions {
  readonly store: DispatchStore;
  readonly rules: () => DispatchRules;
  readonly clock: Pick<Clock, 'now'>;
  /** The most members that one turn of the event loop reads or writes. */
  readonly mostMembers?: number;
}

const MOST_GROUPS = 100;
const MOST_MEMBERS = 500;

export function createDueRounds(options: DueRoundsOptions): DueRounds {
  const { store, rules, clock, mostMembers = MOST_MEMBERS } = options;

  async function readRest(read: DueRound, query: DueQuery): Promise<DueRound> {
    let round = read;
    while (round.groups.some(({ unread }) => unread !== null)) {
      await nextTurn();
      round = await store.readMembers(round, query);
    }
    return round;
  }

  /** Stops at a superseded commit; the members that are left are decided again. */
  async function writeAll(
    read: DueRound,
    result: RoundResult,
    { fence, ...how }: How & { fence: Fence },
  ): Promise<DecidedRound> {
    const written: DeliveryBatch[] = [];
    let end: CommitResult = 'kept';
    for (const { round, ...share } of sharesOf(read, result, mostMembers)) {
      if (round !== read) await nextTurn();
      end = await store.commitDue(round, { ...how, ...share }, clock.now(), fence);
      if (end !== 'kept') break;
      written.push(...share.result.batches);
    }
    return { read, end, written };
  }

  return {
    async work(at, fence) {
      const inForce = rules();
      const query: DueQuery = {
        at,
        limit: MOST_GROUPS,
        members: mostMembers,
        counted: inForce.counted,
        isFull: ({ target, closed }) =>
          isCommonFull(inForce.channelOf(target.channel).cap, sentBeforeOf(closed, at), at),
        silencesSince: at - PAST_SILENCES_MS,
        withSources: inForce.inhibit.length > 0,
      };
      const round = await readRest(await store.readDue(query), query);
      if (round.groups.length === 0) return null;
      const result = await finishInTurns(decideDue(round, inForce, at));
      const how = { ...howUnder(inForce), fence };
      const partial = closedInPart(round, result);
      if (partial.size === 0) return writeAll(round, result, how);
      const whole = await readRest(unreadAgain(round, partial), query);
      return writeAll(whole, await finishInTurns(decideDue(whole, inForce, at)), how);
    },
  };
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

type How = Omit<RoundDecision, 'result' | 'shares'>;

function howUnder({ channelOf, unanswered, routingOf }: DispatchRules): How {
  return {
    isKept: (channel) => channelOf(channel).unit === 'group',
    counts: (channel) => !unanswered.includes(channel),
    isAnswered: (labels: Labels) => isAnswered(routingOf(labels)),
  };
}
