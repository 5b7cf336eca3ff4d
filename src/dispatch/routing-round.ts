// A round that chooses who is told of new transitions: what it reads, and what it writes. Reading, deciding and writing
// are three steps, so that a decision is a pure function; what moved in between makes the round superseded, and it is
// read again.
import type { DeliveryId, Recipient, Severity } from '../core/model/ids.ts';
import type { Key, Transition } from './model.ts';

/** A notification that nobody was chosen for yet, without its message. */
export interface Unrouted {
  /** Of its row. */
  readonly number: number;
  readonly key: Key;
  readonly episode: number;
  readonly seq: number;
  readonly transition: Transition;
  readonly severity: Severity;
  /** The channels that the rule names. */
  readonly notify: readonly string[];
  /** Keys of the alerts that it speaks of: its own, or those of a summary. */
  readonly about: readonly Key[];
  /** Why its row cannot be read, so that nobody can be told; null where it can. */
  readonly damage: string | null;
}

/** Who is to hear the rest of an alert: the begin of its present episode was owed to them. */
export interface Knower extends Recipient {
  readonly key: Key;
}

/** A delivery of an alert to someone to whom nothing of it was sent yet. */
export interface Untried extends Recipient {
  readonly key: Key;
  readonly delivery: number;
}

export interface RoutingRound {
  /** The oldest first; no two of them about one alert. */
  readonly unrouted: readonly Unrouted[];
  /** Of the alerts that the notifications are about. */
  readonly knowers: readonly Knower[];
  /** Of the alerts that were retracted. */
  readonly untried: readonly Untried[];
}

/** One delivery of one notification. */
export interface Owed extends Recipient {
  readonly id: DeliveryId;
  readonly notification: Unrouted;
  /** Why it can never be sent; null where it can. */
  readonly undeliverable: string | null;
}

/** A recipient to whom a transition is owed, or was until it was taken back. */
export interface Informed extends Recipient {
  readonly notification: Unrouted;
}

export interface RoutingResult {
  readonly owed: readonly Owed[];
  readonly informed: readonly Informed[];
  /** Deliveries that are not sent any more. */
  readonly cancelled: readonly Untried[];
}
