// A round that chooses the targets of new transitions: its input, and its result. Reading, deciding and writing are
// three steps, so that a decision is a pure function.
import type { Recipient } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { ToldUnrecorded } from '../../core/model/transition.ts';
import type { AlertEpisode, CriticalLines, Key, Labels, RecipientState, TransitionName, Withdrawal } from '../model.ts';

/** A notification without chosen targets, and without its message. */
export interface Unrouted extends AlertEpisode {
  /** The number of its row. */
  readonly number: number;
  readonly seq: number;
  /** For a summary, the transition of its members. */
  readonly transition: TransitionName;
  /** The channels that the rule and the routes lead to. */
  readonly notify: readonly string[];
  /** Keys of the alerts in a summary; empty for other notifications. */
  readonly members: readonly Key[];
  readonly at: Instant;
  /** Recipients that were sent the transition already, while the state was not writable. */
  readonly told: readonly ToldUnrecorded[];
  /** The reason why its row cannot be read, so that it cannot be sent; null if it can. */
  readonly damage: string | null;
}

/** The reason why a target is sent an alert. */
export type Via = 'route' | 'escalate' | 'failover';

/** The state of an alert for a target. */
export interface Knowledge {
  readonly key: Key;
  readonly target: Recipient;
  readonly via: Via;
  readonly state: RecipientState;
  /** The first transition of what is over, and is in a message to the target that is not settled; null: there is none. */
  readonly overFrom: number | null;
}

export interface RetractedSummary extends Unrouted {
  /** True if all of its events are retracted now. */
  readonly isFinished: boolean;
}

export interface RoutingRound {
  /** The oldest first, at most one for each alert. */
  readonly unrouted: readonly Unrouted[];
  /** Summaries of events that these notifications retract. */
  readonly retracting: readonly RetractedSummary[];
  /** States for the alerts of the notifications and of `retracting`, including members of the former. */
  readonly known: readonly Knowledge[];
}

/** A group, identified by the labels that its alerts share. */
export interface GroupPlace {
  readonly id: string;
  readonly target: Recipient;
  readonly labels: Labels;
}

/** The new state of a target. */
export interface Owing {
  readonly key: Key;
  readonly group: GroupPlace;
  readonly state: RecipientState;
  readonly via: Via;
  /** The number of the notification that causes it; null: none. */
  readonly notification: number | null;
}

/** Targets that are sent alerts by a summary: the begins count as sent to them from now on. */
export interface Informed {
  /** The number of the summary's notification. */
  readonly number: number;
  readonly keys: readonly Key[];
  readonly target: Recipient;
}

/**
 * An alert begins or ends. Events are listed only if they need an answer, or have a failover; `needsAck` is false for
 * the latter.
 */
export type Turned =
  | {
      readonly type: 'opened';
      readonly notification: Unrouted;
      readonly isEvent: boolean;
      readonly needsAck: boolean;
    }
  | { readonly type: 'closed'; readonly notification: Unrouted };

/** A notification for a channel without any target. */
export interface Undeliverable {
  readonly channel: string;
  readonly notification: Pick<Unrouted, 'number' | 'key' | 'watch' | 'alert' | 'episode' | 'seq' | 'severity'>;
  readonly why: 'the config has no such channel any more' | 'the config names nobody for it any more';
}

/** A message that was sent before its transition could be stored. */
export interface ToldBefore {
  readonly notification: Unrouted;
  readonly telling: ToldUnrecorded;
  readonly group: GroupPlace;
  /** Null: it is not critical. */
  readonly critical: CriticalLines | null;
  /** True if its target may answer the alert, and was sent its begin. */
  readonly counts: boolean;
  /** True if the alert needs an acknowledgement, or has a failover. */
  readonly isAnswered: boolean;
}

export interface RoutingResult {
  readonly owing: readonly Owing[];
  readonly told: readonly ToldBefore[];
  readonly informed: readonly Informed[];
  readonly turned: readonly Turned[];
  readonly withdrawn: readonly Withdrawal[];
  readonly undeliverable: readonly Undeliverable[];
}
