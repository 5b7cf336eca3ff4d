// Messages for CEL's type errors, for the person who wrote the condition.
import type { ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { hintFor } from '../../../config/values/nearest.ts';
import { addressComplaint } from '../../../config/values/scalars.ts';
import { Address } from '../../../core/values/address.ts';
import { lowerFirst } from '../../../lib/lower-first.ts';
import type { CelEnvironment } from './environment.ts';
import type { ConditionMistake } from '../mistake.ts';
import { isComparisonOperator } from '../comparison-operators.ts';
import { childrenOf, type Node } from '../syntax.ts';

interface Words {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The mistake of an expression with a type error. */
export function typeMistake(
  cel: CelEnvironment,
  error: ParseError | CelTypeError | undefined,
  { ast, source }: { readonly ast: Node; readonly source: string },
): ConditionMistake {
  const { start, end } = error?.range ?? ast;
  const summary = error?.summary ?? 'the condition is wrong';
  const key = /^No such key: (.+)$/.exec(summary)?.[1];
  if (key !== undefined) return { ...missingField(cel, error, key), start, end };
  const misread = NOT_OF_NUMBERS.test(summary) ? misreadHex(error, source) : undefined;
  return misread ?? { ...typeWords(summary, source.slice(start, end)), start, end };
}

/** `written`: the source of the part with the error. */
function typeWords(summary: string, written: string): Words {
  const overload = /^no such overload: (.+?) (==|!=|<=|>=|<|>|\+|-|\*|\/|%|in) (.+)$/.exec(summary);
  if (overload !== null) {
    const [, left = '', sign = '', right = ''] = overload;
    return noOverload(left, sign, { right, written });
  }
  const unary = /^no such overload: ([!-])(\w.*)$/.exec(summary);
  if (unary !== null) return { message: `${unary[1] ?? ''} does not take ${typeName(unary[2] ?? '')}` };
  const joined = /^Logical operator requires bool operands, got '(.+)'$/.exec(summary)?.[1];
  if (joined !== undefined)
    return { message: `&& and || join what is true or false, not ${typeName(joined)}`, hint: JOIN_HINT };
  const call = /^found no matching overload for '(?:.*\.)?(\w+)\((.*)\)'$/s.exec(summary);
  if (call !== null) {
    const [, name = '', types = ''] = call;
    return {
      message: types === '' ? `${name}() needs a value in its brackets` : `${name}() does not take ${takes(types)}`,
    };
  }
  return { message: withTypes(summary) };
}

const CHAIN_HINT = 'Write one comparison after the other: 1 < x && x < 5.';
const JOIN_HINT = 'Write each comparison out: x == 1 || x == 2, or x in [1, 2].';

/**
 * Finds a hash without quotes, or an address without quotes that has too many or too few digits. CEL reads both as
 * numbers.
 */
function misreadHex(error: ParseError | CelTypeError | undefined, source: string): ConditionMistake | undefined {
  const node = error?.node as Node | undefined;
  const sides = node === undefined ? [] : childrenOf(node);
  for (const side of sides.flatMap((one) => [one, ...childrenOf(one)])) {
    const { start, end } = side;
    const written = source.slice(start, end).trim();
    if (!/^0x[0-9a-fA-F]+$/.test(written) || Address.parse(written) !== undefined) continue;
    if (written.length === HASH_LENGTH) return { message: 'a hash is written in quotes', start, end };
    return { message: addressComplaint(written), start, end };
  }
  return undefined;
}

const NOT_OF_NUMBERS = /Address|Record|Hash/;
const HASH_LENGTH = 66;

function takes(types: string): string {
  return types.split(', ').map(typeName).join(' and ');
}

function missingField(cel: CelEnvironment, error: ParseError | CelTypeError | undefined, key: string): Words {
  const owner = (error?.node as { args?: [Node] } | undefined)?.args?.[0].checkedType?.name ?? '';
  const table = cel.records.get(owner);
  if (table === undefined) return { message: `${typeName(owner)} has no field "${key}"` };
  return { message: `${table.name} has no field "${key}"`, hint: hintFor(key, Object.keys(table.fields)) };
}

function noOverload(left: string, sign: string, { right, written }: { right: string; written: string }): Words {
  const types = [left, right];
  const message = isComparisonOperator(sign)
    ? `${typeName(left)} cannot be compared with ${typeName(right)}`
    : sign === 'in'
      ? `${typeName(left)} cannot be in ${typeName(right)}`
      : `${typeName(left)} ${sign} ${typeName(right)} is not possible`;
  const isChain = isComparisonOperator(sign) && left === 'bool' && right === 'Amount';
  return { message, hint: isChain ? CHAIN_HINT : (hintForList(sign, right) ?? hintForTypes(types, written)) };
}

function hintForList(sign: string, right: string): string | undefined {
  const isList = right.startsWith('list<');
  if ((sign === '==' || sign === '!=') && isList) return 'Write in, for one of a list.';
  return sign === 'in' && !isList ? 'Behind in stands a list or a group, such as ["ok", "error"].' : undefined;
}

/** `written`: the source of the comparison. */
function hintForTypes(types: readonly string[], written: string): string | undefined {
  const isQuoted = /["']/.test(written);
  if (types.includes('null')) return 'Ask with has(x), or !has(x).';
  if (types.includes(DURATION)) return 'A duration is written duration("90s").';
  if (types.includes(TIMESTAMP)) return 'A time is written timestamp("2026-01-31T00:00:00Z").';
  if (types.some((type) => type.startsWith('Record'))) return 'Name one of its fields.';
  if (isQuoted && types.includes('Amount') && types.includes('string')) return 'Numbers are written without quotes.';
  if (types.includes('Amount') && types.includes('string') && /[<>=]/.test(written))
    return 'A text is compared with a text in quotes, or by glob(x, "a*") and re(x, "[0-9]+").';
  if (isQuoted && types.includes('bool') && types.includes('string'))
    return 'true and false are written without quotes.';
  return undefined;
}

const DURATION = 'google.protobuf.Duration';
const TIMESTAMP = 'google.protobuf.Timestamp';

/** `Amount` is "a number" in messages. */
export function typeName(type: string): string {
  const list = /^list<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) return `a list (${typeName(list)} each)`;
  if (type.startsWith('Record')) return `a record (${type.slice('Record'.length)})`;
  return TYPE_NAMES[type] ?? type;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  Amount: 'a number',
  int: 'a number',
  double: 'a number',
  uint: 'a number',
  string: 'a text',
  bool: 'true or false',
  Address: 'an address',
  Hash: 'a hash',
  Pattern: 'a pattern',
  [DURATION]: 'a duration',
  [TIMESTAMP]: 'a time',
  null: 'null',
  type: 'a type',
  dyn: 'free-form data',
};

function withTypes(summary: string): string {
  return lowerFirst(summary.replace(/'([^']+)'/g, (_all, type: string) => typeName(type)));
}
