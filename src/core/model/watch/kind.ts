import type { z } from 'zod';
import type { Instant } from '../../../lib/clock.ts';
import type { AnyRecord, AnyView } from '../../values/fields.ts';
import type { Detection, DetectionScope } from '../detection.ts';
import type { SourceRows } from '../quality/field-sightings.ts';
import type { EventName } from '../ids.ts';
import type { ListQuestion, Question, Read } from './question.ts';
import type { Script } from './script.ts';
import type { Target } from './target.ts';
import type { KindWording } from './wording.ts';

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
  /** Its sentences in messages. */
  readonly wording: KindWording;
  /** The question that every poll asks first; decides the phase and the price that `check` prints. */
  question(target: Target<E>): Question;
  /**
   * The question that shows the chain's head, where the kind's own answers do not. Asked when an alert counts
   * confirmations, and when a decision depends on how far the explorer has read.
   */
  head(target: Target<E>): ListQuestion | null;
  /** The path of the explorer's page about this item: `/tx/0x…`. */
  page(target: Target<E>, view: AnyView): string | null;
  /**
   * Reads what is watched; it may ask questions and do nothing else. Throws `Missed`. `downTo`: of a list, the lowest
   * block of an item that was missing and is not known to be gone yet; null = there is none.
   */
  observe(target: Target<E>, state: S | null, read: Read, downTo: number | null): Promise<Reading<O>>;
  /** Pure. `state` null = nothing remembered yet: the baseline. */
  detect(target: Target<E>, state: S | null, seen: O, scope: DetectionScope): Detection<S>;
  /** What is remembered of how far a list was read. Left out by kinds that read no list of events. */
  coverage?(state: S): ListCoverage;
  /** How many of the tokens that it remembers explorers call scams, where a rule looks at that. Only of lists of tokens. */
  scams?(state: S): number;
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

/** A kind without its type parameters: rules, engine and store treat all kinds alike. */
export type AnyKind = Kind<unknown, unknown, unknown>;

export function isFleeting({ fleeting }: Pick<AnyKind, 'fleeting'>, path: string): boolean {
  return fleeting.some((one) => path === one || path.startsWith(`${one}.`));
}

/** What one poll of a kind read. */
export interface Reading<O> {
  readonly seen: O;
  /** What was not read and why; null when everything was. */
  readonly partial: string | null;
}
