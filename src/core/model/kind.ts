import type { z } from 'zod';
import type { Address } from '../values/address.ts';
import type { AnyRecord, AnyView } from '../values/fields.ts';
import type { EventName } from './ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { SourceRows } from './field-sightings.ts';
import type { Head, HeadNeed, TickChain } from './observation.ts';
import type { ListQuestion, Question, Read } from './question.ts';
import type { Remembered } from '../values/tracked.ts';

export interface Coin {
  readonly symbol: string;
  readonly decimals: number;
}

/** What one watch looks at, with every name resolved. `options` are the kind's own keys, parsed by its schema. */
export interface Target<E = unknown> {
  readonly explorer: string;
  readonly coin: Coin;
  readonly address: Address | null;
  readonly token: Address | null;
  readonly maxPages: number;
  readonly options: E;
}

/** Whether a rule of this kind must, may or must not have `of:` and `token:`. */
export type Presence = 'required' | 'optional' | 'none';

/**
 * Something that can be watched. Adding one is a file in `watches/` and its line in `watches/index.ts`.
 * `E`: its own YAML keys. `S`: what it remembers (JSON). `O`: what one poll sees.
 */
export interface Kind<E, S, O> {
  readonly name: string;
  /** One sentence for help and docs. */
  readonly summary: string;
  /** The name under which every field can also be written: `token.type`. */
  readonly noun: string;
  /** Every field a condition or a message may name. */
  readonly fields: AnyRecord;
  /** What `on:` may name. */
  readonly events: Readonly<Record<EventName, EventSpec>>;
  /** What `while:` looks at; null = the kind has events only. */
  readonly while: ValueSpec | null;
  readonly of: Presence;
  readonly token: Presence;
  /** The kind's own keys in a rule. */
  readonly options: z.ZodObject;
  /** Shape of the remembered state, checked when it is read back. */
  readonly state: z.ZodType<S>;
  /** What `on: changed` compares when it has no `if`. */
  readonly comparedByDefault: readonly string[];
  /** Fields that every message shows, when known. */
  readonly shown: readonly string[];
  /** Paths that change while the item stays what it is: where it was mined, how old it is, what explorers call it. */
  readonly fleeting: readonly string[];
  /** Paths that are known only of one event: of any other they are always unknown. */
  readonly onlyOf?: Readonly<Record<string, EventName>>;
  /** The question that every poll asks first; decides the phase and the price that `check` prints. */
  question(target: Target<E>): Question;
  /**
   * The question that shows the chain's head, where the kind's own answers do not. Asked when an alert counts
   * confirmations, and when a decision depends on how far the explorer has read.
   */
  head(target: Target<E>): ListQuestion | null;
  /** The path of the explorer's page about this item: `/tx/0x…`. */
  page(target: Target<E>, view: AnyView): string | null;
  /** Reads what is watched; it may ask questions and do nothing else. Throws `Missed`. */
  observe(target: Target<E>, state: S | null, read: Read): Promise<Reading<O>>;
  /** Pure. `state` null = nothing remembered yet: the baseline. */
  detect(target: Target<E>, state: S | null, seen: O, scope: Scope): Detection<S>;
  /** What is remembered of how far a list was read. Left out by kinds that read no list of events. */
  coverage?(state: S): ListCoverage;
  /** How the list is replayed from what the explorer still holds; null = it keeps no past, so it has to be recorded. */
  readonly history: ListHistory | null;
  /** Conditions that show functions and methods of the language in use, by name: `re`, and `.exists` for a method. */
  readonly examples: Readonly<Record<string, string>>;
  /** The rows of answers that a reading rests on, as they came. */
  rowsOf(seen: O): SourceRows;
  /** Where a field stands in those rows; null = in none of them, for it is made here. */
  sourceOf(path: string, target: Target<E>): string | null;
  readonly script: Script<E, S, O>;
}

/** An event that a rule can name after `on:`. */
export interface EventSpec {
  /** What happened, for help and docs. */
  readonly doc: string;
  /** Whether the item is in a block, so that confirmations can be counted. */
  readonly inBlocks: boolean;
  /** The key without which the event never occurs. */
  readonly needs?: 'of';
}

/** The watched thing has current values, which conditions read. */
export interface ValueSpec {
  /** The path that windows look back over when a rule names none; null = a rule has to name one. */
  readonly measured: string | null;
  /** Fields exported as `chainwarden_watch_value`. */
  readonly exported: readonly string[];
}

/** What the rows of a list say about the past. */
export interface ListHistory {
  /** When it happened; null when the row does not say. */
  timeOf(row: AnyView): Instant | null;
  /** Undefined: the row cannot be told from others. */
  identityOf(row: AnyView): string | undefined;
  /** Height of its block; null when it is in none. */
  blockOf(row: AnyView): number | null;
}

/** How far a list was read. */
export interface ListCoverage {
  /** Disjoint, the highest first. */
  readonly unread: readonly UnreadRange[];
  /** When the list was last read again from its first page down to the end of what is remembered; null = never. */
  readonly sweptAt: Instant | null;
}

/** Blocks whose items may not have been read. */
export interface UnreadRange {
  /** `blocks 101-250` */
  readonly heights: string;
  readonly reason: string;
  /** Null where that is not known. */
  readonly since: Instant | null;
  /** False: its items are too old to be sent, so it is only named. */
  readonly isReadLater: boolean;
}

/** How a test of a rule writes what one poll saw. */
export interface Script<E, S, O> {
  /** The key of the list of rows; null: a poll sees one thing, and its fields are written directly. */
  readonly rows: string | null;
  /** The fields of a row, or of the one thing. */
  readonly record: AnyRecord;
  /**
   * Pure: what `observe` would have seen. Fields that the kind needs to tell items apart and that were not written are
   * synthesized.
   */
  synthesize(target: Target<E>, written: SyntheticReading, state: S | null): O;
  /** Where the chain is by the rows that were written. Absent where the kind's rows never say. */
  head?(rows: readonly SyntheticRow[], at: Instant): Head | null;
}

export interface SyntheticReading {
  /** For a kind that sees one thing: that one, or none when nothing was read. */
  readonly rows: readonly SyntheticRow[];
}

export interface SyntheticRow {
  readonly view: AnyView;
  /** The fields that were written, also those written as `null`: they are not synthesized. */
  readonly says: ReadonlySet<string>;
  /** The same name is the same item; null where the test names none. */
  readonly id: string | null;
  /** Where it stands in the test file: no other row has the same. */
  readonly place: string;
}

/** A kind without its type parameters: rules, engine and store treat all kinds alike. */
export type AnyKind = Kind<unknown, unknown, unknown>;

/** What one poll of a kind read. */
export interface Reading<O> {
  readonly seen: O;
  /** What was not read and why; null when everything was. */
  readonly partial: string | null;
}

/** What `detect` knows of the poll beside what was seen. */
export interface Scope {
  readonly at: Instant;
  /** Paths whose values are to be remembered and compared. */
  readonly tracked: readonly string[];
  /** Paths that the conditions of events read, but for fleeting ones: a known item that says something else is judged anew. */
  readonly judged: readonly string[];
  /** False: an item that is missing from `seen` may still exist. */
  readonly isComplete: boolean;
  /** An alert waits for a later state of an item: then known items are reported as events too. */
  readonly isWaiting: boolean;
  readonly chain: TickChain;
  /** When the last usable answer was looked at; null = never. */
  readonly coveredUntil: Instant | null;
  /** The time between two polls. */
  readonly intervalMs: number;
}

/** What a kind detects in one reading, without knowing the alerts. */
export interface Detection<S> {
  /** The same object as before when nothing changed: then nothing is written. Null = still no baseline. */
  readonly state: S | null;
  readonly events: readonly DetectedEvent[];
  /** What `while` looks at; null = unknown. */
  readonly now: AnyView | null;
  /** The last known values before `now`, as encoded in memory. */
  readonly before: Remembered | null;
  /** Which part of the chain a complete reading shows; null when it shows none, or is of no list. */
  readonly range: Range | null;
  /** Set at the first reading: how many items there were. They are no events. */
  readonly baseline: number | null;
  /** For the log: what was not examined. */
  readonly notes: readonly string[];
  /** Set when the chain was not asked for and the detection depends on it. */
  readonly needs: HeadNeed | null;
  /** Set when the reading is not believed yet: the watched values are unknown, and nothing counts as gone. */
  readonly doubt: Doubt | null;
  /** Keys of items of which the reading says that they will never be in a block. */
  readonly dropped: readonly string[];
}

export interface Doubt {
  readonly reason: string;
  /** Poll again after this time, where the next poll is later; null = at the next poll. */
  readonly askAgainMs: number | null;
}

/** Every item in the blocks from `from` to `to` was read. */
export interface Range {
  readonly from: number;
  /** `head`: up to the newest block that the explorer has, which other answers of the same tick may show. */
  readonly to: number | 'head';
  /** The newest block in the reading; null when the list is empty. */
  readonly head: number | null;
  /** Heights at which the reading shows a block that was never seen there: items of the former block are gone. */
  readonly replaced: readonly number[];
}

/**
 * An event as the kind sees it, knowing no alert. `new`: first seen now. `known`: seen before, offered again so that
 * an alert that could not decide then may decide now. `changed`: seen before, and says something else now than it did.
 * `baseline`: was there at the first reading.
 */
export interface DetectedEvent {
  readonly on: EventName;
  /** Stable and unique per occurrence: `0x…#3` is the third change of an item. */
  readonly key: string;
  readonly novelty: 'new' | 'known' | 'changed' | 'baseline';
  readonly view: AnyView;
  /** Last known values before the change, as encoded in memory. */
  readonly before: Remembered | null;
  /** The tracked paths that differ; empty but for `changed`. */
  readonly changed: readonly string[];
  /** When it happened, if the item says so. */
  readonly happenedAt: Instant | null;
  /** The block it is in; `pending` while it is in none; `nowhere` when no block can take it back. */
  readonly block: number | 'pending' | 'nowhere';
  /** Of items that share one, at most one is ever in a block: sender and nonce. Null where nothing of that sort is known. */
  readonly slot: string | null;
}
