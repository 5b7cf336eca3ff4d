import { amount, bool, int, oneOf, record } from '../../../core/values/field-declarations.ts';
import { isRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';
import { AddressRef } from './address.ts';
import { Token, tokenDecimals } from './token.ts';

/**
 * For NFTs, `change` is a list with an entry for each piece that the account lost (`from`) or gained (`to`). Returns
 * the gains minus the losses.
 */
function piecesIn(raw: unknown): number | undefined {
  if (!Array.isArray(raw)) return undefined;
  const moves = raw.map((one) => (isRow(one) ? one['direction'] : undefined));
  if (moves.some((move) => move !== 'from' && move !== 'to')) return undefined;
  return moves.reduce((sum: number, move) => sum + (move === 'to' ? 1 : -1), 0);
}

/** The change of one account by a transaction. */
export const StateChange = new RecordType(
  'StateChange',
  {
    type: oneOf('what the account has more or less of', ['coin', 'token']),
    address: record(AddressRef, 'the account'),
    is_miner: bool('whether the account made the block, and got its fees'),
    token: record(Token, 'the token; unknown for coins'),
    coins: amount('coin', 'coins gained; below zero for a loss', { was: ['change'] }),
    tokens: amount('own', 'whole tokens gained; below zero for a loss', { was: ['change'] }),
    pieces: int('pieces gained; below zero for a loss', { fromRow: (row) => piecesIn(row['change']) }),
  },
  { decimals: (row) => tokenDecimals(row['token']), ignored: IGNORED_KEYS.StateChange },
);
