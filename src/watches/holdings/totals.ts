// The worth of all tokens of an address in US dollars.
import { Amount, isPrice } from '../../core/values/amount.ts';
import { dollars, natural } from '../../core/values/field-declarations.ts';
import type { AnyRecord, AnyView } from '../../core/values/fields.ts';
import type { DetectionScope } from '../../core/model/detection.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { TokenBalance } from '../../explorer/reading/resources/token.ts';
import { mapInSteps, type Steps } from '../../lib/steps.ts';
import { unpackItemsInSteps } from './items.ts';
import type { HoldingRow, HoldingsReading } from './reading.ts';
import type { HoldingsState } from './state.ts';

const TOTALS = {
  total_usd: dollars(
    null,
    'the worth in US dollars of the tokens that the config names, without scam tokens and the coin; unknown while one of them has no price',
  ),
  unpriced: natural(
    'the number of held tokens that the config does not name and for which the explorer has no price, or no decimals; pieces of a collection count once',
  ),
};

export const TOTAL_PATHS = Object.keys(TOTALS);

/** A row of the list, or the totals of the list. */
export const Holding: AnyRecord = TokenBalance.with(TOTALS);

export interface TotalOptions {
  readonly tokens?: 'all' | undefined;
  /**
   * True if an alert reads the totals. Otherwise they are not computed, because a list may have ten thousand tokens.
   */
  readonly readsTotals?: true | undefined;
}

export function readingTotals(options: TotalOptions, reads: readonly string[]): TotalOptions {
  return reads.some((path) => TOTAL_PATHS.includes(path)) ? { ...options, readsTotals: true } : options;
}

type TotalTarget = Pick<Target<TotalOptions>, 'namedTokens' | 'options'>;

interface Computed {
  readonly target: TotalTarget;
  readonly totals: AnyView;
}

// By the answer first, then by the state, because several watches may read one page. Most polls bring the same answer.
const computedByState = new WeakMap<object, WeakMap<HoldingsState, Computed>>();

/** The totals of the list after the reading that made this state. */
export function* totalsOf(
  target: TotalTarget,
  state: HoldingsState | null,
  seen: HoldingsReading,
  scope: Pick<DetectionScope, 'isComplete'>,
): Steps<AnyView> {
  if (state === null || target.options.readsTotals !== true) return NO_TOTALS;
  const { content } = seen;
  const known = content && computedByState.get(content)?.get(state);
  if (known?.target === target) return known.totals;
  const isSummed = yield* isWhole(state, seen, scope);
  const totals = isSummed ? yield* sumOf(target, [...seen.rows.values()]) : NO_TOTALS;
  if (content !== undefined)
    computedByState.set(content, (computedByState.get(content) ?? new WeakMap()).set(state, { target, totals }));
  return totals;
}

const NO_TOTALS = Holding.make({});

/** False while a remembered token is missing and does not count as gone yet. */
function* isWhole(
  { items, hasBaseline }: HoldingsState,
  { rows, nameless }: HoldingsReading,
  { isComplete }: Pick<DetectionScope, 'isComplete'>,
): Steps<boolean> {
  if (!isComplete || !hasBaseline || nameless > 0) return false;
  return (yield* unpackItemsInSteps(items)).size === rows.size;
}

function* sumOf(target: TotalTarget, rows: readonly HoldingRow[]): Steps<AnyView> {
  const parts = yield* mapInSteps(rows, (row) => partOf(target, row));
  const unpriced = new Set(parts.flatMap((part) => (part.type === 'unpriced' ? [part.token] : [])));
  return Holding.make({
    total_usd: sumUp(parts.flatMap((part) => (part.type === 'summed' ? [part.usd] : []))),
    unpriced: BigInt(unpriced.size),
  });
}

type Part =
  | { readonly type: 'summed'; readonly usd: Amount | undefined }
  | { readonly type: 'unpriced'; readonly token: string }
  | { readonly type: 'left-out' };

function partOf({ namedTokens, options }: TotalTarget, row: HoldingRow): Part {
  const isAll = options.tokens === 'all';
  const token = row.token?.address_hash?.key ?? '';
  if (!isAll && row.token?.reputation === 'scam') return { type: 'left-out' };
  if (namedTokens?.has(token) === true) return { type: 'summed', usd: row.balance_usd };
  if (hasNoPrice(row)) return { type: 'unpriced', token };
  return isAll ? { type: 'summed', usd: row.balance_usd } : { type: 'left-out' };
}

/** True also for a token without decimals: anybody can make one, and it must not make a total unknown for ever. */
function hasNoPrice({ raw, balance, token }: HoldingRow): boolean {
  if (raw === 0n) return false;
  return !isPrice(token?.exchange_rate) || (raw !== undefined && balance === undefined);
}

function sumUp(worths: readonly (Amount | undefined)[]): Amount | undefined {
  return worths.reduce((sum, usd) => (usd === undefined ? undefined : sum?.plus(usd)), new Amount(0n, 0));
}
