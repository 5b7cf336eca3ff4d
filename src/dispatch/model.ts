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

/** Patterns by label. `*` matches any text, a list matches if any of its patterns does, a leading `!` negates. */
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
  /** The channels that the rule names; null: the routes choose them. */
  readonly notify: readonly string[] | null;
  readonly message: Message;
  readonly at: Instant;
}

/** Local times `HH:MM` in a named zone. `to` may be 24:00; if it is not after `from`, the window passes midnight. */
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

/** One entry of `routes`; null means that the route does not set the option. */
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
  /** An option is null if no route sets it: then the default of the channel's type is used. */
  readonly options: Omit<Route, 'match' | 'notify' | 'add'>;
}

/** An open alert that matches `when` mutes alerts that match `mute`, if the labels in `equal` have the same values. */
export interface InhibitRule {
  readonly when: Matcher;
  readonly mute: Matcher;
  readonly equal: readonly string[];
  readonly events: 'summary' | 'drop';
}

/** The largest number of messages to one recipient, in any ten minutes and in any hour. */
export interface Cap {
  readonly burst: number;
  readonly perHour: number;
}

/** The critical lines of a message, which decide how it counts against a cap. */
export interface CriticalLines {
  /** `rule/alert` of each critical line. */
  readonly rules: readonly string[];
  /** The keys of conditions, and `rule/alert` of events. */
  readonly alerts: readonly string[];
}

/** Each stream has at most one summary in a slot. Critical alerts above the cap have a stream of their own. */
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

/**
 * The reason why a message waits. `by`: the id of the silence or pause, or the key of the inhibiting alert; null for
 * others.
 */
export interface Held {
  readonly why: 'inhibited' | 'silenced' | 'acked' | 'unpolled' | 'mute-window' | 'cap';
  readonly by: string | null;
}

/** The state of one alert for one target. `wanted`, `closed`, `notified`: the newest pending, batched, accepted seq. */
export interface RecipientState {
  readonly wanted: number;
  /** Transitions up to here are settled: batched, counted, or in need of no message. */
  readonly closed: number;
  /** The newest seq whose message was accepted. */
  readonly notified: number;
  /** The newest seq that may have been accepted: its message was given up after a try without an answer, or a summary. */
  readonly maybeNotified: number;
  /** When that message was accepted, or when the last message was given up; null: neither happened. */
  readonly notifiedAt: Instant | null;
  /** The seq of a begin that was batched without its end, so this target is sent the end; null: there is none. */
  readonly begun: number | null;
  readonly held: Held | null;
  readonly heldAt: Instant | null;
  /** Its unsettled deliveries: `tried` if one of them may have arrived; null: there are none. */
  readonly owed: 'untried' | 'tried' | null;
  /** The reason to send the open alert at once, even if it was sent before; null: there is none. */
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
  /** False: an event for which the routes required no acknowledgement when it happened. */
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
  /** Null: the target may be sent any number of messages. */
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

/** An acknowledgement. A snooze is an acknowledgement that ends earlier. */
export interface Ack {
  readonly key: Key;
  readonly episode: number;
  readonly seq: number;
  /** The severity of the alert when it was acknowledged. The acknowledgement does not cover a higher severity. */
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

/** An `InhibitingAlert` as a round reads it. */
export interface InhibitionSource extends InhibitingAlert {
  readonly openedAt: Instant;
}

/** The facts that a decision reads besides groups and states. */
export interface DispatchContext {
  readonly startedAt: Instant;
  readonly silences: readonly Silence[];
  readonly acks: readonly Ack[];
  readonly inhibit: readonly InhibitRule[];
  readonly sources: readonly InhibitionSource[];
  sentBefore(target: Recipient): SentBefore;
  /** The time at which the watch was last polled since the start; null: not yet. */
  lookedAt(watch: WatchId): Instant | null;
  /** When the watch was last polled, by this or a former process; null: no poll is known. */
  coveredUntil(watch: WatchId): Instant | null;
  readonly presentOf: PresentOf;
}

/** The values of a firing alert from the newest poll since the start; null if there was none. */
export type PresentOf = (alert: Pick<AlertEpisode, 'watch' | 'key'>) => Present | null;

/** The decision about one member. `until: change`: it waits for the end of its cause, whose time is not known. */
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
  /** The time at which the message was due to be closed; for a summary, the end of its slot. It is part of the id. */
  readonly dueAt: Instant;
}

/** One transition in a message. */
export interface BatchMember {
  readonly key: Key;
  readonly seq: number;
  readonly as: SentAs;
  readonly renewed: Renewal | null;
  /** The time at which it was first held back; null: it was not. */
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

/** An alert whose end is sent to a target: what waits there between begin and end is needless. */
export interface Overtaken {
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
 * The input of one round. If it contains one group of a target, it contains all groups of that target that are due or
 * hold transitions back.
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
  /** Repeats that wait for another try, and untried news, are removed from their deliveries. */
  readonly overtaken: readonly Overtaken[];
  /** By group id: keys of the members that have repeats while they are open. */
  readonly repeating: ReadonlyMap<string, ReadonlySet<Key>>;
  /** By group id, then by key: the reason why each member is sent or not. */
  readonly verdicts: ReadonlyMap<string, ReadonlyMap<Key, MemberVerdict>>;
}
