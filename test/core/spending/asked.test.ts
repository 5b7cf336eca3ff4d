import { expect, test } from '@jest/globals';
import { askedBy } from '../../../src/core/spending/asked.ts';
import { dailyCosts } from '../../../src/rules/costs.ts';
import { loadWatches } from '../../support/world.ts';

const rule = (id: string, more: string): string =>
  `  - { id: ${id}, kind: internal-transactions, of: vault, every: 1m, ${more}alerts: [{ id: any, on: new }] }\n`;

test.each([
  ['one direction', rule('to', 'direction: to, ')],
  ['both directions', rule('to', 'direction: to, ') + rule('from', 'direction: from, ')],
  ['both, and all of them', rule('to', 'direction: to, ') + rule('from', 'direction: from, ') + rule('all', '')],
])('%s of an address cost one request a poll, by the plan and by `check`', (_, rules) => {
  const watches = loadWatches(`watches:\n${rules}`);
  const asked = askedBy(watches).map(({ question: { cost, asks } }) => [cost, asks.length]);
  expect(asked).toEqual([[40, watches.length]]);
  expect([...dailyCosts(watches).values()]).toEqual([{ requests: 1440, credits: 1440 * 40 }]);
});
