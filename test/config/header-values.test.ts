import { validateHeaderValue } from 'node:http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { headerFault, keyFault } from '../../src/config/explorers.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\t', '\r', '\n', '\u0000', '\u007f', '\u0080', '\u00ff', '\u0100', '\ud800'),
  }),
);

function isRefusedByNode(value: string): boolean {
  try {
    validateHeaderValue('x-key', value);
    return false;
  } catch {
    return true;
  }
}

test('a header that check accepts never makes an explorer throw when it is opened', () => {
  fc.assert(
    fc.property(text, (value) => {
      if (headerFault(value) === null) expect(isRefusedByNode(value)).toBe(false);
    }),
  );
});

test.each(['Mozilla/5.0 (X11)', 'caf\u00e9\tau lait', ' '])('%j is a header value', (value) => {
  expect(headerFault(value)).toBeNull();
});

test('an API key that check accepts can be sent either way', () => {
  fc.assert(
    fc.property(text, (key) => {
      if (keyFault(key) !== null) return;
      expect(isRefusedByNode(`Bearer ${key}`)).toBe(false);
      expect(decodeURIComponent(encodeURIComponent(key))).toBe(key);
    }),
  );
});

test.each([
  ['one\ntwo', 'has a line break in it'],
  ['one\u0000two', 'has a control character in it'],
  ['schl\u00fcssel\u20ac', 'has a character in it that no header can carry'],
  ['two words', 'has a blank or a letter with an accent in it'],
  ['plain-key', null],
])('an API key %j %s', (key, fault) => {
  expect(keyFault(key)).toBe(fault);
});
