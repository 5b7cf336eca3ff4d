// Writes the arguments of a call as contracts expect them.
import type { AbiValue } from './decode.ts';
import { selectorOf, type Signature } from './signature.ts';
import { isDynamic, type AbiType } from './types.ts';

const WORD_DIGITS = 64;

/** The data of a call: the selector with the arguments. */
export function encodeCall(signature: Signature, values: readonly AbiValue[]): string {
  return (
    selectorOf(signature) +
    encodeArguments(
      signature.args.map(({ type }) => type),
      values,
    )
  );
}

/** Hexadecimal digits without 0x: fixed values and pointers first, then the values that the pointers lead to. */
export function encodeArguments(types: readonly AbiType[], values: readonly AbiValue[]): string {
  const parts = types.map((type, i) => ({ isBehind: isDynamic(type), digits: encoded(type, values[i]) }));
  let at = parts.reduce((sum, { isBehind, digits }) => sum + (isBehind ? WORD_DIGITS : digits.length), 0) / 2;
  const heads = parts.map(({ isBehind, digits }) => {
    if (!isBehind) return digits;
    const pointer = word(BigInt(at));
    at += digits.length / 2;
    return pointer;
  });
  return [...heads, ...parts.filter(({ isBehind }) => isBehind).map(({ digits }) => digits)].join('');
}

/** Throws `TypeError` for a value that its type cannot have. */
function encoded(type: AbiType, value: AbiValue | undefined): string {
  if (typeof value === 'bigint') return word(BigInt.asUintN(256, value));
  if (typeof value === 'boolean') return word(value ? 1n : 0n);
  if (typeof value === 'string') return encodedText(type, value);
  if (value !== undefined && type.type === 'tuple')
    return encodeArguments(
      type.fields.map((field) => field.type),
      value,
    );
  if (value === undefined || type.type !== 'array') throw new TypeError(`not a value of ${type.type}`);
  const count = type.length === null ? word(BigInt(value.length)) : '';
  return (
    count +
    encodeArguments(
      value.map(() => type.of),
      value,
    )
  );
}

function encodedText(type: AbiType, text: string): string {
  if (type.type === 'string') return withLength(Buffer.from(text, 'utf8').toString('hex'));
  const digits = text.slice(2).toLowerCase();
  if (type.type === 'bytes') return withLength(digits);
  return type.type === 'address' ? digits.padStart(WORD_DIGITS, '0') : digits.padEnd(WORD_DIGITS, '0');
}

function withLength(digits: string): string {
  return word(BigInt(digits.length / 2)) + digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD_DIGITS, '0');
}
