// Subjects of conditions that compare a field with what is computed of others.
import { expect, test } from '@jest/globals';
import { failuresOf, ruleOf, testOf } from './support/trials.ts';

test.each([
  ['balance < before.balance * 0.9', 'w balance 800, below before.balance * 0.9 (900)'],
  ['before.balance * 0.9 > balance', 'w balance 800, below before.balance * 0.9 (900)'],
  ['balance < before.balance * 0.9 && balance > 5', 'w balance 800, below before.balance * 0.9 (900)'],
  ['balance + 50 < before.balance - 100', 'treasury USDC low'],
  ['balance < before.balance / 1', 'w balance 800, below before.balance / 1 (1,000)'],
  ['balance < -before.balance + 1_900', 'w balance 800, below -before.balance + 1_900 (900)'],
])('%s', async (condition, title) => {
  const rule = ruleOf('kind: balance, of: treasury, token: USDC, every: 1m', `{ id: low, while: '${condition}' }`);
  const saw = ['{ at: 0m, balance: 1_000 }', '{ at: 1m, balance: 800 }'];
  const expected = [`{ at: 1m, alert: low, state: firing, title: '${title.replace('w balance', 'treasury USDC')}' }`];
  expect(await failuresOf(testOf(saw, expected), { 'rules/rules.yaml': rule })).toBe('');
});
