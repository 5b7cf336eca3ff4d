// Values in US dollars are exact, and shown without digits that nobody needs.
import { expect, test } from '@jest/globals';
import { Amount, dollarsOf, showDollars } from '../../../src/core/values/amount.ts';

const amount = (text: string | undefined): Amount | undefined => (text === undefined ? undefined : Amount.parse(text));

test.each([
  ['1000000.000000000000000001', '2345.678901', '2345678901.000000000000002345678901'],
  ['0.1', '0.2', '0.02'],
  ['5', undefined, undefined],
  ['5', '0', undefined],
  ['5', '-1', undefined],
  [undefined, '1', undefined],
  ['0', undefined, '0'],
  ['0', '0', '0'],
])('%s at a price of %s is worth %s', (held, price, worth) => {
  expect(dollarsOf(amount(held), amount(price))?.toString()).toBe(worth);
});

test.each([
  ['12340120.49', '$12,340,120'],
  ['1000', '$1,000'],
  ['999.994', '$999.99'],
  ['999.996', '$1,000'],
  ['12.5', '$12.50'],
  ['3', '$3'],
  ['0.5', '$0.50'],
  ['0.0099951', '$0.01'],
  ['0.00423', '$0.0042'],
  ['0', '$0'],
  ['-1234.56', '-$1,235'],
])('%s is shown as %s', (worth, shown) => {
  expect(showDollars(amount(worth) ?? new Amount(0n, 0))).toBe(shown);
});
