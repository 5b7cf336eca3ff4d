// Balances in US dollars, and their sums.
import type { Figures } from '../../core/model/figures.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { Amount } from '../../core/values/amount.ts';
import type { AccountTotals, ExplorerTotal } from '../shapes/accounts.ts';

/** A balance. Undefined: unknown. */
export interface Worth {
  readonly explorer: string;
  /** Equal for two watches that read the same balance. */
  readonly key: string;
  readonly amount: Amount | undefined;
  readonly usd: Amount | undefined;
  readonly rate: Amount | undefined;
}

export function worthOf({ kind, target, of, token }: Watch, figures: Figures | null): Worth {
  const { measured = null, worth } = kind.while ?? {};
  const valueOf = (path: string | null | undefined): Amount | undefined =>
    path === null || path === undefined ? undefined : figures?.values[path];
  return {
    explorer: target.explorer,
    key: JSON.stringify([target.explorer, of?.address.toLowerCase(), token?.address.toLowerCase()]),
    amount: valueOf(measured),
    usd: valueOf(worth?.usd),
    rate: valueOf(worth?.price),
  };
}

/** Each balance counts once. A balance without a known worth is in no sum, and counted beside them. */
export function totalsOf(all: readonly Worth[]): AccountTotals {
  const each = [...new Map(all.map((one) => [one.key, one])).values()];
  const byExplorer = [...Map.groupBy(each, ({ explorer }) => explorer)];
  return {
    ...sumOf(each),
    explorers: byExplorer.map(([explorer, worths]): ExplorerTotal => ({ explorer, ...sumOf(worths) })),
  };
}

function sumOf(worths: readonly Worth[]): Omit<ExplorerTotal, 'explorer'> {
  const known = worths.flatMap(({ usd }) => usd ?? []);
  return {
    usd: known.length === 0 ? null : known.reduce((sum, usd) => sum.plus(usd), ZERO).toString(),
    balances: known.length,
    unpriced: worths.filter(({ amount, usd }) => amount !== undefined && usd === undefined).length,
    unknown: worths.filter(({ amount }) => amount === undefined).length,
  };
}

const ZERO = new Amount(0n, 0);
