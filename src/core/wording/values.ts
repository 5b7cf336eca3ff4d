// Values in sentences of the program: one value, two values that are compared, and a value that changed.
import type { Instant } from '../../lib/clock.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Untrusted } from '../../lib/untrusted.ts';
import {
  type Clause,
  type Comparison,
  type Condition,
  type EvaluationContext,
  OPPOSITE,
  type Segment,
} from '../model/watch/condition.ts';
import type { EventOccasion, KindWording, Sentence, WatchNames } from '../model/watch/wording.ts';
import { Address, shortHex } from '../values/address.ts';
import { type Amount, isPrice, showDollars } from '../values/amount.ts';
import { isKnownWord } from '../values/record-type.ts';
import {
  type AnyRecord,
  type AnyView,
  exactOf,
  isDollars,
  type Json,
  priceOf,
  recordTypeOf,
  typeAt,
  valueAt,
} from '../values/fields.ts';
import { encodedAt } from '../values/encoded.ts';
import { lineOf, quotedText, showAmount, showPath, showSpan } from './words.ts';

// One value in a sentence of the program. Text from the chain is not allowed here.

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

// The comparison of a condition in words: `below 1,000,000`.
//
// Clauses are compiled on demand; a burst of events needs the same one many times, so they are cached.
export const clauseOf = remembered((condition: Condition): Clause => condition.clause());

/** The value on the left of a comparison; undefined when it is unknown. */
export function subjectValue(
  subject: Comparison['subject'],
  { view, before, history }: EvaluationContext,
): Amount | undefined {
  if (subject.type === 'window') return history?.(subject.window);
  const of = subject.isBefore ? before : view;
  return of === null ? undefined : exactOf(valueAt(of, subject.path));
}

type Operator = Comparison['operator'];

/** The opposite comparison. */
export function negated(comparison: Comparison): Comparison {
  return { ...comparison, operator: OPPOSITE[comparison.operator] };
}

export function holds({ operator, bound }: Pick<Comparison, 'operator' | 'bound'>, value: Amount): boolean {
  const { digits } = value.minus(bound);
  switch (operator) {
    case '<':
      return digits < 0n;
    case '<=':
      return digits <= 0n;
    case '>':
      return digits > 0n;
    case '>=':
      return digits >= 0n;
    case '==':
      return digits === 0n;
    case '!=':
      return digits !== 0n;
  }
}

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  '<': 'below',
  '<=': 'at or below',
  '>': 'above',
  '>=': 'at or above',
  '==': 'exactly',
  '!=': 'not',
};

/** `below 1,000,000`, or `just below 0.05` if the value is shown as 0.05 too. `show`: writes both numbers. */
export function boundWords(
  { operator, bound, text }: Pick<Comparison, 'operator' | 'bound' | 'text'>,
  value: Amount,
  show: (number: Amount) => string,
): string {
  const isShownEqual = show(value) === show(bound) && !value.equals(bound);
  const just = isShownEqual && (operator === '<' || operator === '>') ? 'just ' : '';
  return `${just}${OPERATOR_WORDS[operator]} ${text === undefined ? show(bound) : `${text} (${show(bound)})`}`;
}

/** Writes the numbers of a field: milliseconds of a duration as a time, US dollars with `$`. */
export function numberWords(record: AnyRecord, path: string): (number: Amount) => string {
  if (isDollars(record, path)) return showDollars;
  return typeAt(record, path)?.type === 'duration' ? (number) => showSpan(number.toNumber()) : (one) => showAmount(one);
}

/** The comparison of a field with a constant that must hold for the condition to hold; null = there is none. */
export function limitOn(condition: Condition | null, path: string): Comparison | null {
  return condition === null ? null : (limitsOf(condition).find((one) => isOf(one, path)) ?? null);
}

/** The comparisons with constants that must hold for the condition to hold, in the order of its text. */
export function limitsOf(condition: Condition): readonly Comparison[] {
  return limitsIn(clauseOf(condition));
}

function limitsIn({ compares, joins, parts }: Clause): readonly Comparison[] {
  if (compares !== null) return [compares];
  return joins === 'all' ? parts.flatMap(limitsIn) : [];
}

function isOf({ subject }: Comparison, path: string): boolean {
  return subject.type === 'field' && subject.path === path && !subject.isBefore;
}

// The sentence of an `on: changed` event of any kind.

/**
 * `treasury USDC 970,030, was 1,090,237`; if the value is text from the chain, the title shows only that it changed.
 * `name`: returns the name of the value at a path.
 */
export function changeSentence(occasion: EventOccasion, name: (path: string) => string): Sentence {
  const { names, view, before, compared } = occasion;
  const path = changedPath(view, before, compared);
  if (path === undefined) return { title: `${name('')} changed`, detail: null, measured: null, lines: [] };
  const now = ownValue(occasion, path);
  const then = before === null ? undefined : ownValue({ names, view: before }, path);
  if (now === undefined || then === undefined)
    return {
      title: `${name(path)} changed`,
      detail: null,
      measured: null,
      lines: textLines(view, before, path),
      shows: [path],
    };
  const limit = occasion.limitOf(path);
  const detail = `${now}${limit === null ? '' : `, ${limit}`}, was ${then}`;
  const lines = lineOf(movedWords(view, before, path));
  return { title: `${name(path)} ${detail}`, detail, measured: now, lines, shows: [path] };
}

function changedPath(view: AnyView, before: AnyView | null, compared: readonly string[]): string | undefined {
  return changedPaths(view, before, compared)[0] ?? compared[0];
}

/** A value that is unknown now has not changed. Values that were known before come first. */
export function changedPaths(
  view: AnyView,
  before: AnyView | null,
  compared: readonly string[],
  valueOf: (one: AnyView, path: string) => Json = encodedAt,
): readonly string[] {
  if (before === null) return [];
  const changes = compared.flatMap((path) => {
    const [now, then] = [valueOf(view, path), valueOf(before, path)];
    return now === null || JSON.stringify(now) === JSON.stringify(then) ? [] : [{ path, isFirst: then === null }];
  });
  return changes.toSorted((a, b) => Number(a.isFirst) - Number(b.isFirst)).map(({ path }) => path);
}

/** `Now "USD Coin". Last poll "USDC".` */
function textLines(view: AnyView, before: AnyView | null, path: string): readonly (readonly Segment[])[] {
  const now = textAt(view, path);
  const then = before === null ? undefined : textAt(before, path);
  const parts = [
    ...(now === undefined ? [] : quotedText('Now', now)),
    ...(now === undefined || then === undefined ? [] : [{ text: ' ' }]),
    ...(then === undefined ? [] : quotedText('Last poll', then)),
  ];
  return parts.length === 0 ? [] : [parts];
}

export function textAt(view: AnyView, path: string): Untrusted | undefined {
  const value = valueAt(view, path);
  return typeAt(recordTypeOf(view), path)?.type === 'text' ? (value as Untrusted | undefined) : undefined;
}

interface PlainWords {
  /** The counted noun: `call`. */
  readonly noun: string;
  readonly thing?: KindWording['thing'];
  /** The paths of the watched value itself, which need no name. */
  readonly main?: readonly string[];
}

/** The wording of a kind without sentences of its own: by the target, and the names of its fields. */
export function plainWording({ noun, thing = thingOf, main = [] }: PlainWords): KindWording {
  const placed = (names: WatchNames, named: string): string =>
    names.place === thing(names) ? named : `${named}${onPlace(names)}`;
  const value: KindWording['value'] = ({ names }, path) =>
    placed(names, path === '' || main.includes(path) ? thing(names) : `${thing(names)} ${showPath(path)}`);
  return {
    thing: (names) => placed(names, thing(names)),
    value,
    items: () => ({ one: noun, noun }),
    event: (occasion) =>
      occasion.on === 'changed'
        ? changeSentence(occasion, (path) => value(occasion, path))
        : {
            title: `${placed(occasion.names, thing(occasion.names))}: ${occasion.on} ${noun}`,
            detail: null,
            measured: null,
            lines: [],
          },
  };
}

/** ` on base` if the rule watches several explorers; else empty. */
export function onPlace({ place }: WatchNames): string {
  return place === null ? '' : ` on ${place}`;
}

function thingOf({ of, token, explorer }: WatchNames): string {
  const named = [of, token].filter((one) => one !== null);
  return named.length === 0 ? explorer : named.join(' ');
}
