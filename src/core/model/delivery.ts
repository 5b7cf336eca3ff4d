// A message for a recipient and its states: due -> sending -> sent, or due again after a growing wait, or dead.
import type { Instant } from '../../lib/clock.ts';
import type { Untrusted } from '../../lib/untrusted.ts';
import type { AlertId, DeliveryId, Recipient, RecipientsOf, Severity } from './ids.ts';
import type { Segment } from './watch/condition.ts';

/**
 * One message for one recipient, about one or more transitions. The transitions are fixed: every attempt sends the same
 * ones.
 */
export interface Delivery {
  /**
   * A `news` delivery of one transition has the id deliveryId(key, seq, recipient). Every other kind hashes its
   * members.
   */
  readonly id: DeliveryId;
  readonly channel: string;
  readonly recipient: string;
  readonly kind: DeliveryKind;
  /** The time at which its members were fixed. */
  readonly at: Instant;
  /** The members that the message lists, at most `MOST_LISTED`: the most severe first, then the oldest. */
  readonly members: readonly [DeliveryMember, ...DeliveryMember[]];
  /** The other members, counted by watch, alert, severity and type. */
  readonly more: readonly MoreMembers[];
}

/** A message lists at most this many of its members and counts the others. */
export const MOST_LISTED = 50;

/**
 * `news`: a new transition. `repeat`: a transition that was sent before and still holds. `overflow_summary`:
 * transitions above the cap of the recipient. `silence_summary`: transitions that a silence held back; it is sent when
 * the silence is over. `inhibition_summary`: the same for transitions that another open alert held back.
 */
export type DeliveryKind = 'news' | 'repeat' | SummaryKind;
export type SummaryKind = 'overflow_summary' | HoldSummaryKind;
/** Transitions that were held back and need no message of their own: they are counted by rule. */
export type HoldSummaryKind = 'silence_summary' | 'inhibition_summary';

export function isHoldSummary(kind: DeliveryKind): kind is HoldSummaryKind {
  return kind === 'silence_summary' || kind === 'inhibition_summary';
}

/** One transition in a delivery. */
export interface DeliveryMember {
  readonly message: Message;
  readonly as: SentAs;
  /** The reason why an earlier transition is sent only now; null if the transition is new, or is repeated as usual. */
  readonly renewed: Renewal | null;
  /** The time since which the transition was held back; null if it was not held back. */
  readonly heldAt: Instant | null;
  /** The later values of an alert that still holds and is sent late; null if none are known. */
  readonly present: Present | null;
}

/** The values of an alert that still fires, as a message would show them now. `at`: when they were read. */
export type Present = Pick<Message, 'at' | 'title' | 'detail' | 'measured' | 'text' | 'fields'>;

/**
 * The time at which the condition fired. Messages of earlier releases only contain the time at which it became true.
 */
export function firedAtOf({ firedAt, since }: Pick<Message, 'since' | 'firedAt'>): Instant {
  return firedAt ?? since;
}

/** The fields of a message with the values of a later poll. The message's own values become `before`. */
export function presentValues({ fields: before }: Pick<Message, 'fields'>, present: Present): Partial<Message> {
  const { at: observedAt, ...values } = present;
  return { ...values, observedAt, before };
}

/**
 * `repeat`: the transition was sent before. `fired-and-resolved`: the alert has ended, and its firing was never sent.
 */
export type SentAs = 'news' | 'repeat' | 'fired-and-resolved';

/**
 * The reason why a target receives a transition again, or a transition that happened before the config named the
 * target. `reload`: a config that was loaded later names the target. `ack-ended`: the acknowledgement of `by` ended.
 * `called`: nobody acknowledged in time.
 */
export interface Renewal {
  readonly why: 'reload' | 'ack-ended' | 'called';
  readonly by: string | null;
}

/** The member for a transition that is sent when it happens. */
export function newsOf(message: Message): DeliveryMember {
  return { message, as: 'news', renewed: null, heldAt: null, present: null };
}

/** The number of members of a delivery with equal watch, alert, severity and type. */
export interface AlikeMembers {
  /** The name of a watch, or the rule that made it. */
  readonly watch: string;
  readonly alert: AlertId;
  readonly severity: Severity;
  readonly type: MessageType;
  readonly count: number;
}

/** The members that a delivery does not list, with the keys of their alerts. */
export interface MoreMembers extends AlikeMembers {
  readonly keys: readonly string[];
}

/** The receiver's own name of a message, so that a later one can change it or answer it. Opaque, at most 512 bytes. */
export type Receipt = string;

/** One attempt to send a delivery. */
export interface Attempt {
  /** 1 = the first. */
  readonly number: number;
  /** True if an earlier attempt got no answer, so it may have arrived. */
  readonly maybeCopy: boolean;
  /**
   * The receipt of the last message about the same alert and episode that this recipient accepted; null: there is none.
   */
  readonly receipt: Receipt | null;
  /**
   * Receipts by key, for members that were sent in messages of their own. None of them is a receipt for all members.
   */
  readonly ownReceipts?: ReadonlyMap<string, Receipt>;
  /** Set while the state cannot be written: the delivery is sent from memory, and may be sent again. */
  readonly unrecorded?: true;
  /** A page on which the recipient acknowledges the alert; the same for every attempt. */
  readonly ackUrl?: string;
  /** Gives the link to the daemon's page of an alert; null if it has no page. */
  readonly pageOf?: PageOf;
}

export type PageOf = (alert: Pick<Message, 'key' | 'episode' | 'kind' | 'summary'>) => string | null;

/** A lower rank is sent first among the due deliveries of a channel. */
export const RANK_OF: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** The reason of a `firing` that is sent again because a reload made its rule more severe. */
export const SEVERITY_RAISED = 'severity-raised';

/** If an alert ends for one of these reasons, the labels in its rule are no longer known. */
export const RULE_ENDS = { removed: 'rule removed', changed: 'rule changed' } as const;

/** The most severe of the severities; `info` if there are none. */
export function highest(severities: Iterable<Severity>): Severity {
  const all = new Set(severities);
  return all.has('critical') ? 'critical' : all.has('warning') ? 'warning' : 'info';
}

export function isHigher(severity: Severity, than: Severity): boolean {
  return RANK_OF[severity] < RANK_OF[than];
}

/** True if an acknowledgement at one severity still holds at the present severity. */
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
 * `retracted`: a sent event does not hold any more. `corrected`: its values have changed. `reinstated`: a retracted one
 * holds again. `summary`: one message for many messages of one of these types.
 */
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** `event` of `alert.event` */
export function stateWord(type: MessageType): string {
  return type.slice('alert.'.length);
}

/** The first words of the condition of a scheduled report. */
export const ON_SCHEDULE = 'on schedule';

/** True for a message that only reports values at its time; it needs no action. */
export function isReport({ type, condition }: Pick<Message, 'type' | 'condition'>): boolean {
  return type === 'alert.event' && condition.startsWith(`${ON_SCHEDULE} `);
}

export interface Message {
  readonly type: MessageType;
  /** The time of the decision. */
  readonly at: Instant;
  /**
   * The key of the alert: stable over its episodes. Deliveries of one key to one recipient are sent in order of `seq`.
   */
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  readonly watch: string;
  readonly alert: AlertId;
  readonly kind: string;
  readonly severity: Severity;
  readonly explorer: string;
  readonly chainId: string | null;
  /** The explorer's name before the title in a subject; null if the rule watches one explorer only. */
  readonly place: string | null;
  readonly of: { readonly name: string | null; readonly address: string } | null;
  readonly token: {
    readonly address: string;
    readonly symbol: Untrusted | null;
    readonly decimals: number | null;
  } | null;
  /** Trusted text of the program: it becomes a mail's subject. */
  readonly title: string;
  /**
   * Follows the title in a subject: `970,030, below 1,000,000`, or the reason for the end; null if the title contains
   * it. Trusted.
   */
  readonly detail: string | null;
  /** The measured value as the subject shows it: `970,030`; null = there is none. Trusted. */
  readonly measured: string | null;
  /** The rows of a report, the first one with the names of the columns. Trusted. Left out: there is no table. */
  readonly table?: readonly (readonly string[])[];
  /** The first lines: the value before, the threshold, where it happened. */
  readonly lines: readonly (readonly Segment[])[];
  /** The rule's own text; empty if it has none. */
  readonly text: readonly Segment[];
  /** A page with instructions. */
  readonly runbook: string | null;
  readonly condition: string;
  readonly rule: string;
  readonly observedAt: Instant;
  /** The time at which the event happened, or at which the condition became true. */
  readonly since: Instant;
  /** When the condition fired, after it had held for `for`. Null for events, and in rows of an earlier release. */
  readonly firedAt: Instant | null;
  readonly resolvedAt: Instant | null;
  /** The reason, when it was not the rule's own condition: `rule removed`, `flapping`, `not found any more`. */
  readonly reason: string | null;
  /** The time zone in which the message shows times. */
  readonly zone: string;
  /** True if the message is sent more than ten minutes after the event happened. */
  readonly late: boolean;
  /** Another replica, which no longer runs, may have sent the message from memory. Left out if that is impossible. */
  readonly mayBeTold?: true;
  /** Set if the event is only a claim of a contract. */
  readonly isClaim?: true;
  readonly fields: Readonly<Record<string, Fact>>;
  readonly before: Readonly<Record<string, Fact>>;
  readonly links: readonly string[];
  /** Set for an `alert.summary`; null for all others. */
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
 * The end of one attempt. `afterMs`: the receiver named the time to wait. `atLeastMs`: the waits grow as usual, but none
 * is shorter than this. `auth`: the receiver refuses the sender or the address, or no longer exists, so a person has to
 * change the config. `rejected`: the receiver refuses this message. `unknown`: the receiver may have accepted the
 * message, but no answer came.
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
 * The record of an attempt: `dueAt` for the next one, or the end as `sent` or `dead`. `isBack`: its receiver was
 * failing, and all deliveries that wait for their next attempt there are due. `isOutOfTurn`: an additional attempt
 * outside of the schedule. There may be thousands of these, so the journal does not name them.
 */
export type Settlement =
  | { readonly state: 'sent'; readonly outcome: Outcome; readonly isBack?: boolean }
  | { readonly state: 'dead'; readonly outcome: Outcome }
  | { readonly state: 'due'; readonly outcome: Outcome; readonly dueAt: Instant; readonly isOutOfTurn?: boolean };

/** A target as a key of a map. */
export function targetKey({ channel, recipient }: Recipient): string {
  return JSON.stringify([channel, recipient]);
}

/** The target of a key made by `targetKey`. */
export function targetOf(key: string): Recipient {
  const [channel, recipient] = JSON.parse(key) as [string, string];
  return { channel, recipient };
}

/** Each target once, in the order in which they first appear. */
export function distinctTargets(targets: readonly Recipient[]): Recipient[] {
  return [...new Map(targets.map((target) => [targetKey(target), target])).values()];
}

/** The recipients of the channels, each once; none of a channel that the config does not have. */
export function recipientsOn(channels: readonly string[], recipientsOf: RecipientsOf): Recipient[] {
  return distinctTargets(channels.flatMap((channel) => recipientsOf(channel) ?? []));
}

/** True if the channel has the recipient. */
export function isAmong({ channel, recipient }: Recipient, recipientsOf: RecipientsOf): boolean {
  return recipientsOf(channel)?.some((one) => one.recipient === recipient) ?? false;
}
