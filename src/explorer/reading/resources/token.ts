import {
  address,
  amount,
  bool,
  dollars,
  json,
  natural,
  oneOf,
  quantity,
  record,
  text,
  total,
  word,
} from '../../../core/values/field-declarations.ts';
import { worthInRow } from '../../../core/values/amount.ts';
import { isRow, type View } from '../../../core/values/fields.ts';
import { decodeField, RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';
import { AddressRef } from './address.ts';

/** Decimals of a row's token. ERC-721 and ERC-1155 without decimals count in whole pieces. */
export function tokenDecimals(token: unknown): number | null {
  if (!isRow(token)) return null;
  const { decimals, type } = token;
  if (typeof decimals === 'number' && Number.isSafeInteger(decimals) && decimals >= 0) return bounded(decimals);
  if (typeof decimals === 'string' && /^\d{1,4}$/.test(decimals)) return bounded(Number(decimals));
  return COUNTED_IN_PIECES.has(type) ? 0 : null;
}

const COUNTED_IN_PIECES: ReadonlySet<unknown> = new Set(['ERC-721', 'ERC-1155']);

const MOST_DECIMALS = 1000;

function bounded(decimals: number): number | null {
  return decimals <= MOST_DECIMALS ? decimals : null;
}

/** Specification 2.2. */
export const Token = new RecordType(
  'Token',
  {
    address_hash: address('contract address', { was: ['address'] }),
    symbol: text('ticker, chosen by its maker'),
    name: text('name, chosen by its maker'),
    decimals: natural('decimals of its amounts'),
    type: word('token standard', ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984']),
    holders_count: natural('number of holders', { was: ['holders'], fleeting: true }),
    exchange_rate: amount('plain', 'price of one token in US dollars', { fleeting: true }),
    volume_24h: amount('plain', 'trade volume of a day in US dollars', { fleeting: true }),
    total_supply: total('own', 'total supply in whole tokens', { fleeting: true }),
    icon_url: text('address of its picture; never fetched', { fleeting: true }),
    circulating_market_cap: total('plain', 'market capitalisation in US dollars', { fleeting: true }),
    circulating_supply: total('plain', 'circulating supply', { fleeting: true }),
    reputation: oneOf('the rating by the explorer', ['ok', 'scam']),
    bridge_type: word('bridge of a bridged token', ['omni', 'amb']),
    foreign_address: address('its address on the other chain'),
    origin_chain_id: text('the chain it came from'),
  },
  { decimals: tokenDecimals, ignored: IGNORED_KEYS.Token },
);

/** Tokens of pieces have no decimals. A fungible token without decimals has an unknown `balance`, but a known `raw`. */
export function decimalsOf(token: View<typeof Token.fields> | undefined): bigint | undefined {
  return token?.decimals ?? (COUNTED_IN_PIECES.has(token?.type) ? 0n : undefined);
}

const TokenInstance = new RecordType('TokenInstance', {
  id: text('number of the piece'),
  is_unique: bool('whether there is only one'),
  owner: record(AddressRef, 'who owns it'),
  token: record(Token, 'its collection'),
  holder_address_hash: address('the holder'),
  image_url: text('address of its picture; never fetched'),
  animation_url: text('address of its animation; never fetched'),
  external_app_url: text('address of its page; never fetched'),
  metadata: json('free form, chosen by its maker'),
});

const HELD = quantity('own', 'the amount, in whole tokens', { was: ['value'] });

/** Specification 2.4. Its `value` is shown as `balance` in whole tokens, and as `raw`. */
export const TokenBalance = new RecordType(
  'TokenBalance',
  {
    balance: HELD,
    raw: natural('the amount, in the smallest unit', { was: ['value'] }),
    token_id: text('number of the piece held'),
    token: record(Token, 'what is held'),
    token_instance: record(TokenInstance, 'the piece held'),
    balance_usd: dollars({ path: 'token.exchange_rate' }, 'the amount in US dollars, at the price of the same answer', {
      fleeting: true,
      fromRow: (row, units) =>
        worthInRow(decodeField(HELD, 'balance', row, units), Token.read(row['token'], units)?.exchange_rate),
    }),
  },
  { decimals: (row) => tokenDecimals(row['token']), ignored: IGNORED_KEYS.TokenBalance },
);
