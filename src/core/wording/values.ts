// One value in a sentence of the program. Text from the chain is not allowed here.
import type { Instant } from '../../lib/clock.ts';
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
  return [...new Set(reads.flatMap((path) => priceOf(record, path)?.path ?? []))];
}

const HOUR_MS = 3_600_000;

/** `Price $0.9996 as the explorer shows it. Price unchanged for 26 h.` `reads`: the values that are shown. */
export function priceLines(view: AnyView, reads: readonly string[], at: Instant): Sentence['lines'] {
  const record = recordTypeOf(view);
  const prices = new Map(reads.flatMap((path) => priceOf(record, path) ?? []).map((price) => [price.path, price]));
  return [...prices.values()].flatMap(({ path, since }) => {
    const price = exactOf(valueAt(view, path));
    if (!isPrice(price)) return lineOf('No price is shown.');
    const from = since === undefined ? undefined : valueAt(view, since);
    const hours = from instanceof Date ? Math.floor((at - from.getTime()) / HOUR_MS) : null;
    return lineOf(
      `Price $${showAmount(price)} as the explorer shows it.`,
      hours === null ? null : `Price unchanged for ${hours} h.`,
    );
  });
}
