import { describe, expect, test } from '@jest/globals';
import { decodeArguments, type AbiValue } from '../../../src/lib/abi/decode.ts';
import { parseSignature } from '../../../src/lib/abi/signature.ts';
import { createDraw, decodedByOx, decodedHere, mutated, randomCall } from './random-calls.ts';

const WORD = 32;

function word(value: bigint | number): string {
  return BigInt(value).toString(16).padStart(64, '0');
}

function decoded(signature: string, ...words: readonly string[]): readonly AbiValue[] | null {
  const parsed = parseSignature(signature);
  if ('mistake' in parsed) throw new Error(parsed.mistake.message);
  return decodeArguments(parsed.signature.args, Buffer.from(words.join(''), 'hex'));
}

test('random calls read as another library encoded them', () => {
  const draw = createDraw(1);
  for (let i = 0; i < 2000; i += 1) {
    const call = randomCall(draw);
    expect(decodedHere(call, call.data)).toEqual(call.values);
  }
});

test('data with mistakes reads as another library reads it, or not at all', () => {
  const draw = createDraw(2);
  for (let i = 0; i < 2000; i += 1) {
    const call = randomCall(draw);
    const data = mutated(draw, call.data);
    const [here, there] = [decodedHere(call, data), decodedByOx(call, data)];
    if (here !== null && there !== null) expect(here).toEqual(there);
  }
});

describe('values that no type can have are refused', () => {
  test.each([
    ['f(address a)', word(1n << 160n)],
    ['f(uint8 a)', word(300)],
    ['f(int8 a)', word(200)],
    ['f(bool a)', word(2)],
    ['f(bytes4 a)', word(1)],
    ['f(uint256 a)', 'ff'],
    ['f(string a)', word(32), word((1n << 256n) - 1n)],
    ['f(uint256[] a)', word(32), word(1n << 255n)],
    ['f(bytes a)', word(1n << 200n)],
    ['f(bytes a)', word(32), word(1), 'ff'.padEnd(62, '0') + '01'],
  ])('%s', (signature, ...words) => {
    expect(decoded(signature, ...words)).toBeNull();
  });
});

test('two arguments may share their bytes, and bytes may follow', () => {
  const text = [word(1), 'ff'.padEnd(64, '0')];
  expect(decoded('f(bytes a, bytes b)', word(64), word(64), ...text, '0102')).toEqual(['0xff', '0xff']);
});

test('the last word of a text need not be full, as contracts accept it', () => {
  expect(decoded('f(bytes a)', word(32), word(1), 'ff')).toEqual(['0xff']);
  expect(decoded('f(bytes4 a)', 'ffffffff')).toBeNull();
});

test('a text keeps a byte order mark, so that no two texts look equal', () => {
  const mark = 'efbbbf61'.padEnd(64, '0');
  expect(decoded('f(string a)', word(32), word(4), mark)).toEqual(['\uFEFFa']);
});

test('a list whose items all lead to one text is refused before it takes memory', () => {
  for (const count of [1000, 4000]) {
    const text = 1000;
    const pointers = Array.from({ length: count }, () => word(count * WORD));
    const data = [word(32), word(count), ...pointers, word(text), 'aa'.repeat(1024)];
    expect(decoded('f(bytes[] a)', ...data)).toBeNull();
  }
});

test('a call has at most 4,096 values, and data at most 64 kB', () => {
  const list = (count: number): readonly string[] => [word(32), word(count), '00'.repeat(count * WORD)];
  expect(decoded('f(uint256[] a)', ...list(2000))?.[0]).toHaveLength(2000);
  expect(decoded('f((((uint8 x) a) b)[] a)', ...list(1000))?.[0]).toHaveLength(1000);
  expect(decoded('f((((uint8 x) a) b)[] a)', ...list(1030))).toBeNull();
  expect(decoded('f(uint8 a)', word(1), '00'.repeat(65_536))).toBeNull();
});
