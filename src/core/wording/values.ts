// One value in a sentence of the program. Text from the chain is not allowed here.
import { Address, shortHex } from '../values/address.ts';
import { isKnownWord } from '../values/decoding.ts';
import { isDollars, isPrice, priceOf, showDollars } from '../values/dollars.ts';
import { exactOf, recordTypeOf, typeAt, valueAt, type AnyRecord, type AnyView } from '../values/fields.ts';
import type { Sentence, WatchNames } from '../model/watch/wording.ts';
import { numberWords } from './comparisons.ts';
import { lineOf, showAmount } from './words.ts';

/** Replaces a word that is not among the known words of its field. */
const OTHER = 'other';

/** `970,030`, `scam`, `yes`, `collector`; undefined when it is unknown, or is text from the chain. */
export function ownValue({ names, view }: { readonly names: WatchNames; readonly view: AnyView }, path: string) {
  const type = typeAt(recordTypeOf(view), path);
  const value = valueAt(view, path);
  if (type === undefined || value === undefined) return undefined;
  if (type.type === 'word') return typeof value === 'string' && isKnownWord(type, value) ? value : OTHER;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value instanceof Address) return addressWords(names, value);
  if (type.type === 'hash' && typeof value === 'string') return shortHex(value);
  const number = exactOf(value);
  return number === undefined ? undefined : numberWords(recordTypeOf(view), path)(number);
}

/** `collector`, or `0x3c54…b3AB` if the config has no name for it. */
export function addressWords(names: WatchNames, address: Address): string {
  return names.known(address) ?? shortHex(address.text);
}

/** `Fell 120,207 since the last poll.`; null if this is unknown, or the value did not move. */
export function movedWords(view: AnyView, before: AnyView | null, path: string): string | null {
  const now = exactOf(valueAt(view, path));
  const then = before === null ? undefined : exactOf(valueAt(before, path));
  if (now === undefined || then === undefined || now.equals(then)) return null;
  const isFall = now.compare(then) < 0;
  const by = isFall ? then.minus(now) : now.minus(then);
  const show = isDollars(recordTypeOf(view), path) ? showDollars : showAmount;
  return `${isFall ? 'Fell' : 'Rose'} ${show(by)} since the last poll.`;
}

/** The paths of the prices behind the dollar values at these paths. */
export function pricePathsOf(record: AnyRecord, reads: readonly string[]): readonly string[] {
  return [...new Set(reads.flatMap((path) => priceOf(record, path) ?? []))];
}

/** `Price $0.9996 as the explorer shows it.` */
export function priceLines(view: AnyView, paths: readonly string[]): Sentence['lines'] {
  return paths.flatMap((path) => {
    const price = exactOf(valueAt(view, path));
    return lineOf(isPrice(price) ? `Price $${showAmount(price)} as the explorer shows it.` : 'No price is shown.');
  });
}
