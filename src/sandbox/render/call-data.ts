// The call data of a transaction, encoded as contracts expect it.
import type { AbiValue } from '../../lib/abi/decode.ts';
import { encodeArguments } from '../../lib/abi/encode.ts';
import { parseSignature } from '../../lib/abi/signature.ts';
import type { AbiType } from '../../lib/abi/types.ts';
import type { Method, Transaction } from '../chain/transaction.ts';

/** The input: code for a creation, else the selector with the arguments. */
export function rawInput({ input, method, parameters, created }: Transaction): string {
  if (input !== null) return input;
  if (created !== null) return `0x6080604052${created.slice(2)}`;
  return method === null ? '0x' : callData(method, parameters);
}

/** The selector of a method with its arguments. */
export function callData(method: Method, parameters: readonly string[]): string {
  const parsed = parseSignature(method.call);
  if ('mistake' in parsed) throw new TypeError(`${method.call}: ${parsed.mistake.message}`);
  const types = parsed.signature.args.map(({ type }) => type);
  return method.id + encodeValues(types, parameters.slice(0, types.length));
}

/** The values as the chain of the sandbox has them: digits, hexadecimal digits, or lists of them as JSON. */
export function encodeValues(types: readonly AbiType[], values: readonly string[]): string {
  return encodeArguments(
    types,
    types.map((type, i) => valueOf(type, values[i] ?? '')),
  );
}

function valueOf(type: AbiType, text: string): AbiValue {
  switch (type.type) {
    case 'array': {
      const items = JSON.parse(text === '' ? '[]' : text) as readonly string[];
      return items.map((item) => valueOf(type.of, item));
    }
    case 'bytes':
      return prefixed(text);
    case 'fixed-bytes':
      return prefixed(text).slice(0, 2 + type.size * 2);
    case 'string':
      return text;
    default:
      return /^(?:true|false)$/.test(text) ? text === 'true' : BigInt(text === '' ? 0 : text);
  }
}

function prefixed(digits: string): string {
  return digits.startsWith('0x') ? digits : `0x${digits}`;
}
