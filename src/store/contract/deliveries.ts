// Deliveries: claims for senders, settlements, and queries.
import type { Delivery, Outcome, Receipt, Settlement } from '../../core/model/delivery.ts';
import type { DeliveryId } from '../../core/model/ids.ts';
import type { FirstTry, HeldMember } from '../../dispatch/first-try.ts';
import type { Instant } from '../../lib/clock.ts';
import type { DueQuery } from './dispatch.ts';
import type { Fence } from './fence.ts';

/** The limits of one claim on a channel. */
export interface Share {
  readonly channel: string;
  /** The most messages of one rule that are sent at once: a rule with thousands leaves room for others. */
  readonly perRule: number;
  /** Rules whose messages are not sent for now. */
  readonly resting: readonly string[];
  readonly onlyCritical: boolean;
}

/** A claim whose answer was lost. */
export interface LostClaim {
  readonly channel: string;
  /** Deliveries that the caller is sending. */
  readonly held: readonly DeliveryId[];
  readonly isOutOfTurn: boolean;
}

export interface DeliveryClaim extends Share {
  readonly limit: number;
  readonly at: Instant;
  /** The time for which no other sender may claim the deliveries; at most `LONGEST_LEASE_MS`. */
  readonly leaseMs: number;
  /**
   * Null: due deliveries are claimed. A recipient: its deliveries that wait for their next try are claimed, those with
   * the fewest tries out of turn first. Such a try does not count for later waits. Deliveries that may have arrived or
   * were rejected are left out.
   */
  readonly outOfTurn: string | null;
}

export const LONGEST_LEASE_MS = 600_000;

/** A delivery that is being sent, and which try this is (1 = the first). */
export interface Claimed {
  readonly delivery: Delivery;
  readonly attempt: number;
  /** The number of tries by its own schedule, including this one unless it is out of turn. */
  readonly scheduled: number;
  /** The time at which it is due by its own schedule. */
  readonly dueAt: Instant;
  readonly isOutOfTurn: boolean;
  /** The rule of the message; empty: several rules. */
  readonly rule: string;
  /** True if an earlier try may have arrived. */
  readonly maybeCopy: boolean;
  /** The receipt of the last message about the same alert and episode that the recipient accepted; null: none. */
  readonly receipt: Receipt | null;
  /** The receipts of single members by key, if the members have no common receipt; for a bounded number of them. */
  readonly ownReceipts: ReadonlyMap<string, Receipt>;
  /** The time that the sender of its channel has run since the delivery was committed, as recorded by `ran`. */
  readonly ageMs: number;
}

/** One try to send a delivery. */
export interface Tried {
  readonly id: DeliveryId;
  readonly attempt: number;
}

export interface OutboxDepth {
  readonly channel: string;
  /** Rows that are due or being sent. */
  readonly rows: number;
  readonly oldest: Instant;
}

export interface OwedDepth extends OutboxDepth {
  /** Rows that may be given up after one more failed try. */
  readonly triedOften: number;
}

/** Numbers of deliveries, for metrics and `status`. */
export interface Survey {
  readonly outbox: readonly OwedDepth[];
  /** Given up, and not dismissed by an operator. */
  readonly dead: number;
  readonly sent: number;
}

/** Deliveries that channels have not sent. */
export interface Backlog {
  readonly owed: readonly OwedDepth[];
  /** Deliveries given up since a moment: their number on each channel, and the time of the first. */
  readonly dead: readonly OutboxDepth[];
}

/** A delivery as it is stored in the outbox. */
export interface StoredDelivery extends Delivery {
  /** `merged`: a later message contains it. `cancelled`: it was not sent. */
  readonly state: 'due' | 'sending' | 'sent' | 'dead' | 'merged' | 'cancelled';
  readonly attempt: number;
  readonly dueAt: Instant;
  readonly settledAt: Instant | null;
  /** Rises with every delivery that is decided. */
  readonly number: number;
  /** The time when an operator dismissed it. */
  readonly dismissedAt: Instant | null;
  /** False: the channel does not name the recipient any more, so the delivery is not sent until it does. */
  readonly isNamed: boolean;
  /** The outcome of the last try; null before its end. */
  readonly outcome: { readonly type: Outcome['type']; readonly text: string } | null;
}

/** A filter of deliveries: all given fields must match. */
export interface DeliveryFilter {
  readonly state: DeliveryState | null;
  readonly channel: string | null;
  /** Only lower numbers; null: from the newest on. */
  readonly before: number | null;
  readonly limit: number;
}

/** `undismissed`: given up, and not dismissed by an operator. */
export type DeliveryState = 'owed' | 'given-up' | 'undismissed' | 'sent';

/** The waits for a next try that end now. */
export interface EndedWaits {
  /** True: the waits of all messages end, except of those that their receiver rejected. */
  readonly all: boolean;
  /** Recipients whose deliveries keep their waits, even if later deliveries about the same alert wait for them. */
  readonly failing: readonly string[];
}

/** The storage that senders need. */
export interface OutboxStore {
  /**
   * Marks up to `limit` due deliveries of one channel as `sending`, each under a lease: the most severe first, and
   * among equally severe ones those that are due for longest. For each alert and recipient only the earliest unsettled
   * delivery is claimed, whatever the severity of a later one, so a resolve cannot overtake its firing. At most
   * `perRule` messages of one rule are being sent at once. A process that was taken over gets none.
   */
  claim(claim: DeliveryClaim, fence: Fence): Promise<Claimed[]>;

  /**
   * Reverts a claim that was rejected but may have been stored. Deliveries that are not in `held` are due as before,
   * and the try does not count. Resolves with their number; 0 for a process that was taken over.
   */
  unclaim(lost: LostClaim, fence: Fence): Promise<number>;

  /**
   * Adds to the time for which the sender of the channel has run. The age of its pending deliveries is measured by this
   * time.
   */
  ran(channel: string, ms: number): Promise<void>;

  /**
   * The recipients of the channel by the config in force. Deliveries to others are not claimed, and do not count as
   * owed: they wait until a later config names their recipient again.
   */
  keepRecipients(channel: string, recipients: readonly string[], fence: Fence): Promise<'kept' | 'fenced'>;

  /** The channels that may have deliveries which count as owed. */
  namingChannels(): Promise<string[]>;

  /**
   * Ends a try. `sent` is stored for any try, and without a fence, since the recipient has accepted the message. Other
   * outcomes are stored only for the try that is under way; else the result is `superseded`, and nothing changes.
   */
  settle(tried: Tried, settlement: Settlement, at: Instant): Promise<'settled' | 'superseded'>;

  /**
   * Makes deliveries due again that are still `sending` on the channel after the end of their lease; resolves with
   * their number. A process that takes over ends the leases of the former one. Deliveries in `held` stay unchanged: the
   * caller still sends them. It also changes waits, which do not count in the number: a wait that is longer than any
   * wait can be ends, since the clock was set back; a delivery for which a later one about the same alert waits is due
   * within `AWAITED_WAIT_MS`.
   */
  expire(channel: string, at: Instant, held: readonly DeliveryId[], waits?: Partial<EndedWaits>): Promise<number>;

  /** The alerts of a delivery before its first try, with the policy and the conditions that may hold them back. */
  readFirstTry(id: DeliveryId, query: Pick<DueQuery, 'silencesSince' | 'withSources'>): Promise<FirstTry>;

  /**
   * Called before the first byte of a first try is sent. Removes these alerts from the delivery, and they are decided
   * again. The delivery is due again with its other alerts. `superseded`: nothing was changed, and the try continues.
   */
  putBack(tried: Tried, held: readonly HeldMember[], at: Instant): Promise<'kept' | 'superseded'>;

  /** The recipients of deliveries of the channel that were refused three times or more and wait for their next try. */
  refusing(channel: string): Promise<readonly string[]>;

  /** The time when the next delivery of the channel that may be claimed is due; null: none waits. */
  nextDue(share: Share): Promise<Instant | null>;

  survey(): Promise<Survey>;

  /** Pending deliveries, and those that were given up since `deadSince`. */
  backlog(deadSince: Instant): Promise<Backlog>;
}
