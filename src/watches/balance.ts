import { z } from 'zod';
import type { Address } from '../core/values/address.ts';
import type { View } from '../core/values/fields.ts';
import { NOTHING_DETECTED, type Detection, type DetectionScope } from '../core/model/detection.ts';
import type { Kind, Reading } from '../core/model/watch/kind.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Target } from '../core/model/watch/target.ts';
import type { Read } from '../core/model/watch/question.ts';
import { type Amount, dollarsOf, isPrice } from '../core/values/amount.ts';
import { track } from '../core/values/encoded.ts';
import type { Instant } from '../lib/clock.ts';
import { inOneStep } from '../lib/steps.ts';
import { untrusted } from '../lib/untrusted.ts';
import { addressDetails, addressTokens, blocks } from '../explorer/operations.ts';
import { decimalsOf, Token } from '../explorer/reading/resources/token.ts';
import {
  Balance,
  believed,
  holderOf,
  OF_THE_ADDRESS,
  type BalanceReading,
  type BalanceView,
} from './balance/reading.ts';
import { observeToken } from './balance/token-balance.ts';
import { dollarAdvice } from './balance/dollar-advice.ts';
import { bothForms, SYNTHETIC_DECIMALS } from './synthetic.ts';
import { CHANGED, oneChange } from './one-change.ts';
import { Emptied, isAnotherReading, NOT_EMPTY, readEmpty, untilAnotherReading } from './lists/emptied.ts';
import { firstCount, remembered, type Values } from './values.ts';
import { plainWording } from '../core/wording/values.ts';

type TokenView = View<typeof Token.fields>;

/**
 * The price that an explorer shows, and its age. Explorers send no time with a price, and old releases go on showing
 * the last one after its source has dropped it.
 */
interface PriceAge {
  readonly price: string;
  /** The time at which this price was first seen. */
  readonly since: Instant;
  /** True if another price was seen before. A price that never moves is not known to be old. */
  readonly hasMoved: boolean;
}

const PriceAge: z.ZodType<PriceAge> = z.object({ price: z.string(), since: z.number(), hasMoved: z.boolean() });

/** `values` is empty until a value is known. */
export interface BalanceState extends Values {
  /** Set while readings show an empty list that does not count as empty yet. */
  readonly emptied: Emptied | null;
  /** The time since which complete lists lack the token, while its balance does not count as 0 yet; else null. */
  readonly missingSince: Instant | null;
  /** The last known price; null: none was known so far. */
  readonly price: PriceAge | null;
}

export const BalanceState: z.ZodType<BalanceState> = z.object({
  values: remembered,
  changes: z.number(),
  emptied: Emptied.nullable().default(null),
  missingSince: z.number().nullable().default(null),
  price: PriceAge.nullable().default(null),
});

// Tracked for every rule: if the token has left the list, its decimals and symbol are taken from memory.
const ALWAYS_TRACKED = ['balance', 'raw', 'decimals', 'symbol'];

interface BalanceOptions {
  /** True if an alert shows the age of the price. */
  readonly agesPrice?: true | undefined;
}

export const balance: Kind<BalanceOptions, BalanceState, BalanceReading> = {
  name: 'balance',
  summary: 'How much of one token, or of the native coin, an address holds.',
  noun: 'holding',
  fields: Balance,
  fieldOptions: ['agesPrice'],
  // Most polls read a new price, and each new price causes a write to the store.
  forReads: (options, reads) => (reads.some(isOfPriceAge) ? { ...options, agesPrice: true } : options),
  advice: dollarAdvice('exchange_rate'),
  events: { changed: CHANGED },
  while: {
    measured: 'balance',
    worth: { usd: 'balance_usd', price: 'exchange_rate' },
    exported: ['balance'],
  },
  of: 'required',
  token: 'optional',
  options: z.strictObject({}),
  state: BalanceState,
  comparedByDefault: ['balance'],
  shown: ['balance', 'symbol', 'address'],
  fleeting: [],
  wording: plainWording({
    noun: 'holding',
    thing: ({ of, token, coin }) => `${of ?? ''} ${token ?? coin}`,
    main: ['balance', 'balance_usd'],
  }),
  question,
  head: ({ explorer }) => blocks(explorer),
  page: ({ address: holder }) => (holder === null ? null : `/address/${holder.text}`),
  async observe(target, state, read): Promise<Reading<BalanceReading>> {
    return target.token === null ? observeCoin(target, read) : observeToken(target, target.token, knownOf(state), read);
  },
  detect: ({ options }, state, seen, scope) => inOneStep(detect(state, seen, { ...scope, ...options })),
  history: null,
  examples: {},
  rowsOf: ({ view }) => ({ rows: view === null ? [] : [view] }),
  sourceOf,
  script: {
    rows: null,
    record: Balance,
    synthesize: (target, { rows: [row] }) => believed(row === undefined ? null : synthesize(target, row)),
  },
};

function isOfPriceAge(path: string): boolean {
  return path === 'balance_usd' || path === 'price_since';
}

function detect(
  state: BalanceState | null,
  { view, isEmptied, isMissing }: BalanceReading,
  scope: DetectionScope & BalanceOptions,
): Detection<BalanceState> {
  const known = knownOf(state);
  const before = known?.values ?? null;
  const nothing = { ...NOTHING_DETECTED, before };
  // An unknown value is no reading: the memory stays, and the first known value will be the baseline.
  if (view?.raw === undefined) return { ...nothing, state, now: view };
  const { emptied, ...reading } = isEmptied ? readEmpty(state?.emptied ?? null, scope) : NOT_EMPTY;
  if (reading.doubt !== null) {
    const blank = { values: {}, changes: firstCount(scope.at) };
    return {
      ...nothing,
      state: waiting(state ?? blank, { emptied, missingSince: null, price: state?.price ?? null }),
      ...reading,
    };
  }
  const missingSince = isMissing ? (state?.missingSince ?? scope.at) : null;
  if (state !== null && missingSince !== null && !isAnotherReading(missingSince, scope)) {
    const askAgainMs = untilAnotherReading(missingSince, scope);
    return {
      ...nothing,
      state: waiting(state, { emptied: null, missingSince, price: state.price }),
      doubt: MISSING,
      askAgainMs,
    };
  }
  const price = scope.agesPrice === true ? withPrice(state?.price ?? null, view.exchange_rate, scope.at) : null;
  const now = Balance.over(view, { price_since: unchangedSince(price, view.exchange_rate, scope.at) });
  const tracking = track(before, now, [...new Set([...ALWAYS_TRACKED, ...scope.tracked])]);
  const detection = oneChange(known, tracking, { now, at: scope.at });
  const settled = { emptied: null, missingSince: null, price };
  return { ...detection, state: detection.state && waiting(detection.state, settled) };
}

/** Null: no value was known so far. */
function knownOf(state: BalanceState | null): BalanceState | null {
  return state === null || Object.keys(state.values).length === 0 ? null : state;
}

const MISSING = 'the token is missing, which is not believed yet: 1 of 2 readings';

/** Returns the same object if it has these values already. */
function waiting(state: Values | BalanceState, beside: Omit<BalanceState, keyof Values>): BalanceState {
  const { emptied, missingSince, price } = beside;
  const isSame =
    'emptied' in state && state.emptied === emptied && state.missingSince === missingSince && state.price === price;
  return isSame ? state : { ...state, emptied, missingSince, price };
}

function question(target: Target) {
  const { explorer, token } = target;
  return token === null ? addressDetails(explorer, holderOf(target)) : addressTokens(explorer, holderOf(target));
}

async function observeCoin(target: Target, read: Read): Promise<Reading<BalanceReading>> {
  const details = await read.one(addressDetails(target.explorer, holderOf(target)));
  const { symbol, decimals } = target.coin;
  const coin = { symbol: untrusted(symbol), decimals: BigInt(decimals), address: holderOf(target) };
  const { coin_balance: held, exchange_rate } = details;
  const view = Balance.over(details, { ...coin, balance: held, balance_usd: dollarsOf(held, exchange_rate) });
  return { seen: believed(view), partial: null };
}

/** The path of a field of a balance in the answer of the explorer; null: its value does not come from the answer. */
function sourceOf(path: string, { token }: Target): string | null {
  return token === null ? ofDetails(path) : ofHolding(path);
}

/** Paths in the details of an address, for the native coin. The coin's own facts come from the config. */
function ofDetails(path: string): string | null {
  if (path === 'balance') return 'coin_balance';
  if (path === 'balance_usd') return 'exchange_rate';
  if (path === 'price_since') return null;
  const isOurs = ['symbol', 'decimals', 'address', 'token'].includes(path) || path.startsWith('token.');
  return isOurs ? null : path;
}

/** Paths in the row of the token in the list of held tokens. */
function ofHolding(path: string): string | null {
  if (path === 'balance_usd') return 'token.exchange_rate';
  if (path === 'address' || path === 'price_since' || Object.hasOwn(OF_THE_ADDRESS, path)) return null;
  return ['symbol', 'decimals', 'exchange_rate'].includes(path) ? `token.${path}` : path;
}

function synthesize(target: Target, { view, says }: SyntheticRow): BalanceView {
  const written = view as BalanceView;
  const { token, coin } = target;
  const symbol = written.symbol ?? written.token?.symbol ?? (token === null ? untrusted(coin.symbol) : undefined);
  const usual = token === null ? BigInt(coin.decimals) : SYNTHETIC_DECIMALS;
  const decimals = written.decimals ?? decimalsOf(written.token) ?? usual;
  const amounts = bothForms(written, says, decimals);
  const exchange_rate = says.has('exchange_rate') ? written.exchange_rate : written.token?.exchange_rate;
  return Balance.over(written, {
    ...amounts,
    symbol: says.has('symbol') ? written.symbol : symbol,
    decimals: says.has('decimals') ? written.decimals : decimals,
    address: written.address ?? holderOf(target),
    exchange_rate,
    balance_usd: says.has('balance_usd') ? written.balance_usd : dollarsOf(amounts.balance, exchange_rate),
    token: token === null ? undefined : syntheticToken(written.token ?? Token.make({ symbol, decimals }), token),
  });
}

function syntheticToken(written: TokenView, token: Address): TokenView {
  return Token.over(written, { address_hash: written.address_hash ?? token });
}

const OLD_MS = 24 * 3_600_000;

/** The same object as before if the price is the same, or unknown. */
function withPrice(before: PriceAge | null, price: Amount | undefined, at: Instant): PriceAge | null {
  if (!isPrice(price)) return before;
  const text = price.toString();
  return text === before?.price ? before : { price: text, since: at, hasMoved: before !== null };
}

/** The time since which the price is the same; undefined while that is not long, or it never moved. */
function unchangedSince(age: PriceAge | null, price: Amount | undefined, at: Instant): Date | undefined {
  const isOld = age !== null && age.hasMoved && isPrice(price) && at - age.since >= OLD_MS;
  return isOld ? new Date(age.since) : undefined;
}
