import { expect, test } from '@jest/globals';
import { encodeArguments } from '../../../src/lib/abi/encode.ts';
import { createDraw, randomCall } from './random-calls.ts';

test('random arguments are written as another library writes them', () => {
  const draw = createDraw(3);
  for (let i = 0; i < 2000; i += 1) {
    const { args, values, data } = randomCall(draw);
    const types = args.map(({ type }) => type);
    expect(encodeArguments(types, values)).toBe(Buffer.from(data).toString('hex'));
  }
});

test('a list is no address', () => {
  expect(() => encodeArguments([{ type: 'address' }], [[]])).toThrow('not a value of address');
  expect(() => encodeArguments([{ type: 'address' }], [])).toThrow('not a value of address');
});
