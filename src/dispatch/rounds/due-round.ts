// A round that decides due groups: its input, and the decision from it.
import type { Recipient, RecipientsOf, WatchId } from '../../core/model/ids.ts';
import { earliest, type Instant } from '../../lib/clock.ts';
import { createPace, mapInSteps, type Steps } from '../../lib/steps.ts';
import { decideInSteps } from './decide-round.ts';
import type { GroupingRules } from '../group.ts';
import { NOTHING_SENT, sentBeforeOf, type ClosedBefore } from '../policy/rate.ts';
import { isAmong, targetKey } from '../../core/model/delivery.ts';
import type {
  AlertEpisode,
  Cap,
  DispatchContext,
  DispatchGroup,
  InhibitRule,
  Key,
  PendingTransition,
  InhibitionSource,
  Policy,
  PresentOf,
  RecipientState,
  RoundResult,
  SentBefore,
} from '../model.ts';

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
