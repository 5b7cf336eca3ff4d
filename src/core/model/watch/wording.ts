// The words of a kind's messages. Each kind writes its own sentences; shared words are in `core/wording`.
import type { Address } from '../../values/address.ts';
import type { AnyView } from '../../values/fields.ts';
import type { Comparison, Segment } from './condition.ts';
import type { EventName } from '../ids.ts';

/** The first part of a message, before its facts. */
export interface Sentence {
  /** One line without any text from the chain: `treasury USDC 970,030, below 1,000,000`. */
  readonly title: string;
  /** Follows a title that shows no number: `970,030, below 1,000,000`; null = there is none. */
  readonly detail: string | null;
  /** The measured value alone, for later messages: `970,030`; null if nothing is measured. */
  readonly measured: string | null;
  /** Further lines: the value before, the threshold, the place. Text from the chain stays marked as untrusted. */
  readonly lines: readonly (readonly Segment[])[];
  /** Paths whose values the words of an event show or imply. Left out if there are none. */
  readonly shows?: readonly string[];
  /** Paths whose limits the title does not have to show. Left out if there are none. */
  readonly implies?: readonly string[];
}

/** Names of the target from the config. Symbols that a token gives itself are not used. */
export interface WatchNames {
  /** `treasury`, or `0x47ac…f3a1`; null = no address is watched. */
  readonly of: string | null;
  /** `USDC`, or `0xA0b8…eB48`; null = no token is watched. */
  readonly token: string | null;
  /** The symbol of the native coin. */
  readonly coin: string;
  readonly explorer: string;
  /** The explorer, if the rule watches several; null = it watches one. */
  readonly place: string | null;
  /** The name of any address or token; null = it has none. */
  known(address: Address): string | null;
  /** The name of another address that shows the same digits in its short form; null = there is none. */
  lookAlike(address: Address): string | null;
  /** The zone in which times are shown. */
  readonly zone: string;
  /** True if `address` is the watched address. */
  isWatched(address: Address | undefined): boolean;
}

/** An item or the present values, with the facts that a sentence may use. */
export interface WordingContext {
  readonly names: WatchNames;
  readonly view: AnyView;
  /** The last known values before these; null = there are none. */
  readonly before: AnyView | null;
  /** The constant that the rule compares a field with: `above 100`; null = none. */
  limitOf(path: string): string | null;
}

export interface EventOccasion extends WordingContext {
  readonly on: EventName;
  /** Paths that the rule compares, the first one first. */
  readonly compared: readonly string[];
}

/** One field that a condition compares with a constant. */
export interface ComparedValue extends WordingContext {
  readonly path: string;
  readonly operator: Comparison['operator'];
  /** `9 s` */
  readonly value: string;
  /** `5 s` */
  readonly bound: string;
  /** The alert has ended. */
  readonly isOver: boolean;
  /** The chain's head is stalled. */
  readonly isStale: boolean;
}

/** A condition on a single field. The field is a word, or true or false. */
export interface StateOccasion extends WordingContext {
  readonly path: string;
}

/** The counted items in words: `no call to vault for 6 h`, `3 failed vault calls in 10 min`. */
export interface CountedItems {
  readonly one: string;
  /** The noun in the singular. The plural is made with an `s`. */
  readonly noun: string;
}

export interface KindWording {
  /** The target in words: `treasury USDC`. */
  thing(names: WatchNames): string;
  /** The name of a value: `ACME total supply`. */
  value(occasion: Pick<WordingContext, 'names' | 'view'>, path: string): string;
  event(occasion: EventOccasion): Sentence;
  items(names: WatchNames): CountedItems;
  /** Where the item lies: `block 14,035,098, tx 0x0346…8120`; empty if no field shows it. */
  place?(occasion: Pick<WordingContext, 'names' | 'view'>): string;
  /** The path of the reason that a failed item gives; null for an item that did not fail. */
  reasonPath?(view: AnyView): string | null;
  /** A sentence for a comparison that the usual sentence does not fit; null if it fits. */
  compared?(occasion: ComparedValue): Sentence | null;
  /** A sentence for a field that is a word, or true or false; null if the usual sentence fits. */
  state?(occasion: StateOccasion): Sentence | null;
}
