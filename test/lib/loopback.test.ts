import { expect, test } from '@jest/globals';
import { isLinkLocal, isLoopback } from '../../src/lib/network.ts';

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

test.each([
  ['169.254.169.254', true],
  ['::ffff:169.254.169.254', true],
  ['fe80::1', true],
  ['169.253.0.1', false],
  ['10.1.2.3', false],
  ['127.0.0.1', false],
  ['169.254.example.com', false],
])('%j is a literal address of the same link: %p', (host, is) => {
  expect(isLinkLocal(host)).toBe(is);
});
