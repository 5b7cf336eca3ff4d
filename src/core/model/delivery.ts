// What is owed to whom, and its life: due -> sending -> sent, or due again after a wait that grows, or dead.
import type { Untrusted } from '../../lib/untrusted.ts';
import type { AlertId, DeliveryId, Severity } from './ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Segment } from './watch/condition.ts';

/** One message for one recipient. It speaks of one or more transitions, which are fixed: every try sends the same ones. */
export interface Delivery {
  /** Of a `news` delivery of one transition: deliveryId(key, seq, recipient). Every other kind hashes its members. */
  readonly id: DeliveryId;
  readonly channel: string;
  readonly recipient: string;
  readonly kind: DeliveryKind;
  /** When its members were fixed. */
  readonly at: Instant;
  /** Those that the message lists, at most `MOST_LISTED`: the most severe first, then the oldest. */
  readonly members: readonly [DeliveryMember, ...DeliveryMember[]];
  /** The others, counted. */
  readonly more: readonly MoreMembers[];
}

/** A message lists so many of its members and counts the others. */
export const MOST_LISTED = 50;

/**
 * `news`: what happened now. `repeat`: what was told before and is still so. `overflow_summary`: more than the recipient
 * may be sent. `silence_summary`, `inhibition_summary`: what a silence, or an open alert, kept back until it was over.
 */
export type DeliveryKind = 'news' | 'repeat' | SummaryKind;
export type SummaryKind = 'overflow_summary' | HoldSummaryKind;
/** What was held back and needs no message of its own: it is counted by rule. */
export type HoldSummaryKind = 'silence_summary' | 'inhibition_summary';

export function isHoldSummary(kind: DeliveryKind): kind is HoldSummaryKind {
  return kind === 'silence_summary' || kind === 'inhibition_summary';
}

/** One transition in a delivery. */
export interface DeliveryMember {
  readonly message: Message;
  readonly as: SentAs;
  /** Why it is told now though it did not happen now; null: it is news, or repeated as ever. */
  readonly renewed: Renewal | null;
  /** Since when it was held back; null: it was not. */
  readonly heldAt: Instant | null;
  /** Of what is told later than it happened and is still so: its values then; null: none that are later are known. */
  readonly present: Present | null;
}

/** What a message of now would say of an alert that goes on. `at`: when its values were read. */
export type Present = Pick<Message, 'at' | 'title' | 'detail' | 'measured' | 'text' | 'fields'>;

/** When the condition fired; of what a former release wrote, when it began. */
export function firedAtOf({ firedAt, since }: Pick<Message, 'since' | 'firedAt'>): Instant {
  return firedAt ?? since;
}

/** Values of a later poll replace its own, which become those of before. */
export function presentValues({ fields: before }: Pick<Message, 'fields'>, present: Present): Partial<Message> {
  const { at: observedAt, ...values } = present;
  return { ...values, observedAt, before };
}

/** `repeat`: it was told before. `fired-and-resolved`: an end of which nobody was told the begin. */
export type SentAs = 'news' | 'repeat' | 'fired-and-resolved';

/**
 * Why a target is told of what it knows, or of what began before it was named. `reload`: a config in force since names it.
 * `ack-ended`: nobody has the alert in hand any more; `by` had. `called`: nobody answered.
 */
export interface Renewal {
  readonly why: 'reload' | 'ack-ended' | 'called';
  readonly by: string | null;
}

/** A transition that is told as it happened. */
export function newsOf(message: Message): DeliveryMember {
  return { message, as: 'news', renewed: null, heldAt: null, present: null };
}

/** How many members of a delivery are alike. */
export interface AlikeMembers {
  /** The name of a watch, or the rule that made it. */
  readonly watch: string;
  readonly alert: AlertId;
  readonly severity: Severity;
  readonly type: MessageType;
  readonly count: number;
}

/** Those that a delivery does not list, with the keys of their alerts. */
export interface MoreMembers extends AlikeMembers {
  readonly keys: readonly string[];
}

/** What a receiver called a message, so that a later one can change it or answer it. Opaque, at most 512 bytes. */
export type Receipt = string;

/** One try to send a delivery. */
export interface Attempt {
  /** 1 = the first. */
  readonly number: number;
  /** An earlier try may have arrived: nobody knows. */
  readonly maybeCopy: boolean;
  /** Of the last message about the same alert and episode that this recipient accepted; null: there is none. */
  readonly receipt: Receipt | null;
  /** By key: where members were told in messages of their own before, which is no receipt for all of them. */
  readonly ownReceipts?: ReadonlyMap<string, Receipt>;
  /** It is told from memory, while the state cannot be written, and may be told again. */
  readonly unrecorded?: true;
  /** A page on which the recipient acknowledges what it speaks of; the same for every try. */
  readonly ackUrl?: string;
  /** The daemon's page of an alert, where people reach it; null: it has none. */
  readonly pageOf?: PageOf;
}

export type PageOf = (alert: Pick<Message, 'key' | 'episode' | 'kind' | 'summary'>) => string | null;

/** Of what is due on a channel, a lower rank goes out first. */
export const RANK_OF: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** The reason of a `firing` since a reload made its rule more severe than the alert was told in this episode. */
export const SEVERITY_RAISED = 'severity-raised';

/** The most severe of them; `info` of none. */
export function highest(severities: Iterable<Severity>): Severity {
  const all = new Set(severities);
  return all.has('critical') ? 'critical' : all.has('warning') ? 'warning' : 'info';
}

export function isHigher(severity: Severity, than: Severity): boolean {
  return RANK_OF[severity] < RANK_OF[than];
}

/** Whether what was acknowledged at one severity is in hand now that the alert has another one. */
export function coversSeverity(acknowledged: Severity, now: Severity): boolean {
  return !isHigher(now, acknowledged);
}

export const MESSAGE_TYPES = [
  'alert.event',
  'alert.firing',
  'alert.resolved',
  'alert.retracted',
  'alert.corrected',
  'alert.reinstated',
  'alert.summary',
] as const;
/**
 * `retracted`: what was told is no longer so. `corrected`: it is otherwise. `reinstated`: it is so after all. `summary`:
 * many messages of one of these types at once, in one.
 */
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** `event` of `alert.event` */
export function stateWord(type: MessageType): string {
  return type.slice('alert.'.length);
}

/** How the condition of a scheduled report begins. */
export const ON_SCHEDULE = 'on schedule';

/** It says how things stand, at its time: nothing has to be done about it. */
export function isReport({ type, condition }: Pick<Message, 'type' | 'condition'>): boolean {
  return type === 'alert.event' && condition.startsWith(`${ON_SCHEDULE} `);
}

export interface Message {
  readonly type: MessageType;
  /** Of the decision. */
  readonly at: Instant;
  /** The alert's: stable over its episodes. Deliveries of one key to one recipient are sent in order of `seq`. */
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  readonly watch: string;
  readonly alert: AlertId;
  readonly kind: string;
  readonly severity: Severity;
  readonly explorer: string;
  readonly chainId: string | null;
  /** Before the title in a subject: the explorer, where the rule watches several. */
  readonly place: string | null;
  readonly of: { readonly name: string | null; readonly address: string } | null;
  readonly token: {
    readonly address: string;
    readonly symbol: Untrusted | null;
    readonly decimals: number | null;
  } | null;
  /** Text of the program, not of strangers: it becomes a mail's subject. */
  readonly title: string;
  /** Behind the title in a subject: `970,030, below 1,000,000`, or why it ended; null = the title says it. Not of strangers. */
  readonly detail: string | null;
  /** The measured value as the subject shows it: `970,030`; null = nothing is measured. Not of strangers. */
  readonly measured: string | null;
  /** The first lines: the value before, the threshold, where it happened. */
  readonly lines: readonly (readonly Segment[])[];
  /** The rule's own text; empty where it has none. */
  readonly text: readonly Segment[];
  /** A page that says what to do. */
  readonly runbook: string | null;
  readonly condition: string;
  readonly rule: string;
  readonly observedAt: Instant;
  /** When it happened, or when the condition began. */
  readonly since: Instant;
  /** When the condition fired, `for` after it began. Null of events, and where a former release wrote it. */
  readonly firedAt: Instant | null;
  readonly resolvedAt: Instant | null;
  /** The reason, when it was not the rule's own condition: `rule removed`, `flapping`, `not found any more`. */
  readonly reason: string | null;
  /** The zone in which people are shown its times. */
  readonly zone: string;
  /** Sent more than ten minutes after it happened. */
  readonly late: boolean;
  /** Another replica, which is gone, may have told it from memory. Left out: none has. */
  readonly mayBeTold?: true;
  readonly fields: Readonly<Record<string, Fact>>;
  readonly before: Readonly<Record<string, Fact>>;
  readonly links: readonly string[];
  /** Of an `alert.summary`; null of all others. */
  readonly summary: DeliverySummary | null;
}

/** The messages that a summary replaces. */
export interface DeliverySummary {
  readonly of: MessageType;
  readonly count: number;
  /** Keys of the members: `count` of them. */
  readonly keys: readonly string[];
}

/** One value in a message. Amounts, addresses and times are `text`; text from the chain stays `untrusted`. */
export type Fact =
  boolean | number | Segment | { readonly list: readonly Fact[] } | { readonly record: Readonly<Record<string, Fact>> };

/**
 * How one try ended. `afterMs`: the receiver named its own time. `atLeastMs`: the waits grow as ever, and none is shorter.
 * `auth`: the receiver refuses who calls or where to, or is gone, so a person has to change the config. `rejected`: the
 * receiver refuses this message. `unknown`: the bytes may have been taken over, but no answer came.
 */
export type Outcome =
  | { readonly type: 'sent'; readonly answer: string; readonly receipt?: Receipt }
  | {
      readonly type: 'again';
      readonly why: string;
      readonly afterMs?: number;
      readonly atLeastMs?: number;
      readonly auth?: true;
    }
  | { readonly type: 'rejected'; readonly why: string }
  | { readonly type: 'unknown'; readonly why: string };

/**
 * How a try is recorded: `dueAt` when it is to be tried again, else it ends as `sent` or `dead`. `isBack`: its receiver was
 * failing, and all that waits for its next try there is due. `isOutOfTurn`: the try was one besides its schedule, of which
 * there may be thousands: the journal does not name it.
 */
export type Settlement =
  | { readonly state: 'sent'; readonly outcome: Outcome; readonly isBack?: boolean }
  | { readonly state: 'dead'; readonly outcome: Outcome }
  | { readonly state: 'due'; readonly outcome: Outcome; readonly dueAt: Instant; readonly isOutOfTurn?: boolean };
