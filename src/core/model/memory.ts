// The memory of a watch from poll to poll. Plain JSON, stored in the state file.
import type { Message } from './delivery.ts';
import type { FieldSightings, SenderSightings } from './quality/sightings.ts';
import type { Json } from '../values/fields.ts';
import type { AlertId, FindingKey } from './ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Remembered } from '../values/encoded.ts';

export interface Memory {
  /** 0 = nothing remembered yet. */
  readonly version: number;
  readonly checksum: string;
  /** The state of the kind; null before the baseline. */
  readonly state: Json;
  readonly alerts: Readonly<Record<AlertId, Readonly<Record<FindingKey, Alert>>>>;
  /** Samples by path, oldest first, for windows. */
  readonly history: Samples;
  /** Data state of the last poll, and since when; null before the first. */
  readonly data: DataSince | null;
  /** The time at which the last usable answer was processed; null = never. Stored separately, every 10 s. */
  readonly coveredUntil: Instant | null;
  /**
   * The interval in force if the plan stretches it; null if the rule's interval is in force. Stored with
   * `coveredUntil`.
   */
  readonly paceMs: number | null;
}

/**
 * Equal samples in a row are one run, from its first to its last sample. Two neighbours are at most three intervals
 * apart. `until` null: the run goes on, and its last sample is the last usable answer.
 */
export type Run = readonly [from: Instant, until: Instant | null, value: string];
export type Samples = Readonly<Record<string, readonly Run[]>>;

export interface DataSince {
  readonly state: DataState;
  readonly since: Instant;
  /**
   * The time of the last poll that was `ok`, or of the first poll if none was; null while the state is `ok`, and in
   * memories of an earlier release.
   */
  readonly lastOk: Instant | null;
  /** Sightings of the fields that conditions read. */
  readonly fields: FieldSightings;
  /** Left out where no address is known. */
  readonly senders?: SenderSightings | undefined;
}

/** The quality of the data, independent of alerts. `blind-field`: a field that a condition reads is no longer sent. */
export const DATA_STATES = ['ok', 'nodata', 'stale', 'partial', 'blind-field', 'throttled', 'error'] as const;
export type DataState = (typeof DATA_STATES)[number];

export type Alert = OpenEvent | EventState | ConditionState | GroupState;

/** An event whose `if` is still unknown. */
export interface OpenEvent {
  readonly type: 'open';
  readonly since: Instant;
  readonly before: Json;
  /** Set while the budget of steps has not been enough to evaluate the event; left out once it was evaluated. */
  readonly isBeyondBudget?: true | undefined;
  readonly isClaim?: true | undefined;
}

/**
 * A matching item that may still change or vanish: observed -> confirmed -> suspect -> retracted, or observed ->
 * dropped when it vanished before it was sent. It is removed once it is deep enough to be final.
 */
export interface EventState {
  readonly type: 'event';
  readonly state: 'observed' | 'dropped' | 'confirmed' | 'suspect' | 'retracted';
  /** The block it is in; null while it is in none. */
  readonly block: number | null;
  /** Complete readings of its range in a row that did not show it. */
  readonly absent: number;
  /** The start of a presence other than the sent state: missing while `suspect`, present while `retracted`. */
  readonly turnedAt: Instant | null;
  /** For an item in no block: height of the chain's head at the first reading without it; null while it is there. */
  readonly absentHead: number | null;
  /**
   * The slot, such as sender and nonce, that only one item in a block can have (`DetectedEvent.slot`); null if unknown.
   */
  readonly slot: string | null;
  /** Set if the event is sent as a claim. */
  readonly isClaim?: true | undefined;
  /** The number of times it was retracted. */
  readonly retractions: number;
  /** 0 if nothing was sent yet. */
  readonly seq: number;
  /** The time at which the first message was sent; null before that, and if an earlier release sent it. */
  readonly toldAt: Instant | null;
  /** The message that waits for confirmations; null once it was sent. Later messages are made of the fields below. */
  readonly message: Message | null;
  readonly title: string;
  /** The time at which it happened. */
  readonly since: Instant;
  /** Values that the rule matched on and shows, by path, long ones condensed: a different value is a correction. */
  readonly values: Remembered;
}

/** One item that was counted. */
export interface CountedItem {
  /** The time at which it happened. */
  readonly at: Instant;
  /** `block 14,035,098, tx 0x0346…8120`: contains no text from the chain. */
  readonly place: string;
  /** The event's page at the explorer; null if there is none. */
  readonly page: string | null;
}

/**
 * Items that happened at about the same time. `total`: the exact sum of the added values; for a ratio, the number of
 * matching items.
 */
export type Tally = readonly [at: Instant, items: number, total: string];

/** An item of a count of items in a row. */
export interface RowItem {
  /** The height of its block and the place in it, as far as they are known; empty if it is in no block. */
  readonly place: readonly number[];
  /** A hash of the finding's key. */
  readonly key: string;
  /** Null: the chain does not have it at its place, at least not now. */
  readonly isHit: boolean | null;
  /** The time at which it happened. */
  readonly at: Instant;
  /** The reason why it failed, as in `ReasonGiven`; left out if it did not, and for all but the newest items. */
  readonly reason?: string | null | undefined;
  /** Set if the item is new, or has changed, since the row was evaluated. */
  readonly isNew?: boolean | undefined;
}

/** The reason that one counted failure gave. */
export interface ReasonGiven {
  /** Untrusted text, condensed; null: no reason was given. */
  readonly text: string | null;
  readonly at: Instant;
}

/** Items that do not match, since the last one that does. */
export interface OtherItems {
  readonly count: number;
  /** The time at which the newest happened; null if there is none. */
  readonly newest: Instant | null;
}

/** The items of one group of a count, and the state of its condition. */
export interface GroupState {
  readonly type: 'group';
  /**
   * A hash of the sort of count and its items. If the rule has another hash, the count starts again. Empty in memories
   * of an earlier release.
   */
  readonly meaning: string;
  readonly condition: ConditionState;
  /** Own times of matching items, oldest first: as many as the count needs. */
  readonly matches: readonly Instant[];
  /** For sums and ratios: the totals of the items at each moment, oldest first. */
  readonly tallies: readonly Tally[];
  /** For items in a row: those that were judged, first those that the chain does not have, then by place. */
  readonly row?: readonly RowItem[] | undefined;
  /** The newest counted items, oldest first, as messages show them. */
  readonly items: readonly CountedItem[];
  /** The reasons of the newest counted failures, oldest first; left out if there are none. */
  readonly reasons?: readonly ReasonGiven[] | undefined;
  /** For `none_for` with a condition; left out if there are none. */
  readonly others?: OtherItems | undefined;
  /** Values of the newest matching item, encoded by path, for messages. */
  readonly last: Json;
  /**
   * No poll has been complete since then; the next complete poll evaluates the items at their own times. Left out if
   * the last poll was complete.
   */
  readonly unjudgedFrom?: Instant | undefined;
}

/**
 * The state of a condition: inactive -> pending -> firing -> recovering -> inactive. `since` and `heldMs` count the
 * present wait (`for`, or `keep_firing_for`) over observed time only: held = heldMs + (now - since), where `since` is
 * null while the condition is unknown.
 */
export interface ConditionState {
  readonly type: 'condition';
  /**
   * When this state was created. It is part of the key, so a rule that is removed and added again does not repeat ids
   * that were sent.
   */
  readonly born: Instant;
  readonly state: 'inactive' | 'pending' | 'firing' | 'recovering';
  /** The comparison's last known output. With `until`, it holds between the two thresholds. */
  readonly output: boolean;
  readonly since: Instant | null;
  readonly heldMs: number;
  /** The time at which the present wait or firing began; null: there is none, or it began in an earlier release. */
  readonly began: Instant | null;
  readonly episode: number;
  readonly seq: number;
  /**
   * Height of the chain's head when it last fired: an explorer that has not read up to it cannot resolve the alert.
   * Null = unknown.
   */
  readonly head: number | null;
  /** The firing message, from which it is resolved even if the rule was removed; null = this episode was not sent. */
  readonly firing: Message | null;
  /** No firing is sent before this time; null = no cooldown. */
  readonly cooldownUntil: Instant | null;
  /** The times at which it fired within the last hour: three times count as flapping. */
  readonly firings: readonly Instant[];
  /** The time at which it last fired or ended while flapping; null = it is not flapping. */
  readonly flapping: Instant | null;
  /** Episodes since the last message that were not sent. */
  readonly flaps: number;
}
