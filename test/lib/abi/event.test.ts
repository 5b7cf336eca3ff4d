import { describe, expect, test } from '@jest/globals';
import { AbiEvent } from 'ox';
import { CATALOGUE, eventOf } from '../../../src/core/events/catalogue.ts';
import { decodeEvent, layoutOf, type LogBytes } from '../../../src/lib/abi/event.ts';
import { canonicalSignature, parseEvent, topicOf } from '../../../src/lib/abi/signature.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');
const log = (topics: readonly string[], data = ''): LogBytes => ({
  topics: ['ff'.repeat(32), ...topics].map(bytes),
  data: bytes(data),
});

const ADDRESS = '0x00000000000000000000000000000000000000aa';

test.each(CATALOGUE)('%s has the topic that others compute', (text) => {
  const parsed = parseEvent(text);
  if ('mistake' in parsed) throw new Error(parsed.mistake.message);
  expect(topicOf(parsed.signature)).toBe(AbiEvent.getSelector(`event ${canonicalSignature(parsed.signature)}`));
});

describe('a log', () => {
  const transfer = eventOf('Transfer(address indexed from, address indexed to, uint256 value)').args;

  test('is read from its topics and its data, in the order of the signature', () => {
    const mixed = eventOf('Mixed(uint8 a, address indexed b, string c, bool indexed d)').args;
    const data = word(7) + word(64) + word(2) + '6869'.padEnd(64, '0');
    expect(decodeEvent(mixed, log([word(0xaa), word(1)], data))).toEqual([7n, ADDRESS, 'hi', true]);
  });

  test('has only the hash of an indexed text', () => {
    const named = eventOf('Named(string indexed name)').args;
    expect(decodeEvent(named, log([word(5)]))).toEqual([`0x${word(5)}`]);
  });

  test.each([
    ['a topic less', log([word(0xaa)], word(1))],
    ['a topic more', log([word(0xaa), word(0xaa), word(1)], '')],
    ['bytes behind its data', log([word(0xaa), word(0xaa)], word(1) + word(2))],
    ['less data', log([word(0xaa), word(0xaa)], 'ff')],
    ['a dirty address', log([`ff${word(0xaa).slice(2)}`, word(0xaa)], word(1))],
  ])('with %s does not fit', (_name, given) => {
    expect(decodeEvent(transfer, given)).toBeNull();
  });
});

describe('the layout of a log', () => {
  const owner = eventOf('Set(address owner, bool on)').args;

  test('is the only choice of indexed arguments that fits', () => {
    const found = layoutOf(owner, log([word(0xaa)], word(1)));
    expect(found?.map(({ isIndexed }) => isIndexed)).toEqual([true, false]);
  });

  test('is unknown if several fit, or none', () => {
    expect(layoutOf(owner, log([word(1)], word(1)))).toBeNull();
    expect(layoutOf(owner, log([word(0xaa), word(0xaa), word(1)], ''))).toBeNull();
  });
});
