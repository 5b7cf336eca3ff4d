// Balances in US dollars, and their sums.
import type { Figures } from '../../core/model/figures.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { balanceKey, distinctBalances, type KnownBalance } from '../../core/model/distinct-balances.ts';
import { Amount } from '../../core/values/amount.ts';
import type { AccountTotals, ExplorerTotal } from '../shapes/accounts.ts';

/** A balance. Undefined: unknown. */
export interface Worth extends KnownBalance {
  readonly explorer: string;
  readonly usd: Amount | undefined;
  readonly rate: Amount | undefined;
}

export function worthOf(watch: Watch, figures: Figures | null, isOld: boolean): Worth {
  const { measured = null, worth } = watch.kind.while ?? {};
  const valueOf = (path: string | null | undefined): Amount | undefined =>
    path === null || path === undefined ? undefined : figures?.values[path];
  return {
    explorer: watch.target.explorer,
    at: figures?.at ?? null,
    isOld,
    key: balanceKey(watch),
    amount: valueOf(measured),
    usd: valueOf(worth?.usd),
    rate: valueOf(worth?.price),
  };
}

/**
 * Each balance counts once, as the newest answer has it. A balance without a known worth is in no sum, and counted
 * beside them.
 */
export function totalsOf(all: readonly Worth[]): AccountTotals {
  const each = distinctBalances(all);
  const byExplorer = [...Map.groupBy(each, ({ explorer }) => explorer)];
  return {
    ...sumOf(each),
    explorers: byExplorer.map(([explorer, worths]): ExplorerTotal => ({ explorer, ...sumOf(worths) })),
  };
}

function sumOf(worths: readonly Worth[]): Omit<ExplorerTotal, 'explorer'> {
  const known = worths.flatMap(({ usd }) => usd ?? []);
  const old = worths.filter(({ usd, isOld }) => usd !== undefined && isOld);
  return {
    usd: known.length === 0 ? null : known.reduce((sum, usd) => sum.plus(usd), ZERO).toString(),
    balances: known.length,
    old: old.length,
    unpriced: worths.filter(({ amount, usd }) => amount !== undefined && usd === undefined).length,
    unknown: worths.filter(({ amount }) => amount === undefined).length,
  };
}

const ZERO = new Amount(0n, 0);
