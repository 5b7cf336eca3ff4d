// The form of a field's value in a title or a text, and the filters that change it.
import { Address, shortHex } from '../../core/values/address.ts';
import { Amount, formatAmount, roundAmount, showDollars } from '../../core/values/amount.ts';
import { isKnownWord } from '../../core/values/record-type.ts';
import { showExact } from '../../core/values/unlimited.ts';
import { exactOf, isView, type FieldType, type FieldValue } from '../../core/values/fields.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import { showDate } from '../../core/wording/words.ts';
import { isLargest, UNLIMITED } from '../../lib/abi/largest.ts';
import { plain, untrusted, type Untrusted } from '../../lib/untrusted.ts';

export type Filter = (value: FieldValue) => string | undefined;

/** Filters by name. A filter returns undefined for values that it does not accept. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  /** 0.123 becomes 12.3% */
  percent: (value) => {
    const amount = exactOf(value);
    return amount === undefined ? undefined : `${formatAmount(roundAmount(amount.times(new Amount(100n, 0)), 2))}%`;
  },
  /** 1234.56789 becomes 1,234.57 */
  rounded: (value) => {
    const amount = exactOf(value);
    if (amount === undefined) return undefined;
    return isLargest(amount.digits) ? UNLIMITED : formatAmount(roundAmount(amount, 2));
  },
  /** 0x47ac0fb4… becomes 0x47ac…f3a1 */
  short: (value) => {
    const text = value instanceof Address ? value.text : typeof value === 'string' ? value : '';
    return /^0x[0-9a-fA-F]{12,}$/.test(text) ? shortHex(text) : undefined;
  },
};

/** The field types that each filter accepts. */
export const FILTER_TYPES: Readonly<Record<string, readonly FieldType['type'][]>> = {
  percent: ['amount', 'int', 'double'],
  rounded: ['amount', 'int', 'double'],
  short: ['address', 'hash'],
};

/** Shown for an unknown value. */
export const UNKNOWN = 'unknown';

/** Replaces, in a title, a word that is not among the known words of its field. */
const OTHER = 'other';

/** A known value for a title: never untrusted text. */
export function showInTitle(type: FieldType, value: FieldValue, zone: string): Segment {
  return type.type === 'word' && !isKnownWord(type, value) ? { text: OTHER } : showValue(type, value, zone);
}

/** A known value as a text shows it. */
export function showValue(type: FieldType, value: FieldValue, zone: string): Segment {
  if (type.type === 'list') return showList(type.of, value, zone);
  if (type.type === 'text') return { untrusted: value as Untrusted };
  if (type.type === 'word' && typeof value === 'string' && !isKnownWord(type, value))
    return { untrusted: untrusted(value) };
  if (value instanceof Amount) return { text: amountText(type, value) };
  if (typeof value === 'bigint' && isLargest(value)) return { text: UNLIMITED };
  if (value instanceof Address) return { text: value.text };
  if (value instanceof Date) return { text: showDate(value.getTime(), zone) };
  if (type.type === 'duration' && typeof value === 'number') return { text: `${Math.round(value / 1000)}s` };
  return { text: isView(value) || typeof value === 'object' ? UNKNOWN : String(value) };
}

function amountText(type: FieldType, value: Amount): string {
  return type.type === 'amount' && type.unit === 'usd' ? showDollars(value) : showExact(value);
}

const MOST_LISTED = 10;

/** A list that contains text from the chain is untrusted as a whole; each item is sanitised first. */
function showList(of: FieldType, value: FieldValue, zone: string): Segment {
  const items = Array.isArray(value) ? value : [];
  const shown = items.slice(0, MOST_LISTED);
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : '';
  const segments = shown.map((item) => showValue(of, item, zone));
  const texts = segments.map((segment) => ('text' in segment ? segment.text : plain(segment.untrusted)));
  const text = texts.join(', ') + more;
  return segments.some((segment) => 'untrusted' in segment) ? { untrusted: untrusted(text) } : { text };
}
