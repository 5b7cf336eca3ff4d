// Reads the arguments of a call from its data. The data comes from strangers: pointers may lead anywhere, many pointers
// may lead to one text, and lengths may be near 2^256. So all reads together and the number of values are limited, and
// every value must be one that its type can have.
import { isDynamic, type AbiType, type Argument } from './types.ts';

/** Integers are bigint; addresses and bytes are hexadecimal text; a tuple has its values in order. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[];

/** The values of a list or a tuple; empty for other values. */
export function itemsOf(value: AbiValue | undefined): readonly AbiValue[] {
  return typeof value === 'object' ? value : [];
}

export const LARGEST_DATA = 65_536;
export const MOST_VALUES = 4096;
export const DEEPEST = 8;
/** All reads together have at most this many times the length of the data. */
const MOST_READS = 4;
const WORD = 32;

/**
 * The values of the arguments, in order; null if the data does not fit them. Bytes behind the arguments are ignored, as
 * contracts ignore them.
 */
export function decodeArguments(args: readonly Argument[], data: Uint8Array): readonly AbiValue[] | null {
  return decode(data, (reader) => reader.tuple(args, 0, 0));
}

/** Like `decodeArguments`, but null if there are bytes behind the arguments: events have none. */
export function decodeExactly(args: readonly Argument[], data: Uint8Array): readonly AbiValue[] | null {
  return decode(data, (reader) => {
    const values = reader.tuple(args, 0, 0);
    return reader.end < data.length ? misfit() : values;
  });
}

function decode(data: Uint8Array, read: (reader: Reader) => readonly AbiValue[]): readonly AbiValue[] | null {
  if (data.length > LARGEST_DATA) return null;
  try {
    return read(new Reader(data));
  } catch (error) {
    if (error instanceof Misfit) return null;
    throw error;
  }
}

class Misfit extends Error {}

function misfit(): never {
  throw new Misfit();
}

class Reader {
  readonly #data: Uint8Array;
  #readsLeft: number;
  #valuesLeft = MOST_VALUES;
  /** The end of the highest bytes that were read. */
  end = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#readsLeft = data.length * MOST_READS;
  }

  /** `start`: where the fixed part of the tuple begins. Its pointers count from there. */
  tuple(fields: readonly Argument[], start: number, depth: number): readonly AbiValue[] {
    return this.#sequence(
      fields.map(({ type }) => type),
      start,
      depth,
    );
  }

  #sequence(types: readonly AbiType[], start: number, depth: number): readonly AbiValue[] {
    if (depth > DEEPEST) misfit();
    let at = start;
    return types.map((type) => {
      const place = isDynamic(type) ? start + this.#size(at) : at;
      at += headSize(type);
      return this.#value(type, place, depth);
    });
  }

  #value(type: AbiType, at: number, depth: number): AbiValue {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) misfit();
    switch (type.type) {
      case 'integer':
        return this.#integer(type, at);
      case 'address':
        return toHex(this.#padded(at, WORD - 20));
      case 'bool':
        return this.#bool(at);
      case 'fixed-bytes':
        return toHex(this.#fixedBytes(at, type.size));
      case 'bytes':
        return toHex(this.#bytes(at));
      case 'string':
        return utf8.decode(this.#bytes(at));
      case 'array':
        return this.#array(type, at, depth);
      case 'tuple':
        return this.tuple(type.fields, at, depth + 1);
    }
  }

  #integer({ bits, isSigned }: Extract<AbiType, { type: 'integer' }>, at: number): bigint {
    const word = BigInt(toHex(this.#read(at, WORD)));
    const value = isSigned ? BigInt.asIntN(256, word) : word;
    const narrow = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
    return narrow === value ? value : misfit();
  }

  #bool(at: number): boolean {
    const [last = 0] = this.#padded(at, WORD - 1);
    return last > 1 ? misfit() : last === 1;
  }

  #array({ of, length }: Extract<AbiType, { type: 'array' }>, at: number, depth: number): readonly AbiValue[] {
    const count = length ?? this.#size(at);
    const start = length === null ? at + WORD : at;
    // Checked before the list is made, since the length comes from a stranger.
    if (count > this.#valuesLeft || start + count * headSize(of) > this.#data.length) misfit();
    return this.#sequence(
      Array.from({ length: count }, () => of),
      start,
      depth + 1,
    );
  }

  #bytes(at: number): Uint8Array {
    const length = this.#size(at);
    const bytes = this.#read(at + WORD, length);
    const end = at + WORD + Math.ceil(length / WORD) * WORD;
    this.end = Math.max(this.end, end);
    // Contracts also accept data that ends before the last word is full.
    return isZero(this.#data.subarray(at + WORD + length, end)) ? bytes : misfit();
  }

  #fixedBytes(at: number, size: number): Uint8Array {
    const word = this.#read(at, WORD);
    return isZero(word.subarray(size)) ? word.subarray(0, size) : misfit();
  }

  /** A length or a pointer. Neither may be larger than the data. */
  #size(at: number): number {
    const size = BigInt(toHex(this.#read(at, WORD)));
    return size > BigInt(this.#data.length) ? misfit() : Number(size);
  }

  /** The end of a word, from `from` on. The bytes before it are zero. */
  #padded(at: number, from: number): Uint8Array {
    const word = this.#read(at, WORD);
    return isZero(word.subarray(0, from)) ? word.subarray(from) : misfit();
  }

  #read(at: number, length: number): Uint8Array {
    this.#readsLeft -= length;
    if (this.#readsLeft < 0 || at + length > this.#data.length) misfit();
    this.end = Math.max(this.end, at + length);
    return this.#data.subarray(at, at + length);
  }
}

/** The number of bytes of a value in the fixed part of its arguments. */
function headSize(type: AbiType): number {
  if (isDynamic(type)) return WORD;
  if (type.type === 'array') return (type.length ?? 0) * headSize(type.of);
  return type.type === 'tuple' ? type.fields.reduce((sum, field) => sum + headSize(field.type), 0) : WORD;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}
