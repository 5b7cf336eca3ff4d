// The values that one poll reads of a balance.
import type { Address } from '../../core/values/address.ts';
import {
  address,
  amount,
  dollars,
  natural,
  quantity,
  record,
  text,
  time,
} from '../../core/values/field-declarations.ts';
import type { View } from '../../core/values/fields.ts';
import { RecordType } from '../../core/values/record-type.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { AddressDetails } from '../../explorer/reading/resources/address.ts';
import { Token } from '../../explorer/reading/resources/token.ts';

const { is_verified, proxy_type, implementations, creator_address_hash } = AddressDetails.fields;

/** Fields of an address besides its coins. They are read for the native coin only. */
export const OF_THE_ADDRESS = { is_verified, proxy_type, implementations, creator_address_hash };

export const Balance = new RecordType('Balance', {
  balance: quantity('plain', 'the balance, in whole coins or tokens'),
  raw: natural('the balance, in the smallest unit'),
  symbol: text('symbol of the coin or token'),
  decimals: natural('decimals of the coin or token'),
  address: address('the holder'),
  token: record(Token, 'the token; unknown for the native coin'),
  exchange_rate: amount('plain', 'price of one coin or token in US dollars'),
  balance_usd: dollars(
    { path: 'exchange_rate', since: 'price_since' },
    'the balance in US dollars, at the price of the same answer',
  ),
  price_since: time(
    'the time since which the price is the same, once that is 24 hours and it moved before; else unknown',
  ),
  ...OF_THE_ADDRESS,
});
export type BalanceView = View<typeof Balance.fields>;

export interface BalanceReading {
  /** The balance; null: unknown. */
  readonly view: BalanceView | null;
  /** True if the list has no token at all, although the balance was not known to be 0. */
  readonly isEmptied: boolean;
  /** True if the complete list has other tokens but lacks this one, although it was held before. */
  readonly isMissing: boolean;
}

export function believed(view: BalanceView | null): BalanceReading {
  return { view, isEmptied: false, isMissing: false };
}

/** The address that holds the balance. */
export function holderOf({ address: holder }: Target): Address {
  if (holder === null) throw new TypeError('balance needs an address');
  return holder;
}
