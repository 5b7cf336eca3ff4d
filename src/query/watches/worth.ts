// Balances in US dollars, and their sums.
import type { Figures } from '../../core/model/figures.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';
import { Amount } from '../../core/values/amount.ts';
import type { AccountTotals, ExplorerTotal } from '../shapes/accounts.ts';

/** A balance. Undefined: unknown. */
export interface Worth {
  readonly explorer: string;
  /** When it was read; null: never. */
  readonly at: Instant | null;
  readonly isOld: boolean;
  /** Equal for two watches that read the same balance. */
  readonly key: string;
  readonly amount: Amount | undefined;
  readonly usd: Amount | undefined;
  readonly rate: Amount | undefined;
}

export function worthOf({ kind, target, of, token }: Watch, figures: Figures | null, isOld: boolean): Worth {
  const { measured = null, worth } = kind.while ?? {};
  const valueOf = (path: string | null | undefined): Amount | undefined =>
    path === null || path === undefined ? undefined : figures?.values[path];
  return {
    explorer: target.explorer,
    at: figures?.at ?? null,
    isOld,
    key: JSON.stringify([target.explorer, of?.address.toLowerCase(), token?.address.toLowerCase()]),
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
  const each = [...new Map(all.toSorted(byTrust).map((one) => [one.key, one])).values()];
  const byExplorer = [...Map.groupBy(each, ({ explorer }) => explorer)];
  return {
    ...sumOf(each),
    explorers: byExplorer.map(([explorer, worths]): ExplorerTotal => ({ explorer, ...sumOf(worths) })),
  };
}

/** The last of several readings of one balance is the best one. */
function byTrust(a: Worth, b: Worth): number {
  const known = Number(a.amount !== undefined) - Number(b.amount !== undefined);
  const current = Number(b.isOld) - Number(a.isOld);
  return known || current || (a.at ?? 0) - (b.at ?? 0);
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
