// Deliveries: handed out to senders, settled, and looked at.
import type { Delivery, Outcome, Receipt, Settlement } from '../../core/model/delivery.ts';
import type { DeliveryId } from '../../core/model/ids.ts';
import type { FirstTry, HeldMember } from '../../dispatch/first-try.ts';
import type { Instant } from '../../lib/clock.ts';
import type { DueQuery } from './dispatch.ts';
import type { Fence } from './fence.ts';

/** What a channel may send. */
export interface Share {
  readonly channel: string;
  /** So many messages of one rule are sent at once: a rule that has thousands leaves room for others. */
  readonly perRule: number;
  /** Rules of which nothing is sent. */
  readonly resting: readonly string[];
  readonly onlyCritical: boolean;
}

/** For whom deliveries are claimed. */
export interface LostClaim {
  readonly channel: string;
  /** The caller is sending these. */
  readonly held: readonly DeliveryId[];
  readonly isOutOfTurn: boolean;
}

export interface DeliveryClaim extends Share {
  readonly limit: number;
  readonly at: Instant;
  /** For how long nobody else is given what is handed out; at most `LONGEST_LEASE_MS`. */
  readonly leaseMs: number;
  /**
   * Null: what is due. A recipient: what waits for its next try to it, those that were tried out of turn the fewest times
   * first; the count that sets its waits stays as it is. Nothing that may have
   * arrived, or that was rejected.
   */
  readonly outOfTurn: string | null;
}

export const LONGEST_LEASE_MS = 600_000;

/** A delivery that is being sent, and which try this is (1 = the first). */
export interface Claimed {
  readonly delivery: Delivery;
  readonly attempt: number;
  /** Tries by its own schedule, this one included where it is one. */
  readonly scheduled: number;
  /** By its own schedule. */
  readonly dueAt: Instant;
  readonly isOutOfTurn: boolean;
  /** The rule that it is about; empty: several. */
  readonly rule: string;
  /** An earlier try of it may have arrived. */
  readonly maybeCopy: boolean;
  /** Of the last message about the same alert and episode that the recipient accepted; null = there is none. */
  readonly receipt: Receipt | null;
  /** By key, where there is not one for all members, and for a bounded number of them. */
  readonly ownReceipts: ReadonlyMap<string, Receipt>;
  /** For how long its channel's sender ran since it was committed, as far as `ran` recorded it. */
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

/** What is owed, for metrics and `status`. */
export interface Survey {
  readonly outbox: readonly OwedDepth[];
  /** Given up, and not dismissed by an operator. */
  readonly dead: number;
  readonly sent: number;
}

/** What channels did not get rid of. */
export interface Backlog {
  readonly owed: readonly OwedDepth[];
  /** Given up since a moment: how many on each channel, and when the first of them was. */
  readonly dead: readonly OutboxDepth[];
}

/** A delivery as it stands in the outbox. */
export interface StoredDelivery extends Delivery {
  /** `merged`: what it said is part of a later one. `cancelled`: it was not said at all. */
  readonly state: 'due' | 'sending' | 'sent' | 'dead' | 'merged' | 'cancelled';
  readonly attempt: number;
  readonly dueAt: Instant;
  readonly settledAt: Instant | null;
  /** Rises with every delivery that is decided. */
  readonly number: number;
  /** When an operator said that nobody needs to look at it any more. */
  readonly dismissedAt: Instant | null;
  /** Of the last try; null before its end. */
  readonly outcome: { readonly type: Outcome['type']; readonly text: string } | null;
}

/** Which deliveries: those that match all that is given. */
export interface DeliveryFilter {
  readonly state: DeliveryState | null;
  readonly channel: string | null;
  /** With a lower number only; null: from the newest on. */
  readonly before: number | null;
  readonly limit: number;
}

/** `undismissed`: given up, and nobody said that it needs no look any more. */
export type DeliveryState = 'owed' | 'given-up' | 'undismissed' | 'sent';

/** Which waits for a next try end sooner. */
export interface EndedWaits {
  /** Those of all messages, but of those that their receiver rejected. */
  readonly all: boolean;
  /** Recipients for whom messages about the same alert wait for one another however long that takes. */
  readonly failing: readonly string[];
}

/** What senders need of the storage. */
export interface OutboxStore {
  /**
   * Marks up to `limit` due deliveries of one channel as `sending`, each under a lease: the most severe first, of those
   * the longest due. Per (message key, recipient) only the earliest that is not settled is ever handed out, however
   * severe the next one is, so a resolve cannot overtake its firing, and of one rule no more than its share. Nothing for a process that was taken over.
   */
  claim(claim: DeliveryClaim, fence: Fence): Promise<Claimed[]>;

  /**
   * After a claim that was rejected and may have been kept all the same: what nobody sends is due as it was before, and
   * was never tried. Resolves with how many; 0 for a process that was taken over.
   */
  unclaim(lost: LostClaim, fence: Fence): Promise<number>;

  /** Adds to the time for which the sender of the channel ran: what is owed there grows older by it. */
  ran(channel: string, ms: number): Promise<void>;

  /**
   * Ends a try. `sent` counts whichever try it was: a message that was taken over is a fact. The rest counts only for the
   * try that is under way; else it is `superseded` and changes nothing. Not fenced, for the same reason.
   */
  settle(tried: Tried, settlement: Settlement, at: Instant): Promise<'settled' | 'superseded'>;

  /**
   * What is still `sending` on the channel after its lease has ended is due again; resolves with how many. A process that
   * takes over ends the leases of the one before. Those in `held` are left alone: the caller is still sending them.
   * What would wait for longer than any wait is due as well, since the clock was set back; it is not counted. What a later
   * message about the same alert waits for is due within `AWAITED_WAIT_MS`.
   */
  expire(channel: string, at: Instant, held: readonly DeliveryId[], waits?: Partial<EndedWaits>): Promise<number>;

  /** The alerts of a delivery that was never tried, and the facts by which they may be held. */
  readFirstTry(id: DeliveryId, query: Pick<DueQuery, 'silencesSince' | 'withSources'>): Promise<FirstTry>;

  /**
   * Before the first byte of a first try: these alerts leave the delivery, and are decided again. The rest of it is due.
   * `superseded`: nothing was changed, and the try goes on.
   */
  putBack(tried: Tried, held: readonly HeldMember[], at: Instant): Promise<'kept' | 'superseded'>;

  /** The recipients of deliveries of the channel that were refused three times or more and wait for their next try. */
  refusing(channel: string): Promise<readonly string[]>;

  /** When the next delivery of the channel is due that may be claimed; null when nothing waits. */
  nextDue(share: Share): Promise<Instant | null>;

  survey(): Promise<Survey>;

  /** What is owed, and what was given up since then. */
  backlog(deadSince: Instant): Promise<Backlog>;
}
