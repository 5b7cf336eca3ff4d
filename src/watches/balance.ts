import { z } from 'zod';
import { Address } from '../core/values/address.ts';
import { Amount } from '../core/values/amount.ts';
import { address, amount, natural, quantity, record, text } from '../core/values/field-declarations.ts';
import { RecordType } from '../core/values/record-type.ts';
import type { View } from '../core/values/fields.ts';
import type { Detection, Kind, Reading, SyntheticRow, Target } from '../core/model/kind.ts';
import type { Read } from '../core/model/question.ts';
import { track, viewOf } from '../core/values/tracked.ts';
import { rawText, untrusted } from '../lib/untrusted.ts';
import { addressDetails, addressTokens, blocks, tokenDetails } from '../explorer/reading/endpoints.ts';
import { again, readAll, readUntil, type Pages } from '../explorer/reading/paging.ts';
import { AddressDetails, decimalsOf, Token, type TokenBalance } from '../explorer/reading/resources.ts';
import { bothForms, SYNTHETIC_DECIMALS } from './synthetic.ts';
import { oneChange } from './one-change.ts';
import { Values } from './values.ts';

type Row = View<typeof TokenBalance.fields>;
type TokenView = View<typeof Token.fields>;

const { is_verified, proxy_type, implementations, creator_address_hash } = AddressDetails.fields;

/** What the details of an address say beside its coins: they are read for the native coin alone. */
const OF_THE_ADDRESS = { is_verified, proxy_type, implementations, creator_address_hash };

const Balance = new RecordType('Balance', {
  balance: quantity('plain', 'what is held, in whole coins or tokens'),
  raw: natural('what is held, in the smallest unit'),
  symbol: text('symbol of the coin or token'),
  decimals: natural('decimals of the coin or token'),
  address: address('who holds it'),
  token: record(Token, 'the token; unknown for the native coin'),
  exchange_rate: amount('plain', 'price of one coin or token in US dollars'),
  ...OF_THE_ADDRESS,
});
type BalanceReading = View<typeof Balance.fields> | null;

// Kept whatever the rules read: a token that is gone from the list has no decimals there.
const ALWAYS_TRACKED = ['balance', 'raw', 'decimals', 'symbol'];

export const balance: Kind<object, Values, BalanceReading> = {
  name: 'balance',
  summary: 'How much of one token, or of the native coin, an address holds.',
  noun: 'holding',
  fields: Balance,
  events: ['changed'],
  conditions: true,
  of: 'required',
  token: 'optional',
  options: z.strictObject({}),
  state: Values,
  comparedByDefault: ['balance'],
  shown: ['balance', 'symbol', 'address'],
  fleeting: [],
  measured: 'balance',
  exported: ['balance'],
  question,
  head: ({ explorer }) => blocks(explorer),
  page: ({ address: holder }) => (holder === null ? null : `/address/${holder.text}`),
  async observe(target, state, read): Promise<Reading<BalanceReading>> {
    return target.token === null ? observeCoin(target, read) : observeToken(target, target.token, state, read);
  },
  detect(_target, state, seen, scope): Detection<Values> {
    const before = state?.values ?? null;
    // Unknown is no reading: what was known stays, and the first known value will be the baseline.
    if (seen?.raw === undefined)
      return { state, events: [], now: seen, before, range: null, baseline: null, notes: [], needs: null };
    const tracking = track(before, seen, [...new Set([...ALWAYS_TRACKED, ...scope.tracked])]);
    return oneChange(state, tracking, { now: seen, at: scope.at });
  },
  script: {
    rows: null,
    record: Balance,
    synthesize: (target, { rows: [row] }) => (row === undefined ? null : synthesize(target, row)),
  },
};

function question({ explorer, address: holder, token }: Target) {
  return token === null ? addressDetails(explorer, known(holder)) : addressTokens(explorer, known(holder));
}

function known(holder: Address | null): Address {
  if (holder === null) throw new TypeError('balance needs an address');
  return holder;
}

async function observeCoin(target: Target, read: Read): Promise<Reading<BalanceReading>> {
  const details = await read.one(addressDetails(target.explorer, known(target.address)));
  const { symbol, decimals } = target.coin;
  const coin = { symbol: untrusted(symbol), decimals: BigInt(decimals), address: known(target.address) };
  return { seen: Balance.over(details, { ...coin, balance: details.coin_balance }), partial: null };
}

/** The list holds only what is above zero, so a token that is absent from a complete list, twice, has balance 0. */
async function observeToken(
  target: Target,
  token: Address,
  state: Values | null,
  read: Read,
): Promise<Reading<BalanceReading>> {
  const first = await find(target, token, read);
  if (first.rows.length > 0) return { seen: sum(target, first.rows), partial: null };
  if (first.partial !== null) return { seen: null, partial: first.partial };
  // Only news is worth a second reading.
  if (state?.values['raw'] === '0') return { seen: await nothing(target, token, state, read), partial: null };
  const second = await find(target, token, again(read));
  if (second.rows.length > 0) return { seen: sum(target, second.rows), partial: null };
  if (second.partial !== null) return { seen: null, partial: second.partial };
  return { seen: await nothing(target, token, state, read), partial: null };
}

interface Found {
  readonly rows: readonly Row[];
  readonly partial: string | null;
}

/** One row for most tokens; pieces of an ERC-1155 have a row each, so then the whole list is read. */
async function find(target: Target, token: Address, read: Pages): Promise<Found> {
  const list = addressTokens(target.explorer, known(target.address));
  const isIt = (row: Row): boolean => row.token?.address_hash?.equals(token) === true;
  const until = await readUntil(read, list, { matches: isIt, identityOf: pieceOf, maxPages: target.maxPages });
  const rows = until.rows.filter(isIt);
  if (rows.length === 0) return { rows, partial: until.partial ?? namelessIn(until.rows) };
  if (rows.every(({ token_id }) => token_id === undefined)) return { rows: rows.slice(0, 1), partial: until.partial };
  const all = await readAll(read, list, { identityOf: pieceOf, maxPages: target.maxPages });
  return all.partial === null ? { rows: all.rows.filter(isIt), partial: null } : { rows: [], partial: all.partial };
}

/** Any of them may be the one that is looked for. */
function namelessIn(rows: readonly Row[]): string | null {
  const nameless = rows.filter((row) => pieceOf(row) === undefined).length;
  return nameless === 0 ? null : `${nameless} rows without a token: none is judged to be absent`;
}

function pieceOf({ token, token_id }: Row): string | undefined {
  const contract = token?.address_hash?.key;
  return contract === undefined ? undefined : `${contract}/${token_id === undefined ? '' : rawText(token_id)}`;
}

function sum(target: Target, rows: readonly Row[]): BalanceReading {
  const token = rows[0]?.token;
  return Balance.make({
    raw: rows.map(({ raw }) => raw).reduce((a, b) => (a === undefined || b === undefined ? undefined : a + b)),
    balance: rows.map((row) => row.balance).reduce((a, b) => (b === undefined ? undefined : a?.plus(b))),
    symbol: token?.symbol,
    decimals: decimalsOf(token),
    address: known(target.address),
    token,
    exchange_rate: token?.exchange_rate,
  });
}

/** Zero is zero in any unit, but people are shown which: from memory, else from the token's details, asked once. */
async function nothing(target: Target, token: Address, state: Values | null, read: Read): Promise<BalanceReading> {
  const zero = { raw: 0n, balance: Amount.ofRaw(0n, 0), address: known(target.address) };
  if (state !== null) {
    const last = viewOf(Balance, state.values) as View<typeof Balance.fields>;
    return Balance.over(last, zero);
  }
  const details = await read.one(tokenDetails(target.explorer, token));
  const { symbol, exchange_rate } = details;
  return Balance.make({ ...zero, symbol, decimals: decimalsOf(details), token: details, exchange_rate });
}

function synthesize({ token, coin, address: holder }: Target, { view, says }: SyntheticRow): BalanceReading {
  const written = view as View<typeof Balance.fields>;
  const symbol = written.symbol ?? written.token?.symbol ?? (token === null ? untrusted(coin.symbol) : undefined);
  const usual = token === null ? BigInt(coin.decimals) : SYNTHETIC_DECIMALS;
  const decimals = written.decimals ?? decimalsOf(written.token) ?? usual;
  return Balance.over(written, {
    ...bothForms(written, says, decimals),
    symbol: says.has('symbol') ? written.symbol : symbol,
    decimals: says.has('decimals') ? written.decimals : decimals,
    address: written.address ?? known(holder),
    exchange_rate: says.has('exchange_rate') ? written.exchange_rate : written.token?.exchange_rate,
    token: token === null ? undefined : syntheticToken(written.token ?? Token.make({ symbol, decimals }), token),
  });
}

function syntheticToken(written: TokenView, token: Address): TokenView {
  return Token.over(written, { address_hash: written.address_hash ?? token });
}
