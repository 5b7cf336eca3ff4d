import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../../../src/explorer/http/body.ts';

const BIG = '12345678901234567890';

test.each([
  [`{"a":${BIG}}`, { a: BIG }],
  [`{"a":-${BIG},"b":[${BIG}]}`, { a: `-${BIG}`, b: [BIG] }],
  [`{"a": ${BIG}}`, { a: BIG }],
  [`{"a":9007199254740991,"b":9007199254740993}`, { a: 9007199254740991, b: '9007199254740993' }],
  [`{"a":":${BIG},","b":${BIG}}`, { a: `:${BIG},`, b: BIG }],
  [`{"a":"\\":${BIG},","b":${BIG}}`, { a: `":${BIG},`, b: BIG }],
  [`{"a\\\\":${BIG}}`, { 'a\\': BIG }],
  [`[":${BIG}]"]`, [`:${BIG}]`]],
  [`null`, null],
])('numbers that lose digits are exact text, and texts stay as they are: %s', (json, value) => {
  expect(parseJson(Buffer.from(json))).toEqual(value);
});

test('what is not JSON is not made into it', () => {
  for (const json of [`{"a":0${BIG}}`, `{"a":${BIG}`, `{"a":":${BIG},}`])
    expect(() => parseJson(Buffer.from(json))).toThrow(SyntaxError);
});

test('whatever texts stand beside it, a long number is read exactly and nothing else is touched', () => {
  const piece = fc.constantFrom('"', '\\', ':', ',', '}', ']', '[', '{', ' ', BIG, '-', 'a');
  const hostile = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile)), { maxKeys: 4 }), (texts) => {
      const json = JSON.stringify({ texts, count: 0 }).replace(/0\}$/, `${BIG}}`);
      expect(parseJson(Buffer.from(json))).toEqual({ texts: { ...texts }, count: BIG });
    }),
  );
});
