// The balance of one token, read from the list of all tokens that an address holds.
import { Address } from '../../core/values/address.ts';
import { Amount, dollarsOf } from '../../core/values/amount.ts';
import type { View } from '../../core/values/fields.ts';
import type { Reading } from '../../core/model/watch/kind.ts';
import type { Target } from '../../core/model/watch/target.ts';
import type { Read } from '../../core/model/watch/question.ts';
import { viewOf } from '../../core/values/encoded.ts';
import { rawText } from '../../lib/untrusted.ts';
import { addressTokens, tokenDetails } from '../../explorer/operations.ts';
import { again, readAll, readUntil, type Pages } from '../../explorer/reading/paging.ts';
import { decimalsOf, TokenBalance } from '../../explorer/reading/resources/token.ts';
import type { Values } from '../values.ts';
import { Balance, believed, holderOf, type BalanceReading, type BalanceView } from './reading.ts';

type Row = View<typeof TokenBalance.fields>;

/**
 * The list contains only tokens above zero, so a token that two complete readings lack has balance 0. The second
 * reading follows at once if no balance is known. If the token was held before, or if the list has no token at all,
 * later polls read it again.
 */
export async function observeToken(
  target: Target,
  token: Address,
  known: Values | null,
  read: Read,
): Promise<Reading<BalanceReading>> {
  const first = await find(target, token, read);
  if (first.rows.length > 0) return { seen: believed(sum(target, first.rows)), partial: null };
  if (first.partial !== null) return { seen: believed(null), partial: first.partial };
  const isNews = known?.values['raw'] !== '0';
  const second = known === null && !first.isEmpty ? await find(target, token, again(read)) : first;
  if (second.rows.length > 0) return { seen: believed(sum(target, second.rows)), partial: null };
  if (second.partial !== null) return { seen: believed(null), partial: second.partial };
  const view = await nothing(target, token, known, read);
  const isMissing = known !== null && isNews && !second.isEmpty;
  return { seen: { view, isEmptied: isNews && second.isEmpty, isMissing }, partial: null };
}

interface Found {
  readonly rows: readonly Row[];
  readonly partial: string | null;
  /** True if the list has no token at all. */
  readonly isEmpty: boolean;
}

/** Most tokens have one row. Pieces of an ERC-1155 have a row each, so for them the whole list is read. */
async function find(target: Target, token: Address, read: Pages): Promise<Found> {
  const list = addressTokens(target.explorer, holderOf(target));
  const isIt = (row: Row): boolean => row.token?.address_hash?.equals(token) === true;
  const until = await readUntil(read, list, { matches: isIt, identityOf: pieceOf, maxPages: target.maxPages });
  const rows = until.rows.filter(isIt);
  const isEmpty = until.rows.length === 0;
  if (rows.length === 0) return { rows, partial: until.partial ?? namelessIn(until.rows), isEmpty };
  if (rows.every(({ token_id }) => token_id === undefined))
    return { rows: rows.slice(0, 1), partial: until.partial, isEmpty };
  const all = await readAll(read, list, { identityOf: pieceOf, maxPages: target.maxPages });
  const { partial } = all;
  return { rows: partial === null ? all.rows.filter(isIt) : [], partial, isEmpty };
}

/** The reason why the token cannot be judged absent: any row without a token may be it. Null: there is no such row. */
function namelessIn(rows: readonly Row[]): string | null {
  const nameless = rows.filter((row) => pieceOf(row) === undefined).length;
  return nameless === 0 ? null : `${nameless} rows without a token: none is judged to be absent`;
}

function pieceOf({ token, token_id }: Row): string | undefined {
  const contract = token?.address_hash?.key;
  return contract === undefined ? undefined : `${contract}/${token_id === undefined ? '' : rawText(token_id)}`;
}

function sum(target: Target, rows: readonly Row[]): BalanceView {
  const [first = TokenBalance.make({})] = rows;
  const { token } = first;
  const balance = rows.map((row) => row.balance).reduce((a, b) => (b === undefined ? undefined : a?.plus(b)));
  return Balance.over(first, {
    raw: rows.map(({ raw }) => raw).reduce((a, b) => (a === undefined || b === undefined ? undefined : a + b)),
    balance,
    balance_usd: dollarsOf(balance, token?.exchange_rate),
    symbol: token?.symbol,
    decimals: decimalsOf(token),
    address: holderOf(target),
    token,
    exchange_rate: token?.exchange_rate,
  });
}

/**
 * The zero balance. People also see the token's decimals and symbol: from memory, or at the first reading from the
 * token's details.
 */
async function nothing(target: Target, token: Address, known: Values | null, read: Read): Promise<BalanceView> {
  const none = Amount.ofRaw(0n, 0);
  const zero = { raw: 0n, balance: none, balance_usd: none, address: holderOf(target) };
  if (known !== null) {
    const last = viewOf(Balance, known.values) as View<typeof Balance.fields>;
    return Balance.over(last, zero);
  }
  const details = await read.one(tokenDetails(target.explorer, token));
  const { symbol, exchange_rate } = details;
  return Balance.make({ ...zero, symbol, decimals: decimalsOf(details), token: details, exchange_rate });
}
