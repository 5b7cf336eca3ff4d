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
  /** Chosen by the client, which may repeat a request under it; what is made has it as its id. */
  readonly key: string;
  /** A digest of who asks for what: the same key with another one is refused. */
  readonly asked: string;
  readonly actor: string;
}

/** An action of an operator, carried out once, in one transaction with all that follows from it. */
export interface OperatorWork {
  readonly request: OperatorRequest;
  readonly at: Instant;
  /** Its name. */
  readonly action: string;
  /** The row that it adds has the key of the request as its id. */
  readonly addsRow: boolean;
  /** Deliveries that are held back are decided again. */
  readonly changesPolicy: boolean;
  /** Within the transaction: it awaits nothing but `sql`. */
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

/** A silence or a pause of which people may have to be told. */
export interface Announceable {
  readonly silence: Silence;
  /** Of what is paused; null of a silence. */
  readonly name: string | null;
  /** When people were last told of it. */
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

/** Deliveries that had been given up, by channel. `left`: so many stay as they are. */
export interface ChangedDeliveries {
  readonly channels: readonly { readonly channel: string; readonly deliveries: number }[];
  readonly left: number;
}

/**
 * Why nothing was changed. `key-taken`: something else was done under that key. `not-found`: what was to be changed is
 * not there. `is-over`: it has ended. `stale-seq`: the alert has changed since the transition that was named.
 * `already-acknowledged`: an acknowledgement stands. `later-sent`: a later message of the alert was sent to the recipient.
 */
export type Unchanged =
  'key-taken' | 'not-found' | 'is-over' | 'stale-seq' | 'already-acknowledged' | 'not-given-up' | 'later-sent';

export type Operated =
  { readonly type: 'kept'; readonly stored: StoredAnswer } | { readonly type: 'refused'; readonly why: Unchanged };

/**
 * What operators have decided about messages. Silences and pauses are in the order of their begin. One that cannot be read
 * is left out: what it would hold back is sent.
 */
export interface StoredPolicy extends Policy {
  /** Of episodes that last. */
  readonly acks: readonly StoredAck[];
}

/** One alert that is open, as its newest message has it. */
export interface OpenAlertRow extends InhibitingAlert {
  readonly episode: number;
  readonly seq: number;
  readonly alert: AlertId;
  /** Of its watch, for people. */
  readonly name: string;
  /** The id of the rule that its watch is of. */
  readonly rule: string;
  readonly severity: Severity;
  /** With its detail and its chain, as its newest message has them. */
  readonly title: string;
  readonly since: Instant;
  /** When the condition fired; null of events. */
  readonly firedAt: Instant | null;
  /** When its newest transition was decided. */
  readonly at: Instant;
  readonly isEvent: boolean;
  /** Somebody had to answer it when it happened, and it is not over; false of events alone. */
  readonly isFollowed: boolean;
}

/** Which alerts: those that are open at that time; with `keys`, only of these. */
export interface OpenFilter {
  readonly at: Instant;
  readonly keys?: readonly Key[];
}

/** What may have come about in other processes on the same state. */
export interface ReplicaChanges {
  /** Another number after every transition that was stored. */
  readonly newest: number;
  /** Actions of operators, the oldest first. `key`: of the request. */
  readonly changes: readonly { readonly key: string; readonly stored: StoredAnswer }[];
}

/** What operators need of the storage. */
export interface OperatorStore {
  /** What the request was answered when it was made before, within a day; null when it was not. */
  answerTo(request: OperatorRequest): Promise<Operated | null>;

  /** Carries out an action once: a repeated request is answered as it was at first. */
  operate(work: OperatorWork): Promise<Operated>;

  /** With what operators changed since then, within a day. */
  newsSince(since: Instant): Promise<ReplicaChanges>;

  /** Silences and pauses that are not over, or whose end nobody was told of. */
  announceable(at: Instant): Promise<Announceable[]>;

  /** Adds the transitions, and notes that people were told of the silence or pause, in one transaction. */
  announce(id: string, transitions: readonly Transition[], at: Instant, fence: Fence): Promise<'kept' | 'fenced'>;

  /** All pauses that are not forgotten yet, those that are over included. */
  pauses(): Promise<Pause[]>;

  /** The silences, pauses and acknowledgements that are in force at that time or will be. */
  policy(at: Instant): Promise<StoredPolicy>;

  /** What links in messages are signed with: the first one signs, all of them are valid. The same after every start. */
  linkSecrets(): Promise<readonly string[]>;

  /**
   * Whether a pass of the pages was ended before its time: its holder left, its code was used, or all were ended. `until`:
   * when it is over by itself.
   */
  isPassEnded(nonce: string, until: Instant): Promise<boolean>;

  /** Ends it, on all replicas and across restarts. `until`: when it is over by itself. False: it was ended before. */
  endPass(nonce: string, until: Instant, at: Instant): Promise<boolean>;

  /** Conditions that fire, and events of a day that were not retracted: of events the newest 2,000. The oldest first. */
  openAlerts(of: OpenFilter): Promise<OpenAlertRow[]>;

  /** Conditions that fire as of the last round of the dispatcher, without their messages. By their keys. */
  openConditions(): Promise<InhibitionSource[]>;
}
