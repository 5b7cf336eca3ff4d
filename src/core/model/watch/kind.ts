import type { z } from 'zod';
import type { Abi } from '../../../lib/abi/abi.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Address } from '../../values/address.ts';
import type { AnyRecord, AnyView } from '../../values/fields.ts';
import type { Steps } from '../../../lib/steps.ts';
import type { Detection, DetectionScope } from '../detection.ts';
import type { SourceRows } from '../quality/sightings.ts';
import type { DetailLine, DetailPart } from '../details.ts';
import type { EventName, Severity } from '../ids.ts';
import type { ListQuestion, Question, Read } from './question.ts';
import type { Script } from './script.ts';
import type { Target } from './target.ts';
import type { KindWording, WatchNames } from './wording.ts';

/**
 * Whether a rule of this kind must, may or must not have `of:` and `token:`. `either`: it must have at least one of the
 * two.
 */
export type Presence = 'required' | 'optional' | 'none' | 'either';

/**
 * Something that can be watched. A new kind is a file in `watches/` and its line in `watches/index.ts`. `E`: its own
 * YAML keys. `S`: its memory (JSON). `O`: the result of reading in one poll.
 */
export interface Kind<E, S, O> {
  readonly name: string;
  /** One sentence for help and docs. */
  readonly summary: string;
  /** The name under which every field can also be written: `token.type`. */
  readonly noun: string;
  /** Every field a condition or a message may name. */
  readonly fields: AnyRecord;
  /**
   * Own keys of a rule, and options of `forReads`, that only decide which fields the rows have, or how they are judged.
   * When they change, the memory is continued.
   */
  readonly fieldOptions?: readonly string[];
  /** Own keys that are lists of addresses. Rules write names of the config; the kind gets addresses in lower case. */
  readonly addressOptions?: readonly string[];
  /** The kind with the fields that these options give it. Left out by kinds whose fields are always the same. */
  forOptions?(options: E): Kind<E, S, O>;
  /** Its questions go to the JSON-RPC of the explorer, which the config must allow. */
  readonly needsRpc?: true;
  /** Names of the config in the options, for rule tests without a config. Left out by kinds whose options have none. */
  namesIn?(options: E): { readonly addresses: readonly string[]; readonly tokens: readonly string[] };
  /** Sentences for people who write rules. */
  readonly advice?: KindAdvice;
  /** Set if its events say who controls a contract, or which code it runs. */
  readonly control?: ControlEvents;
  /** The signatures of functions or events that rules can name without their arguments. */
  readonly signatures?: readonly string[];
  /** The words of `check` for the options: `reads pause() 0x8456cb59`; null if they need none. */
  describeOptions?(options: E, target: Target<E>): string | null;
  /**
   * The functions that the watch looks for among calls to its address, if its rows are the calls of some callers only.
   * Null: its alerts read no function of such calls. `reads`: the paths that each alert reads.
   */
  calledFunctions?(options: E, reads: readonly (readonly string[])[]): CalledFunctions | null;
  /**
   * The options with addresses in place of names of the config. Left out by kinds whose options have no names.
   * `addressesOf`: undefined for an unknown name.
   */
  resolve?(
    options: E,
    addressesOf: (name: string) => readonly Address[] | undefined,
    target: Pick<Target, 'rpc'> & { readonly hasAddress: boolean },
  ): ResolvedOptions<E>;
  /** The events that `on:` may name. */
  readonly events: Readonly<Record<EventName, EventSpec>>;
  /** The present values for `while:`; null = the kind has events only. */
  readonly while: ValueSpec | null;
  readonly of: Presence;
  readonly token: Presence;
  /** Own keys that have no meaning without `of:`. */
  readonly needsOf?: readonly string[];
  /** The reason why a watch with these options must have `of:`; null: it need not. Left out: `of` decides alone. */
  needsAddress?(options: E): { readonly message: string; readonly hint: string } | null;
  /** The kind's own keys in a rule. */
  readonly options: z.ZodObject;
  /** These keys where names of functions and events come from ABI files, too. Left out by kinds without `abi:`. */
  optionsWith?(abi: Abi, warn: (doubt: OptionDoubt) => void): z.ZodObject;
  /** Shape of the remembered state, checked when it is read back. */
  readonly state: z.ZodType<S>;
  /** The paths that `on: changed` compares if it has no `if`. */
  readonly comparedByDefault: readonly string[];
  /** Fields that every message shows, when known. */
  readonly shown: readonly string[];
  /** Paths that change while the item stays the same, such as its block, its age, and names that explorers give it. */
  readonly fleeting: readonly string[];
  /** Paths that tell the order of the items within a block. Left out by kinds whose items are in no block. */
  readonly placeInBlock?: readonly string[];
  /** Paths that are known for one event only: for any other event they are always unknown. */
  readonly onlyOf?: Readonly<Record<string, EventName>>;
  /** Its sentences in messages. */
  readonly wording: KindWording;
  /**
   * The options of a watch whose alerts read these paths. Left out by kinds whose questions do not depend on these
   * paths.
   */
  forReads?(options: E, reads: readonly string[]): E;
  /** The question that every poll asks first. It decides the phase, and the price that `check` prints. */
  question(target: Target<E>): Question;
  /** All questions of every poll, that one first. Left out by kinds that always ask one. */
  questions?(target: Target<E>): readonly Question[];
  /**
   * All questions of a poll that asks otherwise: for each other way of reading, and for new items that need more. For each,
   * the plan reserves credits for as many as there are questions above; further ones are measured when they are sent.
   * Left out where all polls ask the same.
   */
  fallbackQuestions?(target: Target<E>): readonly (readonly Question[])[];
  /**
   * The question that shows the chain's head, if the kind's own answers do not. Asked when an alert counts
   * confirmations, and when a decision depends on how far the explorer has read.
   */
  head(target: Target<E>): ListQuestion | null;
  /** The path of the explorer's page about this item: `/tx/0x…`. */
  page(target: Target<E>, view: AnyView): string | null;
  /**
   * Reads the target; it may ask questions and do nothing else. Throws `Missed`. `downTo`: for a list, the lowest block
   * of a missing item that is not known to be gone; null if there is none.
   */
  observe(target: Target<E>, state: S | null, read: Read, downTo: number | null): Promise<Reading<O>>;
  /**
   * Pure. `state`: null for the first reading, the baseline. A kind that reads a list pauses between rows, since there
   * may be thousands.
   */
  detect(target: Target<E>, state: S | null, seen: O, scope: DetectionScope): Steps<Detection<S>>;
  /**
   * The contract that alone says that an item happened, if the config does not name it, or if anybody can make it say so;
   * null: the item is believed. Left out by kinds whose items are facts of the chain. `reads`: the paths that the rule
   * reads.
   */
  claimantOf?(target: Target<E>, view: AnyView, rule: ClaimContext): Address | null;
  /** The extent to which a list was read, from the memory. Left out by kinds that read no list of events. */
  coverage?(state: S): ListCoverage;
  /** The number of remembered tokens that explorers mark as scams, if a rule reads that. Only for lists of tokens. */
  scams?(state: S): number;
  /**
   * Values that the last readings lack although the answers have their keys, or although the explorer was asked for them.
   * Left out by kinds that never lose a value.
   */
  lost?(state: S): readonly LostValue[];
  /** A value that the answers show, and that does not count yet; null: there is none. Left out where all count at once. */
  waits?(state: S): DatedRemark | null;
  /** How its events get details. Left out by kinds whose items belong to no transaction. */
  readonly details?: KindDetails<E>;
  /**
   * Set if the watch was not read by the questions that `check` prices, but in another way; null if it was read by
   * these questions. Left out by kinds with only one way.
   */
  fallback?(state: S): DatedRemark | null;
  /** Replays the list from data that the explorer still has; null = it has no past, so it must be recorded. */
  readonly history: ListHistory | null;
  /** Conditions that show functions and methods of the language in use, by name: `re`, and `.exists` for a method. */
  readonly examples: Readonly<Record<string, string>>;
  /** The rows of answers behind a reading, unchanged. */
  rowsOf(seen: O): SourceRows;
  /** The path of a field in the rows of `rowsOf`; null = the kind computes the field. */
  sourceOf(path: string, target: Target<E>): string | null;
  readonly script: Script<E, S, O>;
}

export interface KindDetails<E> {
  /** The path of the hash of the item's transaction, one of `shown`. */
  readonly transaction: string;
  /** The questions for these parts, in this order. */
  questions(target: Target<E>, transaction: string, parts: readonly DetailPart[]): readonly Question[];
  /**
   * Sends the questions. Does not throw `Missed` if a part has no answer: the lines then state that the part is
   * missing.
   */
  read(asked: DetailsAsked<E>, read: Read): Promise<readonly DetailLine[]>;
}

export interface DetailsAsked<E> {
  readonly target: Target<E>;
  readonly names: WatchNames;
  readonly transaction: string;
  readonly parts: readonly DetailPart[];
}

export interface ClaimContext {
  readonly reads: readonly string[];
  /** The name that the config gives an address; null = it has none. */
  readonly known: (address: Address) => string | null;
}

export interface KindAdvice {
  /** Fields that exist only with another key of the rule, and the sentence that names the key. */
  readonly fields: Readonly<Record<string, string>>;
  readonly doubts: readonly FieldDoubt[];
  /** Records that have more fields without some key of the rule, and the sentence that names the key. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Fields that are known only with another key of the rule, and a hint that shows the key. */
  readonly needs?: Readonly<Record<string, { readonly key: string; readonly hint: string }>>;
  /** Critical conditions that read none of the fields match claims of any contract. */
  readonly claims?: {
    readonly unless: readonly string[];
    /** Set if `of` names the contract that makes the claim. */
    readonly unlessOf?: true;
    readonly message: string;
    readonly hint: string;
  };
  /** Fields that count only the tokens that the config names, with the key of the rule that counts all. */
  readonly ofNamedTokens?: Readonly<Record<string, string>>;
}

/** A condition that reads the field, and none of `unless`, is rarely meant. */
export interface FieldDoubt {
  readonly field: string;
  readonly unless: readonly string[];
  /** Only conditions that also read the value before are doubted. */
  readonly besideBefore?: true;
  /** Only alerts with `on: changed` are doubted, and only those that do not read the value before of any of these. */
  readonly onChangeWithoutBefore?: readonly string[];
  /** Only alerts of this severity are doubted; all if left out. */
  readonly of?: Severity;
  readonly message: string;
  readonly hint: string;
}

/** An event that a rule can name after `on:`. */
export interface EventSpec {
  /** The meaning of the event, for help and docs. */
  readonly doc: string;
  /** Whether the item is in a block, so that confirmations can be counted. */
  readonly inBlocks: boolean;
  /** The key without which the event never occurs. */
  readonly needs?: 'of';
}

/** Events that say who controls a contract, or which code it runs. */
export interface ControlEvents {
  /** Values of the field `event`; null: each event is one. */
  readonly names: ReadonlySet<string> | null;
  /** True if its values have `implementations`, `proxy_type` and `is_verified` of the address. */
  readonly seesCode: boolean;
}

/** The current values of the watched thing, which conditions read. */
export interface ValueSpec {
  /** The path of windows for which a rule names none; null = a rule must name one. */
  readonly measured: string | null;
  /** The paths of the measured value in US dollars, and of the price. Left out: it has no worth. */
  readonly worth?: { readonly usd: string; readonly price: string };
  /**
   * The fields that only the present values have, and items do not. If left out, the present values and the items have
   * all fields.
   */
  readonly only?: readonly string[];
  /** Fields exported as `chainwarden_watch_value`. */
  readonly exported: readonly string[];
}

/** The data of rows that a replay needs. */
export interface ListHistory {
  /** The time at which the item happened; null if the row does not show it. */
  timeOf(row: AnyView): Instant | null;
  /** Undefined: the row cannot be identified. */
  identityOf(row: AnyView): string | undefined;
  /** Height of its block; null when it is in none. */
  blockOf(row: AnyView): number | null;
}

/** Lists are swept down to rows that happened so long ago. */
export const LOOK_BACK_MS = 7 * 3_600_000;

export interface LostValue {
  /** The fields that are unknown without it. */
  readonly paths: readonly string[];
  /**
   * The name of the value in messages: `implementation`. Null if the explorer sends the value for no watch; all watches
   * then share one message.
   */
  readonly name: string | null;
}

export interface DatedRemark {
  /** `an earlier set of implementations is shown again, and counts after ten minutes` */
  readonly what: string;
  readonly since: Instant;
}

/** The extent to which a list was read. */
export interface ListCoverage {
  /** Disjoint, the highest first. */
  readonly unread: readonly UnreadRange[];
  /** The time at which the last sweep of the list was complete; null = never. */
  readonly sweptAt: Instant | null;
}

/** Blocks whose items may be unread. */
export interface UnreadRange {
  /** `blocks 101-250` */
  readonly heights: string;
  readonly reason: string;
  /** Null if unknown. */
  readonly since: Instant | null;
  /** False: its items are too old to be sent, so it is only named. */
  readonly isReadLater: boolean;
}

/** A warning about options. The path begins below the watch. */
export interface OptionDoubt {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint: string;
}

/** The functions whose calls a watch sees in part. */
export interface CalledFunctions {
  /** The callers of its rows. */
  readonly by: 'accounts' | 'contracts';
  /** Names by selector; null: all functions that are known. */
  readonly names: ReadonlyMap<string, string> | null;
  /** The watch that sees the other calls. */
  readonly hint: string;
}

/** Options, or the mistakes in them. Paths begin below the watch. */
export interface ResolvedOptions<E> {
  readonly options: E;
  readonly mistakes: readonly {
    readonly path: readonly (string | number)[];
    readonly message: string;
    readonly hint?: string;
    /** The name that is not known. */
    readonly written?: string;
  }[];
}

/** A kind without its type parameters: rules, engine and store treat all kinds alike. */
export type AnyKind = Kind<unknown, unknown, unknown>;

export function isFleeting({ fleeting }: Pick<AnyKind, 'fleeting'>, path: string): boolean {
  return fleeting.some((one) => path === one || path.startsWith(`${one}.`));
}

/** The result of reading in one poll. */
export interface Reading<O> {
  readonly seen: O;
  /** The parts that were not read, and why; null if all were read. */
  readonly partial: string | null;
}
