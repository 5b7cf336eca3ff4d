// How operators write matchers, and read them back.
import { expect, test } from '@jest/globals';
import { parseMatcher, showMatcher } from '../../src/dispatch/policy/matcher-text.ts';
import type { Matcher } from '../../src/dispatch/model.ts';

test.each<[string, Matcher]>([
  ['watch=coins', { watch: 'coins' }],
  ['watch=coins,vault-* severity!=info', { watch: ['coins', 'vault-*'], severity: '!info' }],
  ['severity!=info,warning', { severity: ['!info', '!warning'] }],
  ['of=0x3c54=x', { of: '0x3c54=x' }],
])('%s is what was meant, and is shown so', (text, matcher) => {
  expect(parseMatcher(text.split(' '))).toEqual({ matcher });
  expect(showMatcher(matcher)).toBe(text);
});

test('a shell that takes ! for itself needs no quotes: both forms of a negation mean the same', () => {
  expect(parseMatcher(['severity=!info'])).toEqual(parseMatcher(['severity!=info']));
});

test.each([
  [['coins'], '"coins" is not a label and its value, such as watch=treasury or severity!=info'],
  [['watch='], '"watch=" is not a label and its value, such as watch=treasury or severity!=info'],
  [['=coins'], '"=coins" is not a label and its value, such as watch=treasury or severity!=info'],
  [['watch=a', 'watch=b'], 'watch is there twice: write watch=a,b for any of them'],
])('%j silenced something else than was meant', (texts, complaint) => {
  expect(parseMatcher(texts)).toEqual({ complaint });
});

test('a matcher of the API that no command line can have is shown without a doubt', () => {
  expect(showMatcher({})).toBe('all alerts');
  expect(showMatcher({ of: 'a b', watch: ['x,y', '"'] })).toBe('of="a b" watch="x,y","\\""');
});
