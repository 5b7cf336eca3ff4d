import { expect, test } from '@jest/globals';
import { isLoopback } from '../../src/lib/loopback.ts';

test.each([
  ['localhost', true],
  ['::1', true],
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  // Names that the network may resolve to anywhere.
  ['127.999.0.1', false],
  ['127.0.0.1.evil.example', false],
  ['0.0.0.0', false],
  ['::', false],
  ['', false],
])('%j can only be this machine: %p', (host, is) => {
  expect(isLoopback(host)).toBe(is);
});
