// The storage that the dispatcher needs. A round is read, decided by a pure function, and written in one transaction.
// Nothing is written if data that the round depends on has changed meanwhile.
import type { CallResult, CallRound } from '../../dispatch/rounds/call-round.ts';
import type { ClockShift } from '../../dispatch/clock-jump.ts';
import type { DueRound, RecentlySent } from '../../dispatch/rounds/due-round.ts';
import type { Recipient } from '../../core/model/ids.ts';
import type { DeliveryShares } from '../../dispatch/shares.ts';
import type { Key, Labels, RoundResult } from '../../dispatch/model.ts';
import type { ActiveAlert, GoneTargets, RerouteResult } from '../../dispatch/reroute.ts';
import type { RoutingResult, RoutingRound } from '../../dispatch/rounds/routing-round.ts';
import type { Transition } from '../../core/model/transition.ts';
import type { Instant } from '../../lib/clock.ts';
import type { CommitResult, Fence } from './fence.ts';

export interface DueQuery {
  readonly at: Instant;
  /** The most groups. The due groups of one target on a counted channel are read together, even beyond this limit. */
  readonly limit: number;
  /** The most members, in all groups together. */
  readonly members: number;
  /** Channels that count the messages to each recipient. */
  readonly counted: readonly string[];
  /** True if a target on a counted channel is over its cap, so that no new message is sent now. */
  readonly isFull: (sent: RecentlySent) => boolean;
  /** Silences that ended after this time are read as well. */
  readonly silencesSince: Instant;
  /** True if open alerts may inhibit other alerts. */
  readonly withSources: boolean;
}

export type MembersQuery = Pick<DueQuery, 'members' | 'silencesSince'>;

export interface RoundDecision {
  readonly result: RoundResult;
  /** Deliveries that several commits write. */
  readonly shares: DeliveryShares;
  /** True if groups of the channel are kept while none of their members waits. */
  readonly isKept: (channel: string) => boolean;
  /** True if recipients on the channel can answer an alert. */
  readonly counts: (channel: string) => boolean;
  /** True if an alert with these labels needs an answer, or has a failover. */
  readonly isAnswered: (labels: Labels) => boolean;
}

/** `last`: the key of the last one if there may be more; null: these are all. */
export interface ActiveAlerts {
  readonly alerts: readonly ActiveAlert[];
  readonly last: Key | null;
}

/** The place of the state of an alert for a recipient. */
export interface RecipientStateKey extends Recipient {
  readonly key: Key;
}

export interface DispatchStore {
  /**
   * Up to `limit` transitions without chosen targets that wait for no details, and the states of their possible targets.
   */
  readRouting(limit: number, at: Instant): Promise<RoutingRound>;

  /** `superseded`: nothing was written, since data that the round depends on has changed; it must be read again. */
  commitRouting(round: RoutingRound, result: RoutingResult, at: Instant, fence: Fence): Promise<CommitResult>;

  /**
   * Groups that are due, with the states of their targets and the acknowledgements of their members. Members over the
   * limit stay unread.
   */
  readDue(query: DueQuery): Promise<DueRound>;

  /** The round, with up to `members` of its unread members added. */
  readMembers(round: DueRound, query: MembersQuery): Promise<DueRound>;

  /**
   * A group without a timer in the result is only partly decided: some of its members are written. An existing delivery
   * id is not added again. On a channel with `MOST_UNSETTLED` deliveries, further events are added to the open summary
   * of their alert.
   */
  commitDue(round: DueRound, decision: RoundDecision, at: Instant, fence: Fence): Promise<CommitResult>;

  /**
   * Open alerts for which a decision about further targets is due. `uncounted`: channels on which nobody can answer.
   */
  readCalls(at: Instant, limit: number, uncounted: readonly string[]): Promise<CallRound>;

  /** `announced`: the transitions that announce the result to people. */
  commitCalls(
    round: CallRound,
    result: CallResult & { readonly announced: readonly Transition[] },
    at: Instant,
    fence: Fence,
  ): Promise<CommitResult>;

  /** Alerts that are open or have pending transitions, in the order of their keys: up to `limit` after `after`. */
  readActive(page: { readonly after: Key; readonly limit: number; readonly at: Instant }): Promise<ActiveAlerts>;

  /** Groups with held-back transitions, and alerts that need an answer, are decided again as well. */
  commitReroute(result: RerouteResult, at: Instant, fence: Fence): Promise<CommitResult>;

  goneTargets(): Promise<GoneTargets>;

  /**
   * `gone`: targets that are missing in the config. `left`: keys of targets whose pending messages are cancelled,
   * except ends.
   */
  keepGone(gone: GoneTargets, left: readonly string[], at: Instant, fence: Fence): Promise<'kept' | 'fenced'>;

  /**
   * The time when the dispatching process last compared its clocks, exact to a minute; null if no process has stored
   * it.
   */
  dispatchedAt(): Promise<Instant | null>;

  keepDispatched(at: Instant, fence: Fence): Promise<'kept' | 'fenced'>;

  /**
   * Called after the clock was set. Waits keep their remaining time, and none becomes longer. The time of the
   * comparison is stored in the same transaction, so that the next dispatching process does not move the waits again.
   */
  moveClock(jump: ClockShift, fence: Fence): Promise<'kept' | 'fenced'>;

  /** The time when the next group or alert is due; null: only new transitions can change anything. */
  nextRound(): Promise<Instant | null>;

  /** The number of held-back messages by reason: `silenced`, `mute-window`. */
  held(): Promise<ReadonlyMap<string, number>>;
}
