// Actions of operators: as they are stored, and how a request ends.
import type { JournalEntry } from '../../core/journal/entry.ts';
import type { AlertId, DeliveryId, Severity } from '../../core/model/ids.ts';
import type { Pause } from '../../core/model/watch/pause.ts';
import type { Transition } from '../../core/model/transition.ts';
import type { Ack, Key, InhibitingAlert, InhibitionSource, Policy, Silence } from '../../dispatch/model.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Sql } from '../sql/sql.ts';
import type { Fence } from './fence.ts';

/** One request of an operator. */
export interface OperatorRequest {
  /** Chosen by the client, which may repeat a request under it; the created object has it as its id. */
  readonly key: string;
  /** A digest of the actor and the action. A repeated key with another digest is refused. */
  readonly asked: string;
  readonly actor: string;
}

/** An action of an operator, carried out once, in one transaction with all that follows from it. */
export interface OperatorWork {
  readonly request: OperatorRequest;
  readonly at: Instant;
  /** The name of the action. */
  readonly action: string;
  /** True if the action adds a row. The row has the key of the request as its id. */
  readonly addsRow: boolean;
  /** True if held-back deliveries are decided again. */
  readonly changesPolicy: boolean;
  /** Runs within the transaction, so it must await nothing but `sql`. */
  apply(sql: Sql): Promise<AppliedWork | Unchanged>;
}

export interface AppliedWork {
  /** As the API sends it. */
  readonly answer: object;
  readonly lines: readonly JournalEntry[];
  readonly announced: readonly Transition[];
}

/** The answer of an action, as the API sends it. */
export interface StoredAnswer {
  readonly action: string;
  readonly answer: unknown;
}

/** A silence or a pause that may have to be announced. */
export interface Announceable {
  readonly silence: Silence;
  /** The name of the paused watch; null for a silence. */
  readonly name: string | null;
  /** The time of the last announcement. */
  readonly announcedAt: Instant;
}

/** An acknowledgement as it is stored. */
export interface StoredAck extends Ack {
  readonly id: string;
}

/** A delivery that had been given up. */
export interface ChangedDelivery {
  readonly id: DeliveryId;
  readonly channel: string;
  readonly recipient: string;
  readonly state: 'owed' | 'dismissed';
}

/** Deliveries that had been given up, by channel. `left`: the number of given-up deliveries that stay unchanged. */
export interface ChangedDeliveries {
  readonly channels: readonly { readonly channel: string; readonly deliveries: number }[];
  readonly left: number;
}

/**
 * The reason why nothing was changed. `key-taken`: another action used that key. `not-found`: the object does not
 * exist. `is-over`: it has ended. `stale-seq`: the alert has changed since the named transition.
 * `already-acknowledged`: an acknowledgement is in force. `later-sent`: a later message of the alert was sent to the
 * recipient. `not-named`: the channel does not name the recipient any more.
 */
export type Unchanged =
  | 'key-taken'
  | 'not-found'
  | 'is-over'
  | 'stale-seq'
  | 'already-acknowledged'
  | 'not-given-up'
  | 'later-sent'
  | 'not-named';

export type Operated =
  { readonly type: 'kept'; readonly stored: StoredAnswer } | { readonly type: 'refused'; readonly why: Unchanged };

/**
 * The decisions of operators about messages. Silences and pauses are in the order of their start. An unreadable silence
 * or pause is left out, so messages that it would hold back are sent.
 */
export interface StoredPolicy extends Policy {
  /** Acknowledgements of episodes that have not ended. */
  readonly acks: readonly StoredAck[];
}

/** One open alert, from its newest message. */
export interface OpenAlertRow extends InhibitingAlert {
  readonly episode: number;
  readonly seq: number;
  readonly alert: AlertId;
  /** The name of its watch, for people. */
  readonly name: string;
  /** The id of its watch's rule. */
  readonly rule: string;
  readonly severity: Severity;
  /** With its detail and its chain, from its newest message. */
  readonly title: string;
  readonly since: Instant;
  /** The time when the condition fired; null for events. */
  readonly firedAt: Instant | null;
  /** The time of its newest transition's decision. */
  readonly at: Instant;
  readonly isEvent: boolean;
  /** True for a condition that fires, and for an open event that needs an acknowledgement. */
  readonly isFollowed: boolean;
}

/** A filter of alerts: open at that time; with `keys`, only these. */
export interface OpenFilter {
  readonly at: Instant;
  readonly keys?: readonly Key[];
}

/** Changes that other processes on the same state may have made. */
export interface ReplicaChanges {
  /** The number of the newest transition; it rises with every stored transition. */
  readonly newest: number;
  /** Actions of operators, the oldest first. `key`: the key of the request. */
  readonly changes: readonly { readonly key: string; readonly stored: StoredAnswer }[];
}

/** The storage that operators need. */
export interface OperatorStore {
  /** The answer to the same request within the last day; null: there was none. */
  answerTo(request: OperatorRequest): Promise<Operated | null>;

  /** Carries out an action once: a repeated request gets the first answer. */
  operate(work: OperatorWork): Promise<Operated>;

  /** The number of the newest transition, and the actions of operators since `since`. Actions are stored for a day. */
  newsSince(since: Instant): Promise<ReplicaChanges>;

  /** Silences and pauses that are not over, or whose end was not announced. */
  announceable(at: Instant): Promise<Announceable[]>;

  /** Adds the transitions, and marks the silence or pause as announced, in one transaction. */
  announce(id: string, transitions: readonly Transition[], at: Instant, fence: Fence): Promise<'kept' | 'fenced'>;

  /** All stored pauses, including ended ones. */
  pauses(): Promise<Pause[]>;

  /** The silences, pauses and acknowledgements that are in force at that time or will be. */
  policy(at: Instant): Promise<StoredPolicy>;

  /**
   * The secrets that sign links in messages: the first one signs, all of them are valid. They stay valid over a
   * restart.
   */
  linkSecrets(): Promise<readonly string[]>;

  /**
   * True if a pass for the pages was ended early: its holder left, its code was used, or all were ended. `until`: its
   * normal end.
   */
  isPassEnded(nonce: string, until: Instant): Promise<boolean>;

  /** Ends a pass, on all replicas and across restarts. `until`: its normal end. False: it was ended before. */
  endPass(nonce: string, until: Instant, at: Instant): Promise<boolean>;

  /**
   * Conditions that fire, and open or recent events that were not retracted, the oldest first. Recent events are among
   * the newest 2,000 notifications of the last day.
   */
  openAlerts(of: OpenFilter): Promise<OpenAlertRow[]>;

  /**
   * Conditions that fire as of the last round of the dispatcher, without their messages, in the order of their keys.
   */
  openConditions(): Promise<InhibitionSource[]>;
}
