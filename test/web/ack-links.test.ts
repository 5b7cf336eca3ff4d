import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ackToken, readAckToken } from '../../src/web/guard/ack-links.ts';

const AT = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const [NEW, OLD, OTHER] = ['n'.repeat(43), 'o'.repeat(43), 'x'.repeat(43)];

test('a link holds for a day, also after its secret was replaced once', () => {
  const token = ackToken('delivery-1', AT, OLD);
  const link = { delivery: 'delivery-1', until: AT + DAY };
  expect(readAckToken(token, [OLD], AT)).toEqual(link);
  expect(readAckToken(token, [NEW, OLD], AT + DAY - 1)).toEqual(link);
  expect(readAckToken(token, [NEW, OLD], AT + DAY)).toBeNull();
  expect(readAckToken(token, [NEW, OTHER], AT)).toBeNull();
  expect(readAckToken(token, [], AT)).toBeNull();
});

test('every try sends the same link, and it needs no escape in an address', () => {
  expect(ackToken('delivery-1', AT, NEW)).toBe(ackToken('delivery-1', AT, NEW));
  expect(ackToken('delivery-1', AT, NEW)).toMatch(/^[\w-]+$/);
});

test('no other text is a link: not one character may be changed, left out or added', () => {
  const token = ackToken('delivery-1', AT, NEW);
  const others = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc
      .tuple(fc.nat(token.length - 1), fc.constantFrom('A', 'z', '-', '=', '%', ''))
      .map(([at, put]) => token.slice(0, at) + put + token.slice(at + 1)),
    fc.constantFrom(`${token}=`, `${token}A`, ` ${token}`, token.slice(1)),
  );
  fc.assert(fc.property(others, (text) => text === token || readAckToken(text, [NEW], AT) === null));
});
