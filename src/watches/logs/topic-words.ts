// Values of indexed arguments as topics: words of 32 bytes.
import { Address } from '../../core/values/address.ts';
import type { ValueAt } from '../../core/values/fields.ts';
import type { AbiType } from '../../lib/abi/types.ts';

const DIGITS = 64;
const INTEGER = /^-?\d{1,78}$|^-?\d{1,3}(?:_\d{3}){1,25}$/;

/** The topic of a value that a rule writes; null if the text is no value of the type. */
export function wordOfText(type: AbiType, text: string): string | null {
  switch (type.type) {
    case 'address': {
      const address = Address.parse(text);
      return address === undefined ? null : wordOf(address);
    }
    case 'bool':
      return text === 'true' || text === 'false' ? wordOf(text === 'true') : null;
    case 'integer':
      return INTEGER.test(text) ? integerWord(type, BigInt(text.replaceAll('_', ''))) : null;
    case 'fixed-bytes':
      return new RegExp(`^0x[0-9a-fA-F]{${type.size * 2}}$`).test(text) ? wordOf(text.toLowerCase()) : null;
    default:
      return null;
  }
}

function integerWord({ bits, isSigned }: Extract<AbiType, { type: 'integer' }>, value: bigint): string | null {
  const narrow = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  return narrow === value ? wordOf(value) : null;
}

/** The topic of a value that was read; null for lists, records and texts. */
export function wordOf(value: ValueAt): string | null {
  if (value instanceof Address) return `0x${value.key.slice(2).padStart(DIGITS, '0')}`;
  if (typeof value === 'boolean') return wordOf(value ? 1n : 0n);
  if (typeof value === 'bigint') return `0x${BigInt.asUintN(256, value).toString(16).padStart(DIGITS, '0')}`;
  return typeof value === 'string' ? `0x${value.slice(2).padEnd(DIGITS, '0')}` : null;
}
