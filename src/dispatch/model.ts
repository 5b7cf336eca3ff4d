// What dispatch is about: transitions that are owed, who is told of them, and what each of those knows.
//
//   notification     the stored row of one transition
//   target           one recipient of one channel
//   routing          targets and options of one alert
//   recipient state  what one target knows of one alert
//   dispatch group   alerts that share one target and one timer
//   batch            the members of one message
//   end              a transition that resolves or retracts
import type { Message } from '../core/model/delivery.ts';
import type { AlertId, Labels, Recipient, WatchId } from '../core/model/ids.ts';
import type { Instant } from '../lib/clock.ts';

export type { Labels } from '../core/model/ids.ts';

/** An alert's own key: stable over its episodes. */
export type Key = string;

export type Transition = 'event' | 'firing' | 'resolved' | 'retracted' | 'corrected' | 'reinstated';

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
  readonly transition: Transition;
  readonly labels: Labels;
  /** The channels that the rule names; null: it leaves that to the routes. */
  readonly notify: readonly string[] | null;
  readonly message: Message;
  readonly at: Instant;
}

/** A day name. */
export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

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

/** Why a message waits, and the id of its silence or the key of its source. */
export interface Held {
  readonly why: 'inhibited' | 'silenced' | 'acked' | 'unpolled' | 'mute-window' | 'cap';
  readonly by: string | null;
}

/** What one target knows of one alert. `wanted`, `closed`, `notified`: the newest seq owed, batched, accepted. */
export interface RecipientState {
  readonly wanted: number;
  readonly closed: number;
  /** Accepted, or of unknown outcome. */
  readonly notified: number;
  readonly notifiedAt: Instant | null;
  readonly held: Held | null;
  readonly heldAt: Instant | null;
  /** Whether the newest seq that is owed was tried; null: nothing is owed. */
  readonly owed: 'untried' | 'tried' | null;
}

/** One alert in a group. */
export interface GroupMember {
  readonly key: Key;
  readonly labels: Labels;
  readonly watch: WatchId;
  readonly episode: number;
  readonly isOpen: boolean;
  readonly severity: Message['severity'];
  readonly routing: Routing;
  /** What lies beyond `closed`, in order of seq. */
  readonly news: readonly Notification[];
}

/** One group as a round reads it. */
export interface DispatchGroup {
  readonly id: string;
  readonly target: Recipient;
  /** `group`: one message for several alerts. `alert`: one call for each. */
  readonly unit: 'alert' | 'group';
  /** Null: the target may be sent any number. */
  readonly cap: Cap | null;
  readonly version: number;
  /** When its last batch was closed. */
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
  readonly actor: string;
  readonly comment: string | null;
  readonly until: Instant;
}

/** An open alert that may inhibit others. */
export interface OpenAlert {
  readonly key: Key;
  readonly watch: WatchId;
  readonly labels: Labels;
}

/** Everything else that a decision reads. */
export interface World {
  readonly silences: readonly Silence[];
  readonly acks: readonly Ack[];
  readonly inhibit: readonly InhibitRule[];
  readonly sources: readonly OpenAlert[];
  /** When batches of this target were closed within the last hour, summaries left out. */
  sentAt(target: Recipient): readonly Instant[];
  /** When the watch was last polled since the start; null: not yet. */
  lookedAt(watch: WatchId): Instant | null;
}

/** What happens to one member now. `until: change`: it waits for no time, but for its cause to end. */
export type Verdict =
  | { readonly type: 'send'; readonly as: 'news' | 'repeat' }
  | { readonly type: 'hold'; readonly until: Instant | 'change'; readonly why: Held }
  | { readonly type: 'wait'; readonly until: Instant }
  | { readonly type: 'suppress'; readonly why: string };

export type DeliveryKind =
  'news' | 'repeat' | 'overflow_summary' | 'silence_summary' | 'inhibition_summary' | 'daily_report';

/** The members of one message. */
export interface Batch {
  readonly kind: DeliveryKind;
  readonly target: Recipient;
  /** Null of summaries and reports. */
  readonly groupId: string | null;
  readonly members: readonly { readonly key: Key; readonly seq: number }[];
  readonly dueAt: Instant;
}
