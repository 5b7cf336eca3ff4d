import { decode } from '../../../core/values/decoding.ts';
import { hash, int, natural, quantity, record, text, time, word } from '../../../core/values/field-declarations.ts';
import { isRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { AddressRef } from './address.ts';
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

/** The one value that all have, null included; undefined if they differ. */
function common(values: readonly unknown[]): unknown {
  const [first, ...others] = values.map((value) => (typeof value === 'number' ? String(value) : (value ?? null)));
  return others.every((other) => other === first) ? first : undefined;
}

/** Specification 2.6. */
export const TokenTransfer = new RecordType(
  'TokenTransfer',
  {
    block_hash: hash('block it happened in', { fleeting: true }),
    transaction_hash: hash('transaction it belongs to', { was: ['tx_hash'] }),
    log_index: int('place in the block', { fleeting: true }),
    from: record(AddressRef, 'sender'),
    to: record(AddressRef, 'receiver'),
    token: record(Token, 'what was moved'),
    total: record(Total, 'how much', { from: sumOfTotals }),
    type: word('kind of transfer', ['token_transfer', 'token_minting', 'token_burning', 'token_spawning']),
    method: text('method called', { fleeting: true }),
    timestamp: time('time of its block', { fleeting: true }),
  },
  { decimals: (row) => tokenDecimals(row['token']) },
);
