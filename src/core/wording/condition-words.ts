// A condition on items in words, as part of their name: `failed vault calls with value above 5`. Two conditions with
// different meanings never have the same words, so words that could be read in two ways are not used.
import type { Clause, Comparison, Condition, Equality } from '../model/watch/condition.ts';
import type { WatchNames } from '../model/watch/wording.ts';
import { Address } from '../values/address.ts';
import { Amount, formatAmount } from '../values/amount.ts';
import { type AnyRecord, isDollars, typeAt } from '../values/fields.ts';
import { clauseOf, OPERATOR_WORDS } from './values.ts';
import { showPath } from './words.ts';

export interface ConditionWords {
  /** Before the noun: `failed `; else empty. */
  readonly before: string;
  /** Behind the noun: ` with value above 5`; else empty. */
  readonly behind: string;
}

const MOST_CHARACTERS = 60;

/** Null if the condition has no words, or too many. */
export function conditionWords(condition: Condition, fields: AnyRecord, names: WatchNames): ConditionWords | null {
  const words = partsOf(clauseOf(condition)).map((part) => wordsOf(part, fields, names));
  if (!words.every((word) => word !== null)) return null;
  const outcomes = words.flatMap((word) => ('before' in word ? [`${word.before} `] : []));
  const functions = words.flatMap((word) => ('called' in word ? [`${word.called} `] : []));
  const before = [...outcomes, ...functions].join('');
  const behind = words.flatMap((word) => ('behind' in word ? [word.behind] : [])).join(' and ');
  if (before.length + behind.length > MOST_CHARACTERS) return null;
  return { before, behind: behind === '' ? '' : ` ${behind}` };
}

type Word = { readonly before: string } | { readonly called: string } | { readonly behind: string };

function partsOf(clause: Clause): readonly Clause[] {
  return clause.joins === 'all' ? clause.parts.flatMap(partsOf) : [clause];
}

function wordsOf({ joins, parts, compares, equals }: Clause, fields: AnyRecord, names: WatchNames): Word | null {
  if (compares !== null) return comparedWords(compares, fields);
  if (equals !== null) return equalWords(equals, fields, names);
  const [inner] = parts;
  if (joins !== 'not' || inner?.equals === undefined || inner.equals === null || !('is' in inner.equals.value))
    return null;
  return equalWords({ ...inner.equals, isNegated: !inner.equals.isNegated }, fields, names);
}

function comparedWords({ subject, operator, bound }: Comparison, fields: AnyRecord): Word | null {
  if (subject.type === 'window' || subject.isBefore) return null;
  const { path } = subject;
  const number = typeAt(fields, path)?.type === 'duration' ? secondsOf(bound) : formatAmount(bound);
  const unit = isDollars(fields, path) ? '$' : '';
  return { behind: `with ${showPath(path)} ${OPERATOR_WORDS[operator]} ${unit}${number}` };
}

/** Exact, unlike `showSpan`. */
function secondsOf({ digits, scale }: Amount): string {
  return `${formatAmount(new Amount(digits, scale + 3))} s`;
}

function equalWords({ path, value, isNegated }: Equality, fields: AnyRecord, names: WatchNames): Word | null {
  if ('is' in value) {
    const is = value.is !== isNegated;
    if (path === 'success') return { before: is ? 'successful' : 'failed' };
    return { behind: `with ${showPath(path)} ${is ? 'yes' : 'no'}` };
  }
  const isAddress = typeAt(fields, path)?.type === 'address';
  if ('text' in value && !isAddress) return textWords(path, value.text, isNegated);
  const name = 'name' in value ? value.name : nameOf(value.text, names);
  if (name === null || isNegated || !isAddress) return null;
  const field = path.replace(/\.(?:address_)?hash$/, '');
  return { behind: `${field === 'from' || field === 'to' ? field : `with ${showPath(field)}`} ${name}` };
}

function nameOf(text: string, names: WatchNames): string | null {
  const address = Address.parse(text);
  return address === undefined ? null : names.known(address);
}

/** `failed`, `successful`; null for a value that is no outcome. */
export function outcomeWords(path: string, value: string | undefined): string | null {
  return value === undefined ? null : (OUTCOMES.get(`${path} ${value}`) ?? null);
}

const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['status error', 'failed'],
  ['status ok', 'successful'],
  ['success no', 'failed'],
  ['success yes', 'successful'],
]);

/** A function may have such a name, too. */
function isOutcome(text: string): boolean {
  return [...OUTCOMES.values()].includes(text);
}

/** A text with other characters than these could be read as more than one word. */
const ONE_WORD = /^[\w.:-]+$/;

/** A function or an event stands before the noun: `3 deposit transactions`. */
const NAMED_BEFORE: readonly string[] = ['called', 'event'];

function textWords(path: string, text: string, isNegated: boolean): Word | null {
  const outcome = isNegated ? null : outcomeWords(path, text);
  if (outcome !== null) return { before: outcome };
  if (!ONE_WORD.test(text)) return null;
  if (NAMED_BEFORE.includes(path) && !isNegated) return isOutcome(text) ? null : { called: text };
  if (path === 'method' && !isNegated) return { behind: `that the explorer names ${text}` };
  return { behind: `with ${showPath(path)} ${isNegated ? 'not ' : ''}${text}` };
}
