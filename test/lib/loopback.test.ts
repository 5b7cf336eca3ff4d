import { expect, test } from '@jest/globals';
import { isLoopback, isPrivate } from '../../src/lib/loopback.ts';

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
  ['10.1.2.3', true],
  ['172.31.0.1', true],
  ['172.32.0.1', false],
  ['169.254.169.254', true],
  ['fd00::1', true],
  ['fe80::1', true],
  ['100.100.100.200', true],
  ['::ffff:169.254.169.254', true],
  ['::ffff:a00:1', true],
  ['8.8.8.8', false],
  ['127.0.0.1', false],
  ['10.example.com', false],
])('%j is a literal address of a private network: %p', (host, is) => {
  expect(isPrivate(host)).toBe(is);
});
