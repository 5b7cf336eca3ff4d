// The model of dispatch: pending transitions, their targets, and the state of each target.
//
//   notification     the stored row of one transition
//   target           one recipient of one channel
//   routing          targets and options of one alert
//   recipient state  the state of one alert for one target
//   dispatch group   alerts that share one target and one timer
//   batch            the members of one message
//   end              a transition that resolves or retracts
import type { DeliveryKind, Message, Present, Renewal, SentAs, SummaryKind } from '../core/model/delivery.ts';
import type { AlertId, DeliveryId, Labels, Recipient, Severity, WatchId } from '../core/model/ids.ts';
import type { TransitionName } from '../core/model/transition.ts';
import type { Instant } from '../lib/clock.ts';
import type { Weekday } from '../lib/time-zone.ts';

export type { DeliveryKind, Renewal, SummaryKind } from '../core/model/delivery.ts';
export type { Labels } from '../core/model/ids.ts';

/** An alert's own key: stable over its episodes. */
export type Key = string;

export type { TransitionName } from '../core/model/transition.ts';

/** By label: `*` is a glob, a list means any of them, a leading `!` negates the whole. */
export type Matcher = Readonly<Record<string, string | readonly string[]>>;

/** One transition, as dispatch reads it. */
export interface Notification {
  /** idOf(key, episode, seq) */
  readonly id: string;
  readonly key: Key;
  readonly episode: number;
  /** Rises with every transition of the key. */
  readonly seq: number;
  readonly watch: WatchId;
  readonly alert: AlertId;
  readonly transition: TransitionName;
  readonly labels: Labels;
  /** The channels that the rule names; null: it leaves that to the routes. */
  readonly notify: readonly string[] | null;
  readonly message: Message;
  readonly at: Instant;
}

/** Local times `HH:MM` in a named zone; `to` may be 24:00, and before `from`, when the window passes midnight. */
export interface MuteWindow {
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

/** One step of an escalation. */
export interface EscalationStep {
  readonly afterMs: number;
  readonly notify: readonly string[];
}

/** One entry of `routes`; null means that it is not set here. */
export interface Route {
  readonly match: Matcher;
  readonly notify: readonly string[] | null;
  readonly add: readonly string[];
  readonly groupBy: readonly string[] | null;
  readonly groupWaitMs: number | null;
  readonly groupIntervalMs: number | null;
  readonly repeatMs: number | 'off' | null;
  readonly requireAck: boolean | null;
  readonly escalate: readonly EscalationStep[] | null;
  readonly failover: readonly string[] | null;
  readonly mute: readonly MuteWindow[];
}

/** The result of all routes for one alert. */
export interface Routing {
  /** Channel names, without repetition. */
  readonly channels: readonly string[];
  /** Null: the default of the channel's type holds. */
  readonly options: Omit<Route, 'match' | 'notify' | 'add'>;
}

/** An open alert of `when` mutes those of `mute` whose labels in `equal` are the same. */
export interface InhibitRule {
  readonly when: Matcher;
  readonly mute: Matcher;
  readonly equal: readonly string[];
  readonly events: 'summary' | 'drop';
}

/** Most messages to one recipient: in any ten minutes, and in any hour. */
export interface Cap {
  readonly burst: number;
  readonly perHour: number;
}

/** The critical lines of a message, which decide how it counts against a cap. */
export interface CriticalLines {
  /** `rule/alert` of each. */
  readonly rules: readonly string[];
  /** The keys of conditions, and `rule/alert` of events. */
  readonly alerts: readonly string[];
}

/** A summary of critical alerts has its own stream. */
export type SummaryStream = SummaryKind | 'critical_overflow_summary';

/** The messages to a recipient within the last hour, by the time at which they were closed. */
export interface SentBefore {
  /** Messages without a critical line. Summaries are in neither of these two lists. */
  readonly common: readonly Instant[];
  readonly critical: readonly { readonly at: Instant; readonly rules: readonly string[] }[];
  /** Critical alerts in any message of the last ten minutes, as in `CriticalLines`. */
  readonly heardOf: ReadonlySet<string>;
  /** The time of the last summary of each stream. */
  readonly summaries: ReadonlyMap<SummaryStream, Instant>;
}

/** Why a message waits, and the id of its silence or the key of its source. */
export interface Held {
  readonly why: 'inhibited' | 'silenced' | 'acked' | 'unpolled' | 'mute-window' | 'cap';
  readonly by: string | null;
}

/** The state of one alert for one target. `wanted`, `closed`, `notified`: the newest pending, batched, accepted seq. */
export interface RecipientState {
  readonly wanted: number;
  /** Transitions up to here are settled: batched, counted, or in need of no message. */
  readonly closed: number;
  /** The newest seq whose message was accepted, or has an unknown outcome. */
  readonly notified: number;
  /** The time of that, or the time when the last message was given up. */
  readonly notifiedAt: Instant | null;
  /** The begin that was batched without its end: the end is pending for this target. Null: no begin is open for it. */
  readonly begun: number | null;
  readonly held: Held | null;
  readonly heldAt: Instant | null;
  /** Its unsettled deliveries: `tried` if one of them may have arrived; null: there are none. */
  readonly owed: 'untried' | 'tried' | null;
  /** The reason to send what is open at once, even if it was sent before; null: none. */
  readonly renewed: Renewal | null;
}

/** The fields of a notification that a decision reads. */
export type PendingTransition = Pick<Notification, 'seq' | 'episode' | 'transition' | 'at'>;

/** An alert in one of its episodes, with its routing. */
export interface AlertEpisode {
  readonly key: Key;
  readonly watch: WatchId;
  readonly alert: AlertId;
  readonly labels: Labels;
  readonly severity: Severity;
  readonly episode: number;
}

/** One alert in a group. */
export interface GroupMember extends Omit<AlertEpisode, 'alert'> {
  readonly isOpen: boolean;
  readonly isEvent: boolean;
  /** False: an event that no route left open when it happened. */
  readonly needsAck: boolean;
  readonly routing: Pick<Routing, 'options'>;
  /** Transitions after `closed`, in order of seq. */
  readonly news: readonly PendingTransition[];
}

/** One group as a round reads it. */
export interface DispatchGroup {
  readonly id: string;
  readonly target: Recipient;
  /** `group`: one message for several alerts. `alert`: one call for each alert. */
  readonly unit: 'alert' | 'group';
  /** Null: the target may be sent any number. */
  readonly cap: Cap | null;
  readonly version: number;
  /** The time when its last batch was closed. */
  readonly closedAt: Instant | null;
  readonly members: readonly GroupMember[];
}

/** A stored silence or pause. */
export interface Silence {
  readonly id: string;
  readonly kind: 'silence' | 'pause';
  readonly matchers: Matcher;
  readonly from: Instant;
  readonly until: Instant;
  readonly untilResolved: boolean;
  readonly actor: string;
  readonly comment: string;
  readonly version: number;
}

/** An acknowledgement; a snooze is one with an earlier end. */
export interface Ack {
  readonly key: Key;
  readonly episode: number;
  readonly seq: number;
  /** The severity of the alert at that time: the acknowledgement does not cover a higher one. */
  readonly severity: Severity;
  readonly actor: string;
  readonly comment: string | null;
  readonly at: Instant;
  readonly until: Instant;
}

/** An open alert that may inhibit others. */
export interface InhibitingAlert {
  readonly key: Key;
  readonly watch: WatchId;
  readonly labels: Labels;
}

/** The same, as a round reads it. */
export interface InhibitionSource extends InhibitingAlert {
  readonly openedAt: Instant;
}

/** Everything else that a decision reads. */
export interface DispatchContext {
  readonly startedAt: Instant;
  readonly silences: readonly Silence[];
  readonly acks: readonly Ack[];
  readonly inhibit: readonly InhibitRule[];
  readonly sources: readonly InhibitionSource[];
  sentBefore(target: Recipient): SentBefore;
  /** When the watch was last polled since the start; null: not yet. */
  lookedAt(watch: WatchId): Instant | null;
  /** When the watch was last polled, by a former process too; null: never, as far as is known. */
  coveredUntil(watch: WatchId): Instant | null;
  readonly presentOf: PresentOf;
}

/** The values of a firing alert from the newest poll since the start; null if there was none. */
export type PresentOf = (alert: Pick<AlertEpisode, 'watch' | 'key'>) => Present | null;

/** The decision about one member. `until: change`: it waits until its cause ends, not for a time. */
export type MemberVerdict =
  | { readonly type: 'send'; readonly as: 'news' | 'repeat' }
  | { readonly type: 'hold'; readonly until: Instant | 'change'; readonly why: Held }
  | { readonly type: 'wait'; readonly until: Instant }
  | { readonly type: 'count'; readonly in: SummaryKind }
  | {
      readonly type: 'suppress';
      readonly why: 'nothing-new' | 'retracted' | 'not-told' | 'silenced' | 'inhibited' | 'acked';
    };

/** The members of one message. */
export interface DeliveryBatch {
  readonly id: DeliveryId;
  readonly kind: DeliveryKind;
  readonly target: Recipient;
  /** Null for summaries and reports. */
  readonly groupId: string | null;
  /** The severity of the most severe member. */
  readonly severity: Severity;
  /** Null if no line is critical. */
  readonly critical: CriticalLines | null;
  /** The most severe first, then the oldest. */
  readonly members: readonly BatchMember[];
  /** The time at which it was to be closed; for a summary, its slot. It is part of the id. */
  readonly dueAt: Instant;
}

/** One transition in a message. */
export interface BatchMember {
  readonly key: Key;
  readonly seq: number;
  readonly as: SentAs;
  readonly renewed: Renewal | null;
  /** The time since when it is held back; null: it is not. */
  readonly heldAt: Instant | null;
  /** The id of the silence, or the key of the alert, that held it back first. */
  readonly heldBy: string | null;
  /**
   * Values later than those of the transition; null: none are known, or the message shows the transition's own values.
   */
  readonly present: Present | null;
}

/** Removes transitions from an untried delivery: all of this key from this seq on. */
export interface Withdrawal {
  readonly target: Recipient;
  readonly key: Key;
  readonly from: number;
  readonly as: 'merged' | 'cancelled';
}

/** An alert whose repeat is needless for a target, because the end is sent. */
export interface NeedlessRepeat {
  readonly target: Recipient;
  readonly key: Key;
}

/** By group id, then by key. */
export type States = ReadonlyMap<string, ReadonlyMap<Key, RecipientState>>;

/** The decisions of operators about messages. */
export interface Policy {
  /** Rises whenever an operator makes, extends or ends a silence or an acknowledgement. */
  readonly version: number;
  readonly silences: readonly Silence[];
  readonly acks: readonly Ack[];
}

/**
 * The input of one round. One group of a target brings all groups of that target that are due or hold transitions back.
 */
export interface DispatchRound {
  readonly groups: readonly DispatchGroup[];
  readonly states: States;
  readonly world: DispatchContext;
}

/** The time when a group closed its last batch, and the time of its next decision. */
export interface GroupTimer {
  readonly id: string;
  readonly closedAt: Instant | null;
  /** Null: only new transitions can change the decision. */
  readonly wakeAt: Instant | null;
}

/** The rows that a round writes. */
export interface RoundResult {
  readonly groups: readonly GroupTimer[];
  /** States of the members that changed. */
  readonly states: States;
  readonly batches: readonly DeliveryBatch[];
  readonly withdrawn: readonly Withdrawal[];
  /** Repeats that wait for another try are removed from their deliveries. */
  readonly needless: readonly NeedlessRepeat[];
  /** By group id: members with repeats while they are open. */
  readonly repeating: ReadonlyMap<string, ReadonlySet<Key>>;
  /** By group id, then by key: the reason why each member is sent or not. */
  readonly verdicts: ReadonlyMap<string, ReadonlyMap<Key, MemberVerdict>>;
}
