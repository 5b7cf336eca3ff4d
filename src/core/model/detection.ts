// The result of a kind's `detect` for one reading. The kind does not know the alerts.
import type { Instant } from '../../lib/clock.ts';
import type { AnyView } from '../values/fields.ts';
import type { Remembered } from '../values/encoded.ts';
import type { EventName, FindingKey } from './ids.ts';
import type { HeadNeed, TickChain } from './observation.ts';

/** Facts about the poll for `detect`, beside the reading. */
export interface DetectionScope {
  readonly at: Instant;
  /** Paths whose values are remembered and compared. */
  readonly tracked: readonly string[];
  /**
   * Paths that conditions of events read, except fleeting ones. If a known item has a new value at one of them, it is
   * evaluated again.
   */
  readonly judged: readonly string[];
  /** False: an item that is missing from `seen` may still exist. */
  readonly isComplete: boolean;
  /**
   * Items whose later state an alert waits for: they are reported as events even if they are known. Null: there are
   * none.
   */
  readonly awaited: Awaited | null;
  readonly chain: TickChain;
  /** The time at which the last usable answer was processed; null = never. */
  readonly coveredUntil: Instant | null;
  /** The time between two polls. */
  readonly intervalMs: number;
}

export interface Awaited {
  readonly keys: ReadonlySet<FindingKey>;
  /** Slots of pending items. Another item with the same `DetectedEvent.slot` replaces the pending one. */
  readonly slots: ReadonlySet<string>;
}

/** The result for one reading. */
export interface Detection<S> {
  /** The same object as before if nothing changed: then nothing is written. Null while there is no baseline. */
  readonly state: S | null;
  readonly events: readonly DetectedEvent[];
  /** The values for `while`; null = unknown. */
  readonly now: AnyView | null;
  /** The last known values before `now`, as encoded in memory. */
  readonly before: Remembered | null;
  /** The part of the chain that a complete reading shows; null if it shows none, or reads no list. */
  readonly range: BlockRange | null;
  /** The number of items at the first reading, which are no events; null at later readings. */
  readonly baseline: number | null;
  /** For the log: the parts that were not examined. */
  readonly notes: readonly string[];
  /** Set if the detection needs the head of the chain, and the poll did not request it. */
  readonly needs: HeadNeed | null;
  /**
   * The reason why the reading is not believed yet; null: it is believed. While there is one, the watched values are
   * unknown and nothing counts as gone.
   */
  readonly doubt: string | null;
  /** The next poll is at the latest after this time; null if the interval of the watch is short enough. */
  readonly askAgainMs: number | null;
  /** Keys of items that, by this reading, will never be in a block. */
  readonly dropped: readonly string[];
  /** Paths whose values have another meaning than before, so that their history begins again. Left out: there are none. */
  readonly redefined?: readonly string[];
  /**
   * The last time at which more new items came than a poll can read, so that some are never read. Left out if all are
   * read.
   */
  readonly hidAt?: Instant | undefined;
}

/** The detection of an empty reading. The caller adds a state or values. */
export const NOTHING_DETECTED: Detection<never> = {
  state: null,
  events: [],
  now: null,
  before: null,
  range: null,
  baseline: null,
  notes: [],
  needs: null,
  doubt: null,
  askAgainMs: null,
  dropped: [],
};

/** Every item in the blocks from `from` to `to` was read. */
export interface BlockRange {
  readonly from: number;
  /** `head`: up to the newest block that the explorer has, which other answers of the same tick may show. */
  readonly to: number | 'head';
  /** The newest block in the reading; null when the list is empty. */
  readonly head: number | null;
  /** Heights at which the reading shows another block than before: the items of the earlier block are gone. */
  readonly replaced: readonly number[];
  /** Heights below `from` that were read as well; left out if there are none. */
  readonly below?: readonly Heights[];
}

/** A range of heights. Both ends belong to it. */
export interface Heights {
  readonly from: number;
  readonly to: number;
}

/**
 * An event as the kind finds it, before any alert judges it. `new`: seen for the first time. `known`: seen before and
 * listed again. An alert that could not evaluate it before may be able to do so now. `changed`: seen before, with other
 * values now. `baseline`: already present at the first reading.
 */
export interface DetectedEvent {
  readonly on: EventName;
  /** Stable and unique per occurrence: `0x…#3` is the third change of an item. */
  readonly key: string;
  readonly novelty: 'new' | 'known' | 'changed' | 'baseline';
  readonly view: AnyView;
  /** Last known values before the change, as encoded in memory. */
  readonly before: Remembered | null;
  /** The tracked or judged paths that differ; empty except for `on: changed` and for a `changed` item. */
  readonly changed: readonly string[];
  /** The time at which it happened; null if the item does not show it. */
  readonly happenedAt: Instant | null;
  /** The block that contains it; `pending` while no block does; `nowhere` if no block can take it back. */
  readonly block: number | 'pending' | 'nowhere';
  /** A slot that items share, such as sender and nonce: at most one of them is ever in a block. Null if unknown. */
  readonly slot: string | null;
}

/** The block that the item is in; null while it is in none. */
export function blockOf({ block }: DetectedEvent): number | null {
  return typeof block === 'number' ? block : null;
}

export function isAwaited({ keys, slots }: Awaited, { key, slot }: DetectedEvent): boolean {
  return keys.has(key) || (slot !== null && slots.has(slot));
}

/** The newest event, the first of several; null if there is none. */
export function newestOf(events: readonly DetectedEvent[]): DetectedEvent | null {
  return events.reduce<DetectedEvent | null>(newer, null);
}

function newer(one: DetectedEvent | null, other: DetectedEvent): DetectedEvent {
  return one === null || (other.happenedAt ?? 0) > (one.happenedAt ?? 0) ? other : one;
}
