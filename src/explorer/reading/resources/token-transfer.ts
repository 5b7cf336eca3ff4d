import { worthInRow } from '../../../core/values/amount.ts';
import {
  dollars,
  hash,
  int,
  natural,
  oneOf,
  quantity,
  record,
  text,
  time,
  word,
} from '../../../core/values/field-declarations.ts';
import { isRow, type RawRow } from '../../../core/values/fields.ts';
import { decode, decodeField, RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';
import { AddressRef } from './address.ts';
import { blockNumber } from './block-number.ts';
import { Token, tokenDecimals } from './token.ts';

const Total = new RecordType(
  'Total',
  {
    decimals: natural('decimals of the amount'),
    value: quantity('own', 'amount in whole tokens'),
    token_id: text('number of the piece'),
  },
  // If the row has no decimals, those of the token are used: totals of pieces have none.
  {
    decimals: ({ decimals }) => (decimals === null || decimals === undefined ? undefined : tokenDecimals({ decimals })),
  },
);

/** A batch has a total for each piece. If all have the same decimals, the moved amount is their sum. */
function sumOfTotals(raw: unknown): unknown {
  if (!Array.isArray(raw)) return raw;
  const totals = raw.filter(isRow);
  const decimals = common(totals.map((total) => total['decimals']));
  if (totals.length === 0 || totals.length < raw.length || decimals === undefined) return undefined;
  const values = totals.map((total) => decode({ type: 'int', least: 0 }, total['value'], { coin: 0 }));
  const known = values.filter((value) => typeof value === 'bigint');
  const value = known.length < values.length ? null : String(known.reduce((a, b) => a + b, 0n));
  return { decimals, value, token_id: common(totals.map((total) => total['token_id'])) };
}

/** The value that all have in common, which may be null; undefined if they differ. */
function common(values: readonly unknown[]): unknown {
  const [first, ...others] = values.map((value) => (typeof value === 'number' ? String(value) : (value ?? null)));
  return others.every((other) => other === first) ? first : undefined;
}

const TYPE = word('kind of transfer', ['token_transfer', 'token_minting', 'token_burning', 'token_spawning']);
const HASH = hash('transaction it belongs to', { was: ['tx_hash'] });

/** Specification 2.6. */
export const TokenTransfer = new RecordType(
  'TokenTransfer',
  {
    block_hash: hash('block it happened in', { fleeting: true }),
    transaction_hash: HASH,
    log_index: int('place in the block', { fleeting: true }),
    from: record(AddressRef, 'sender'),
    to: record(AddressRef, 'receiver'),
    token: record(Token, 'what was moved'),
    total: record(Total, 'how much', { from: sumOfTotals }),
    type: TYPE,
    method: text('method called', { fleeting: true }),
    timestamp: time('time of its block', { fleeting: true }),
  },
  { decimals: (row) => tokenDecimals(row['token']) },
);

const AMOUNT = quantity('own', 'the amount, in whole tokens; unknown without decimals', {
  was: ['total'],
  fromRow: (row) => amountIn(row)?.['value'],
});

/** A row of a list of transfers. Its amount is a field of the row itself, so that rules can name it by a short path. */
export const ListedTransfer = new RecordType(
  'ListedTransfer',
  {
    type: TYPE,
    direction: oneOf('whether the address of `of` received it, sent it, or both', ['in', 'out', 'self'], {
      fromRow: () => undefined,
    }),
    from: record(AddressRef, 'sender'),
    to: record(AddressRef, 'receiver'),
    amount: AMOUNT,
    raw: natural('the amount, in the smallest unit; 1 for a piece', {
      was: ['total'],
      fromRow: (row) => amountIn(row)?.['value'],
    }),
    token_id: text('number of the piece', { was: ['total'], fromRow: (row) => amountIn(row)?.['token_id'] }),
    token: record(Token, 'what was moved', { fleeting: true }),
    value_usd: dollars(
      { path: 'token.exchange_rate' },
      'the amount in US dollars, at the first price that an answer shows with it',
      {
        fleeting: true,
        fromRow: (row, units) =>
          worthInRow(decodeField(AMOUNT, 'amount', row, units), Token.read(row['token'], units)?.exchange_rate),
      },
    ),
    method: text('method called', { fleeting: true }),
    timestamp: time('time of its block'),
    block_number: natural('block it is in', { was: ['block'], from: blockNumber }),
    transaction_hash: HASH,
    log_index: natural('place in its block; another one after the block was replaced', { fleeting: true }),
  },
  {
    decimals: (row) => decimalsIn(row),
    ignored: IGNORED_KEYS.ListedTransfer,
  },
);

/** The total of a row; for a batch the sum of its pieces. A row of a single piece has no value: it is 1. */
function amountIn(row: RawRow): RawRow | undefined {
  const total = sumOfTotals(row['total']);
  if (!isRow(total)) return undefined;
  return total['value'] === undefined && isPiece(row, total) ? { ...total, value: '1' } : total;
}

function isPiece({ token }: RawRow, { token_id: id }: RawRow): boolean {
  return id !== undefined && id !== null && isRow(token) && token['type'] === 'ERC-721';
}

/** If the total has no decimals, those of the token are used: totals of pieces have none. */
function decimalsIn(row: RawRow): number | null {
  const decimals = amountIn(row)?.['decimals'];
  return (
    (decimals === null || decimals === undefined ? null : tokenDecimals({ decimals })) ?? tokenDecimals(row['token'])
  );
}
