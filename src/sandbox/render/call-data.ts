// The call data of a transaction, encoded as contracts expect it.
import { parseSignature } from '../../lib/abi/signature.ts';
import { isDynamic, type AbiType } from '../../lib/abi/types.ts';
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

/** Fixed values and pointers first, then the values that the pointers lead to. */
export function encodeValues(types: readonly AbiType[], values: readonly string[]): string {
  const parts = types.map((type, i) => ({ isBehind: isDynamic(type), hex: encode(type, values[i] ?? '') }));
  let at = parts.reduce((sum, { isBehind, hex }) => sum + (isBehind ? 64 : hex.length), 0) / 2;
  const heads = parts.map(({ isBehind, hex }) => {
    if (!isBehind) return hex;
    const pointer = word(BigInt(at));
    at += hex.length / 2;
    return pointer;
  });
  return [...heads, ...parts.filter(({ isBehind }) => isBehind).map(({ hex }) => hex)].join('');
}

/** `text`: digits, hexadecimal digits, or a list of them as JSON. */
function encode(type: AbiType, text: string): string {
  if (type.type === 'array') {
    const items = JSON.parse(text === '' ? '[]' : text) as readonly string[];
    return (
      word(BigInt(items.length)) +
      encodeValues(
        items.map(() => type.of),
        items,
      )
    );
  }
  if (type.type === 'bytes') {
    const digits = text.replace(/^0x/, '');
    return word(BigInt(digits.length / 2)) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0');
  }
  if (type.type === 'string') return encode({ type: 'bytes' }, Buffer.from(text, 'utf8').toString('hex'));
  if (type.type === 'bool' && /^(?:true|false)$/.test(text)) return word(text === 'true' ? 1n : 0n);
  if (type.type === 'integer' && text.startsWith('-')) return word(BigInt.asUintN(256, BigInt(text)));
  if (type.type === 'fixed-bytes')
    return text
      .replace(/^0x/, '')
      .slice(0, type.size * 2)
      .padEnd(64, '0')
      .toLowerCase();
  return word(BigInt(text === '' ? 0 : text));
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
