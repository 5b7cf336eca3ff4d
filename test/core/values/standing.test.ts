import { expect, test } from '@jest/globals';
import { recordTypeOf, type AnyView } from '../../../src/core/values/fields.ts';
import { standing, standingAt } from '../../../src/core/values/standing.ts';
import { encodedAt } from '../../../src/core/values/encoded.ts';
import { transactions } from '../../../src/watches/transactions.ts';

const VAULT = '0xca55518dF8A55440f3834CE64D573ABa5E458550';

test('what stays of a list of transfers is made without a look at what changes with every poll', () => {
  const token = {
    address_hash: VAULT,
    symbol: 'X',
    decimals: '18',
    type: 'ERC-20',
    exchange_rate: '1.5',
    holders: '7',
  };
  const transfer = { from: { hash: VAULT }, to: null, token, total: { value: '1', decimals: '18' } };
  const viewOf = (one: object): AnyView => {
    const read = transactions.fields.read({ hash: '0xab', token_transfers: [one] }, { coin: 18 });
    if (read === undefined) throw new Error('no transaction can be read');
    return read;
  };
  const view = viewOf(transfer);
  const expected = standing(recordTypeOf(view), 'token_transfers', encodedAt(view, 'token_transfers'));
  expect(JSON.stringify(standingAt(view, 'token_transfers'))).toBe(JSON.stringify(expected));
  expect(JSON.stringify(expected)).not.toContain('1.5');

  const unread = Object.defineProperty({ ...token }, 'exchange_rate', {
    get: () => {
      throw new Error('the price was read');
    },
  });
  expect(standingAt(viewOf({ ...transfer, token: unread }), 'token_transfers')).toEqual(expected);
  expect(standingAt(view, 'method')).toBe(null);
});
