import { expect, test } from '@jest/globals';
import { load } from './support/load.ts';

function warningsOf(sum: string, than: string): string[] {
  const { problems, warnings, watches } = load({
    'rules/a.yaml': `watches:
  - id: w
    kind: items
    explorer: ethereum
    of: vault
    notify: ops
    alerts:
      - { id: a, on: new, at_least: { sum: ${sum}, than: ${than}, within: 1h } }
`,
  });
  expect([problems, watches.length]).toEqual([[], 1]);
  const ofRule = warnings.filter(({ file }) => file === 'rules/a.yaml');
  return ofRule.map(({ path, message, hint }) => `${path}: ${message}. ${hint ?? ''}`);
}

test('a limit of a sum in the smallest unit is loaded, with a warning', () => {
  expect(warningsOf('value', '100_000_000_000_000_000_000')).toEqual([
    'watches[0].alerts[0].at_least.than: amounts are in whole tokens, not in their smallest unit. With 6 decimals this is 100000000000000, with 18 100.',
  ]);
});

test.each([
  ['value', '100_000_000'],
  ['height', '100_000_000_000_000_000_000'],
])('a sum of %s with the limit %s is loaded without a word', (sum, than) => {
  expect(warningsOf(sum, than)).toEqual([]);
});
