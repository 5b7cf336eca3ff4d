// Random signatures with values, encoded by another library, and the same data with mistakes in it.
import { AbiParameters } from 'ox';
import { decodeArguments, type AbiValue } from '../../../src/lib/abi/decode.ts';
import { parseSignature } from '../../../src/lib/abi/signature.ts';
import { canonicalType, type AbiType, type Argument } from '../../../src/lib/abi/types.ts';

export interface RandomCall {
  readonly args: readonly Argument[];
  readonly values: readonly AbiValue[];
  readonly data: Uint8Array;
}

/** A generator of numbers from 0 to below `below`, the same for the same seed. */
export function createDraw(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Draw = ReturnType<typeof createDraw>;

export function randomCall(draw: Draw): RandomCall {
  const args = argumentsOf(draw, 1 + draw(4), 0);
  const values = args.map(({ type }) => valueOf(draw, type));
  const encoded = AbiParameters.encode(
    args.map(parameterOf),
    args.map(({ type }, i) => toOx(type, values[i] ?? 0n)),
  );
  return { args, values, data: Buffer.from(encoded.slice(2), 'hex') };
}

/** The data with a byte, a word or its length changed. */
export function mutated(draw: Draw, data: Uint8Array): Uint8Array {
  const copy = Buffer.from(data);
  switch (draw(4)) {
    case 0:
      if (copy.length > 0) copy[draw(copy.length)] = draw(256);
      return copy;
    case 1:
      if (copy.length >= 32) copy.fill(draw(2) * 255, 32 * draw(copy.length / 32), 32 * draw(copy.length / 32) + 32);
      return copy;
    case 2:
      if (copy.length >= 32) copy.writeUInt32BE(32 * draw(8), 32 * draw(copy.length / 32) + 28);
      return copy;
    default:
      return copy.subarray(0, draw(copy.length + 1));
  }
}

/** The values that the other library reads; null if it refuses the data. */
export function decodedByOx({ args }: RandomCall, data: Uint8Array): readonly AbiValue[] | null {
  try {
    const values = AbiParameters.decode(args.map(parameterOf), data) as readonly unknown[];
    return args.map(({ type }, i) => fromOx(type, values[i]));
  } catch {
    return null;
  }
}

/** The values that this program reads, through the text of a signature. */
export function decodedHere({ args }: RandomCall, data: Uint8Array): readonly AbiValue[] | null {
  const parsed = parseSignature(`f(${args.map(written).join(', ')})`);
  if ('mistake' in parsed) throw new Error(parsed.mistake.message);
  return decodeArguments(parsed.signature.args, data);
}

function written({ name, type }: Argument): string {
  return `${typeText(type)} ${name}`;
}

function typeText(type: AbiType): string {
  if (type.type === 'array') return `${typeText(type.of)}[${type.length ?? ''}]`;
  return type.type === 'tuple' ? `(${type.fields.map(written).join(', ')})` : canonicalType(type);
}

function argumentsOf(draw: Draw, count: number, depth: number): Argument[] {
  return Array.from({ length: count }, (_, i) => ({ name: `a${i}`, type: typeOf(draw, depth) }));
}

function typeOf(draw: Draw, depth: number): AbiType {
  switch (draw(depth > 2 ? 6 : 8)) {
    case 0:
      return { type: 'integer', bits: 8 * (1 + draw(32)), isSigned: draw(2) === 1 };
    case 1:
      return { type: 'address' };
    case 2:
      return { type: 'bool' };
    case 3:
      return { type: 'fixed-bytes', size: 1 + draw(32) };
    case 4:
      return { type: 'bytes' };
    case 5:
      return { type: 'string' };
    case 6:
      return { type: 'array', of: typeOf(draw, depth + 1), length: draw(2) === 0 ? null : 1 + draw(3) };
    default:
      return { type: 'tuple', fields: argumentsOf(draw, 1 + draw(3), depth + 1) };
  }
}

function hexOf(draw: Draw, size: number): string {
  return `0x${Array.from({ length: size }, () => draw(256).toString(16).padStart(2, '0')).join('')}`;
}

function valueOf(draw: Draw, type: AbiType): AbiValue {
  switch (type.type) {
    case 'integer': {
      const value = BigInt(hexOf(draw, 1 + draw(type.bits / 8)));
      return type.isSigned ? BigInt.asIntN(type.bits, value) : value;
    }
    case 'address':
      return hexOf(draw, 20);
    case 'bool':
      return draw(2) === 1;
    case 'fixed-bytes':
      return hexOf(draw, type.size);
    case 'bytes':
      return hexOf(draw, draw(70));
    case 'string':
      return 'añ€ 😀'.repeat(draw(8));
    case 'array':
      return Array.from({ length: type.length ?? draw(4) }, () => valueOf(draw, type.of));
    case 'tuple':
      return type.fields.map((field) => valueOf(draw, field.type));
  }
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly components?: readonly Parameter[];
}

function parameterOf({ name, type }: Argument): Parameter {
  if (type.type === 'array') {
    const item = parameterOf({ name, type: type.of });
    return { ...item, type: `${item.type}[${type.length ?? ''}]` };
  }
  return type.type === 'tuple'
    ? { name, type: 'tuple', components: type.fields.map(parameterOf) }
    : { name, type: canonicalType(type) };
}

function toOx(type: AbiType, value: AbiValue): unknown {
  if (type.type === 'array') return (value as AbiValue[]).map((item) => toOx(type.of, item));
  if (type.type === 'integer' && type.bits <= 48) return Number(value);
  if (type.type !== 'tuple') return value;
  return Object.fromEntries(
    type.fields.map((field, i) => [field.name, toOx(field.type, (value as AbiValue[])[i] ?? 0n)]),
  );
}

function fromOx(type: AbiType, value: unknown): AbiValue {
  if (type.type === 'array') return (value as unknown[]).map((item) => fromOx(type.of, item));
  if (type.type === 'tuple')
    return type.fields.map(({ name, type: of }) => fromOx(of, (value as Record<string, unknown>)[name]));
  if (type.type === 'integer') return BigInt(value as number);
  return type.type === 'address' ? (value as string).toLowerCase() : (value as AbiValue);
}
