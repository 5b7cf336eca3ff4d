// Sums of counted items by the time they happened, for the sums and ratios of `at_least`.
import type { Instant } from '../../lib/clock.ts';
import type { Tally } from '../model/memory.ts';
import { Amount } from '../values/amount.ts';

export const ZERO = new Amount(0n, 0);
export const ONE = new Amount(1n, 0);

/**
 * The window is divided into this many moments. The items of a moment are added up, with the time of the newest. This
 * keeps memory small, however busy the chain is.
 */
const MOMENTS = 500;
/** Twice as many are kept, because of items with a future time (their clock is ahead). */
const MOST = 2 * MOMENTS;

export interface Counting {
  readonly now: Instant;
  readonly withinMs: number;
  /** Tallies that count at any moment from this time on are kept, unless there are too many. */
  readonly judgedUntil: Instant;
}

/** Adds an item and removes tallies that are too old. Tallies are sorted by time, the oldest first. */
export function tallied(
  tallies: readonly Tally[],
  item: { readonly at: Instant; readonly amount: Amount },
  { now, withinMs, judgedUntil }: Counting,
): readonly Tally[] {
  const from = (tallies.length < MOST ? judgedUntil : now) - withinMs;
  const kept = talliesAfter(tallies, from);
  if (item.at <= from) return kept;
  const width = Math.ceil(withinMs / MOMENTS);
  const momentOf = (at: Instant): number => Math.floor(at / width);
  const place = kept.findLastIndex(([at]) => momentOf(at) <= momentOf(item.at));
  const [at, items, total] = kept[place] ?? NONE;
  if (place < 0 || momentOf(at) !== momentOf(item.at))
    return kept.toSpliced(place + 1, 0, [item.at, 1, item.amount.toString()]).slice(0, MOST);
  return kept.with(place, [Math.max(at, item.at), items + 1, amountIn(total).plus(item.amount).toString()]);
}

const NONE: Tally = [0, 0, '0'];

/** The tallies after `from`. The same object if these are all. */
export function talliesAfter(tallies: readonly Tally[], from: Instant): readonly Tally[] {
  return tallies.every(([at]) => at > from) ? tallies : tallies.filter(([at]) => at > from);
}

export interface Totals {
  readonly items: number;
  readonly total: Amount;
}

/** The totals of the tallies up to `until`. */
export function totalsOf(tallies: readonly Tally[], until: Instant): Totals {
  const past = tallies.filter(([at]) => at <= until);
  return {
    items: past.reduce((sum, [, items]) => sum + items, 0),
    total: past.reduce((sum, [, , total]) => sum.plus(amountIn(total)), ZERO),
  };
}

/**
 * The newest moment at which `isSo` holds: `at`, or the time of a tally after `from`; null = none. At each moment the
 * tallies of the `withinMs` before it count.
 */
export function lastAddedUp(
  tallies: readonly Tally[],
  withinMs: number,
  { from, at }: { readonly from: Instant; readonly at: Instant },
  isSo: (totals: Totals) => boolean,
): Instant | null {
  if (isSo(totalsOf(talliesAfter(tallies, at - withinMs), at))) return at;
  let held: Instant | null = null;
  let oldest = 0;
  let [items, total] = [0, ZERO];
  for (const [then, more, amount] of tallies) {
    if (then > at) break;
    [items, total] = [items + more, total.plus(amountIn(amount))];
    for (let first = tallies[oldest]; first !== undefined && first[0] <= then - withinMs; first = tallies[oldest]) {
      [items, total] = [items - first[1], total.minus(amountIn(first[2]))];
      oldest += 1;
    }
    if (then > from && isSo({ items, total })) held = then;
  }
  return held;
}

function amountIn(text: string): Amount {
  return Amount.parse(text) ?? ZERO;
}
