// The worth of all tokens of an address in US dollars.
import { Amount } from '../../core/values/amount.ts';
import { isPrice } from '../../core/values/dollars.ts';
import { dollars, natural } from '../../core/values/field-declarations.ts';
import type { AnyRecord, AnyView } from '../../core/values/fields.ts';
import type { DetectionScope } from '../../core/model/detection.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { TokenBalance } from '../../explorer/reading/resources/token.ts';
import { unpackItems } from './items.ts';
import type { HoldingRow, HoldingsReading } from './reading.ts';
import type { HoldingsState } from './state.ts';

const TOTALS = {
  total_usd: dollars(
    null,
    'what the tokens that the config names are worth in US dollars, without scam tokens and the coin; unknown while one of them has no price',
  ),
  unpriced: natural('how many tokens are held that the config does not name and the explorer has no price of'),
};

export const TOTAL_PATHS = Object.keys(TOTALS);

/** A row of the list, or the totals of the list. */
export const Holding: AnyRecord = TokenBalance.with(TOTALS);

export interface TotalOptions {
  readonly tokens?: 'all' | undefined;
}

type TotalTarget = Pick<Target<TotalOptions>, 'namedTokens' | 'options'>;

interface Computed {
  readonly target: TotalTarget;
  readonly totals: AnyView;
}

// By the answer first, then by the state, because several watches may read one page. Most polls bring the same answer.
const computedByState = new WeakMap<object, WeakMap<HoldingsState, Computed>>();

/** The totals of the list after the reading that made this state. */
export function totalsOf(
  target: TotalTarget,
  state: HoldingsState | null,
  seen: HoldingsReading,
  scope: Pick<DetectionScope, 'isComplete'>,
): AnyView {
  if (state === null) return NO_TOTALS;
  const { content } = seen;
  const known = content && computedByState.get(content)?.get(state);
  if (known?.target === target) return known.totals;
  const totals = isWhole(state, seen, scope) ? sumOf(target, [...seen.rows.values()]) : NO_TOTALS;
  if (content !== undefined)
    computedByState.set(content, (computedByState.get(content) ?? new WeakMap()).set(state, { target, totals }));
  return totals;
}

const NO_TOTALS = Holding.make({});

/** False while a remembered token is missing and does not count as gone yet. */
function isWhole(
  { items, hasBaseline }: HoldingsState,
  { rows, nameless }: HoldingsReading,
  { isComplete }: Pick<DetectionScope, 'isComplete'>,
): boolean {
  return isComplete && hasBaseline && nameless === 0 && unpackItems(items).size === rows.size;
}

function sumOf({ namedTokens, options }: TotalTarget, rows: readonly HoldingRow[]): AnyView {
  const isAll = options.tokens === 'all';
  const asked = isAll ? rows : rows.filter(({ token }) => token?.reputation !== 'scam');
  const isNamed = ({ token }: HoldingRow): boolean => namedTokens?.has(token?.address_hash?.key ?? '') === true;
  const named = asked.filter(isNamed);
  const others = asked.filter((row) => !isNamed(row));
  const priced = others.filter(({ token }) => isPrice(token?.exchange_rate));
  return Holding.make({
    total_usd: sumUp([...named, ...(isAll ? priced : [])]),
    unpriced: BigInt(others.length - priced.length),
  });
}

function sumUp(rows: readonly HoldingRow[]): Amount | undefined {
  return rows.reduce<Amount | undefined>(
    (sum, { balance_usd }) => (balance_usd === undefined ? undefined : sum?.plus(balance_usd)),
    new Amount(0n, 0),
  );
}
