// Decides the groups that are due. However many alerts they hold, no turn of the event loop reads or writes more than a
// bounded number of them.
import { decideDue, type DueRound } from '../../dispatch/rounds/due-round.ts';
import { isAnswered } from '../../dispatch/escalate.ts';
import { PAST_SILENCES_MS } from '../../dispatch/policy/holds.ts';
import type { DeliveryBatch, Labels, RoundResult } from '../../dispatch/model.ts';
import { isCommonFull, sentBeforeOf } from '../../dispatch/policy/rate.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import { sharesOf } from '../../dispatch/shares.ts';
import { nextTurn, type Clock } from '../../lib/clock.ts';
import { finishInTurns } from '../../lib/steps.ts';
import type { RoundDecision, DispatchStore, DueQuery } from '../../store/contract/dispatch.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';

export interface DueRounds {
  /** Decides one round. Null: nothing is due. */
  work(fence: Fence): Promise<DecidedRound | null>;
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

  async function readAll(query: DueQuery): Promise<DueRound> {
    let round = await store.readDue(query);
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
    async work(fence) {
      const at = clock.now();
      const inForce = rules();
      const query: Omit<DueQuery, 'isWhole'> = {
        at,
        limit: MOST_GROUPS,
        members: mostMembers,
        counted: inForce.counted,
        isFull: ({ target, closed }) =>
          isCommonFull(inForce.channelOf(target.channel).cap, sentBeforeOf(closed, at), at),
        silencesSince: at - PAST_SILENCES_MS,
        withSources: inForce.inhibit.length > 0,
      };
      const round = await readAll({ ...query, isWhole: false });
      if (round.groups.length === 0) return null;
      const result = await finishInTurns(decideDue(round, inForce, at));
      const how = { ...howUnder(inForce), fence };
      if (!leavesOut(round, result)) return writeAll(round, result, how);
      const whole = await readAll({ ...query, isWhole: true });
      return writeAll(whole, await finishInTurns(decideDue(whole, inForce, at)), how);
    },
  };
}

/**
 * True if a message is made of new members alone while others of its group wait. Members of one group may have different
 * intervals, and the others are due with the first one: they belong into the same message.
 */
function leavesOut({ groups }: DueRound, { groups: timers }: RoundResult): boolean {
  const closedAt = new Map(timers.map((timer) => [timer.id, timer.closedAt]));
  return groups.some((group) => group.restWakesAt !== null && closedAt.get(group.id) !== group.closedAt);
}

type How = Omit<RoundDecision, 'result' | 'shares'>;

function howUnder({ channelOf, unanswered, routingOf }: DispatchRules): How {
  return {
    isKept: (channel) => channelOf(channel).unit === 'group',
    counts: (channel) => !unanswered.includes(channel),
    isAnswered: (labels: Labels) => isAnswered(routingOf(labels)),
  };
}
