// The call data of a transaction: which function it calls, and with which arguments.
import { decodeArguments, LARGEST_DATA, type AbiValue } from '../../lib/abi/decode.ts';
import type { Argument } from '../../lib/abi/types.ts';
import { isRow, type RawRow } from '../values/fields.ts';
import { toldArguments } from './told-arguments.ts';

/** The selector of a creation or of a plain transfer: it calls no function. */
export const NO_SELECTOR = '0x';

const SELECTOR = /^0x[0-9a-f]{8}/i;
const EMPTY = /^0x(?:[0-9a-f]{2}){0,3}$/i;

/**
 * The first four bytes of the input in lower case; `0x` if the transaction calls no function; undefined: unknown. The
 * input of a creation is code.
 */
export function selectorIn(row: RawRow): string | undefined {
  if (isCreation(row)) return NO_SELECTOR;
  const { raw_input: input, decoded_input: decoded } = row;
  if (typeof input === 'string') return EMPTY.test(input) ? NO_SELECTOR : SELECTOR.exec(input)?.[0].toLowerCase();
  const id = isRow(decoded) && typeof decoded['method_id'] === 'string' ? decoded['method_id'] : '';
  return SELECTOR.exec(id.startsWith('0x') ? id : `0x${id}`)?.[0].toLowerCase();
}

function isCreation(row: RawRow): boolean {
  return row['to'] === null || (row['to'] === undefined && isRow(row['created_contract']));
}

/** The values of the arguments, in order; null if they are unknown or do not fit. */
export function argumentsIn(row: RawRow, args: readonly Argument[]): readonly AbiValue[] | null {
  const { raw_input: input, decoded_input: decoded } = row;
  if (typeof input !== 'string') return isRow(decoded) ? toldArguments(decoded['parameters'], args) : null;
  const digits = input.slice(2 + 8);
  if (digits.length > LARGEST_DATA * 2 || digits.length % 2 === 1 || /[^0-9a-f]/i.test(digits)) return null;
  return decodeArguments(args, Buffer.from(digits, 'hex'));
}
