// Quoted literals in a condition, checked once when the rule is loaded.
import { RE2JS } from 're2js';
import { addressComplaint, NAME, quote } from '../../../config/values/scalars.ts';
import { Address } from '../../../core/values/address.ts';
import { Amount } from '../../../core/values/amount.ts';
import type { ConditionMistake } from '../mistake.ts';
import { namesOf } from './paths.ts';
import { LARGEST_PATTERN } from '../cel/limits.ts';
import { percentOf } from '../cel/numbers.ts';
import { childrenOf, isAccess, isBinary, isName, isText, type Node } from '../syntax.ts';

/** A quoted text that a function takes. `hint` is for a text that the function does not accept. */
export interface Literal {
  readonly test: (text: string) => boolean;
  readonly example: string;
  readonly hint?: (text: string) => string | undefined;
}

/** The literals by the name of their function. */
export const LITERALS: Readonly<Record<string, Literal>> = {
  amount: { test: (text) => Amount.parse(text) !== undefined, example: '1.5' },
  percent: { test: (text) => percentOf(text) !== undefined, example: '5' },
  duration: {
    test: (text) => /^-?(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text),
    example: '90s',
    hint: (text) =>
      /^\d+d$/.test(text) ? `Days are written in hours: duration("${Number(text.slice(0, -1)) * 24}h").` : undefined,
  },
  timestamp: {
    test: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      isInItsMonth(text),
    example: '2026-01-31T00:00:00Z',
  },
};

/**
 * The number of a quoted literal. Times and durations are in seconds, so that they can be added:
 * `literalNumber('percent', '5') // 0.05`. Undefined for other functions, and for a text that they do not accept.
 */
export function literalNumber(name: string, text: string): Amount | undefined {
  return Object.hasOwn(NUMBERS, name) ? NUMBERS[name]?.(text) : undefined;
}

const NUMBERS: Readonly<Record<string, (text: string) => Amount | undefined>> = {
  amount: (text) => Amount.parse(text),
  percent: (text) => percentOf(text),
  duration(text) {
    let seconds = ZERO;
    for (const [, count = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
      const part = Amount.parse(count)?.times(UNIT_SECONDS[unit] ?? ZERO);
      if (part === undefined) return undefined;
      seconds = seconds.plus(part);
    }
    return text.startsWith('-') ? seconds.negated() : seconds;
  },
  timestamp(text) {
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : new Amount(BigInt(ms), 3);
  },
};

const ZERO = new Amount(0n, 0);
const UNIT_SECONDS: Readonly<Record<string, Amount>> = {
  h: new Amount(3600n, 0),
  m: new Amount(60n, 0),
  s: new Amount(1n, 0),
  ms: new Amount(1n, 3),
};

/** False for dates such as February 30, which JavaScript reads as a day in March. */
function isInItsMonth(text: string): boolean {
  const midnight = `${text.slice(0, 10)}T00:00:00Z`;
  return new Date(midnight).toISOString().startsWith(text.slice(0, 10));
}

type CompiledPattern = { readonly pattern: RE2JS } | { readonly message: string; readonly hint: string };

/** The pattern of `re()` or `glob()`, or its mistake. */
export function compilePattern(name: string, written: string): CompiledPattern {
  try {
    const pattern = name === 're' ? RE2JS.compile(written) : globPattern(written);
    if (pattern.programSize() <= LARGEST_PATTERN) return { pattern };
    return { message: 'the pattern is too large', hint: 'Repeat less often, as in {1,20} instead of {1,500}.' };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    return { message: `no regular expression: ${why}`, hint: 'Look-around and back references do not exist here.' };
  }
}

/** `*` stands for any text, `?` for one character; the whole text has to match. */
function globPattern(glob: string): RE2JS {
  const body = glob.replace(/[*?]|[^*?]+/g, (part) => (part === '*' ? '.*' : part === '?' ? '.' : RE2JS.quote(part)));
  return RE2JS.compile(`(?s)^${body}$`);
}

/** Reports empty lists, as in `x in []`. CEL has no type for an empty list, and no value is ever in it. */
export function emptyLists(node: Node): ConditionMistake[] {
  const mistakes = childrenOf(node).flatMap(emptyLists);
  if (node.op !== 'list' || childrenOf(node).length > 0) return mistakes;
  const { start, end } = node;
  return [...mistakes, { message: 'nothing is in an empty list', hint: 'Name what may be in it.', start, end }];
}

/** Comparisons of texts and addresses that can never be equal. */
export function literalMistakes(node: Node): ConditionMistake[] {
  const mistakes = childrenOf(node).flatMap(literalMistakes);
  if (!isBinary(node) || !['==', '!=', 'in'].includes(node.op)) return mistakes;
  const [left, right] = node.args;
  const texts = (on: Node): Node[] => (isText(on) ? [on] : on.op === 'list' ? childrenOf(on).filter(isText) : []);
  const pairs = [
    ...texts(right).map((one) => [left, one] as const),
    ...texts(left).map((one) => [right, one] as const),
  ];
  for (const [other, one] of pairs) {
    const complaint = complaintAbout(String(one.args), other);
    const isNamed = NAME.test(String(one.args)) && other.checkedType?.name !== 'Hash';
    const hint = isNamed ? `A name of the config stands without quotes: ${String(one.args)}.` : undefined;
    if (complaint !== undefined) mistakes.push({ message: complaint, hint, start: one.start, end: one.end });
  }
  return [...mistakes, ...addressesForTexts(left, right), ...addressesForTexts(right, left)];
}

/**
 * Reports comparisons such as `symbol == USDC`: a name of the config is an address, and no symbol equals an address.
 */
function addressesForTexts(field: Node, other: Node): ConditionMistake[] {
  const name = isAccess(field) ? field.args[1] : isName(field) ? field.args : undefined;
  if (name === undefined || name === MAY_BE_ADDRESS || field.checkedType?.name !== 'string') return [];
  const addresses = [other, ...(other.op === 'list' ? childrenOf(other) : [])].filter(
    (one) => one.checkedType?.name === 'Address',
  );
  return addresses.map((one) => ({
    message: `${quote(name)} is a text, and this is an address`,
    hint: isName(one) ? `Write "${one.args}" in quotes, or compare an address.` : 'Compare an address.',
    start: one.start,
    end: one.end,
  }));
}

/** Fields of this name have any text that a contract chose, which may be an address. */
const MAY_BE_ADDRESS = 'value';

function complaintAbout(text: string, other: Node): string | undefined {
  const type = other.checkedType?.name ?? '';
  if (type === 'Address' || type.startsWith('Record'))
    return Address.parse(text) === undefined ? addressComplaint(text) : undefined;
  return type === 'Hash' ? hashComplaint(text, namesOf(other) ?? []) : undefined;
}

/** Arguments of calls have types such as `bytes4`, which are shorter than a hash. */
function hashComplaint(text: string, names: readonly string[]): string | undefined {
  if (names.at(-1) === 'selector')
    return /^0x[0-9a-fA-F]{8}$/.test(text)
      ? undefined
      : `${quote(text)} is no selector: a selector is 0x and 8 hexadecimal digits`;
  if (names.includes('args') && /^0x(?:[0-9a-fA-F]{2}){1,32}$/.test(text)) return undefined;
  return /^0x[0-9a-fA-F]{64}$/.test(text)
    ? undefined
    : `${quote(text)} is no hash: a hash is 0x and 64 hexadecimal digits`;
}
