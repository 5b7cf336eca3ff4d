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
  /** Rules without any sent message for now. */
  readonly resting: readonly string[];
  readonly onlyCritical: boolean;
}

/** A claim whose answer was lost. */
export interface LostClaim {
  readonly channel: string;
  /** The caller is sending these. */
  readonly held: readonly DeliveryId[];
  readonly isOutOfTurn: boolean;
}

export interface DeliveryClaim extends Share {
  readonly limit: number;
  readonly at: Instant;
  /** The time for which no other sender may claim the deliveries; at most `LONGEST_LEASE_MS`. */
  readonly leaseMs: number;
  /**
   * Null: due deliveries. A recipient: deliveries that wait for their next try to it, those with the fewest tries out
   * of turn first; the count that sets their waits stays unchanged. Deliveries that may have arrived or were rejected
   * are left out.
   */
  readonly outOfTurn: string | null;
}

export const LONGEST_LEASE_MS = 600_000;

/** A delivery that is being sent, and which try this is (1 = the first). */
export interface Claimed {
  readonly delivery: Delivery;
  readonly attempt: number;
  /** Tries by its own schedule, including this one if it is such a try. */
  readonly scheduled: number;
  /** By its own schedule. */
  readonly dueAt: Instant;
  readonly isOutOfTurn: boolean;
  /** The rule of the message; empty: several rules. */
  readonly rule: string;
  /** An earlier try may have arrived. */
  readonly maybeCopy: boolean;
  /** The receipt of the last message about the same alert and episode that the recipient accepted; null: none. */
  readonly receipt: Receipt | null;
  /** By key, if no receipt is common to all members; for a bounded number of them. */
  readonly ownReceipts: ReadonlyMap<string, Receipt>;
  /** How long its channel's sender ran since it was committed, as recorded by `ran`. */
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
  /** Rows that one more failed try may give up. */
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
  /** All messages, except those that their receiver rejected. */
  readonly all: boolean;
  /** Recipients whose messages about the same alert wait for each other without a limit. */
  readonly failing: readonly string[];
}

/** The storage that senders need. */
export interface OutboxStore {
  /**
   * Marks up to `limit` due deliveries of one channel as `sending`, each under a lease: the most severe first, of those
   * the longest due. Per (message key, recipient) only the earliest unsettled delivery is claimed, whatever the
   * severity of the next one, so a resolve cannot overtake its firing; of one rule at most `perRule`. None for a
   * process that was taken over.
   */
  claim(claim: DeliveryClaim, fence: Fence): Promise<Claimed[]>;

  /**
   * Reverts a claim that was rejected but may have been stored: deliveries that nobody sends are due as before, without
   * a try. Resolves with their number; 0 for a process that was taken over.
   */
  unclaim(lost: LostClaim, fence: Fence): Promise<number>;

  /** Adds to the time for which the sender of the channel ran: its pending deliveries age by it. */
  ran(channel: string, ms: number): Promise<void>;

  /**
   * Ends a try. `sent` counts for any try: an accepted message is a fact. Other outcomes count only for the try that is
   * under way; else the result is `superseded` and nothing changes. Not fenced, for the same reason.
   */
  settle(tried: Tried, settlement: Settlement, at: Instant): Promise<'settled' | 'superseded'>;

  /**
   * Makes deliveries due again that are still `sending` on the channel after the end of their lease; resolves with
   * their number. A process that takes over ends the leases of the former one. Deliveries in `held` stay unchanged: the
   * caller still sends them. Uncounted: a delivery whose wait is longer than any wait, since the clock was set back, is
   * due as well; one that a later message about the same alert waits for is due within `AWAITED_WAIT_MS`.
   */
  expire(channel: string, at: Instant, held: readonly DeliveryId[], waits?: Partial<EndedWaits>): Promise<number>;

  /** The alerts of a delivery without any try, and the facts by which they may be held back. */
  readFirstTry(id: DeliveryId, query: Pick<DueQuery, 'silencesSince' | 'withSources'>): Promise<FirstTry>;

  /**
   * Before the first byte of a first try: removes these alerts from the delivery; they are decided again. The rest of
   * it is due. `superseded`: nothing was changed, and the try continues.
   */
  putBack(tried: Tried, held: readonly HeldMember[], at: Instant): Promise<'kept' | 'superseded'>;

  /** The recipients of deliveries of the channel that were refused three times or more and wait for their next try. */
  refusing(channel: string): Promise<readonly string[]>;

  /** When the next delivery of the channel is due that may be claimed; null when nothing waits. */
  nextDue(share: Share): Promise<Instant | null>;

  survey(): Promise<Survey>;

  /** Pending deliveries, and those given up since then. */
  backlog(deadSince: Instant): Promise<Backlog>;
}
