// Sums over a time, in little memory and without rounding.
import { expect, test } from '@jest/globals';
import { tallied, talliesAfter, totalsOf } from '../../../src/core/alerts/tallies.ts';
import type { Tally } from '../../../src/core/model/memory.ts';
import { Amount } from '../../../src/core/values/amount.ts';

const HOUR_MS = 3_600_000;
const WEI = new Amount(1n, 18);

/** One wei at each of these times, as they are read at `now`. */
function weiAt(times: readonly number[], now: number): readonly Tally[] {
  return times.reduce<readonly Tally[]>(
    (tallies, at) => tallied(tallies, { at, amount: WEI }, { now, withinMs: HOUR_MS }),
    [],
  );
}

/** `times(3, 10) // [0, 10, 20]` */
function times(count: number, stepMs: number, from = 0): readonly number[] {
  return Array.from({ length: count }, (_, i) => from + i * stepMs);
}

test('ten thousand items within the time are a few hundred entries, and their sum is exact', () => {
  const tallies = weiAt(times(10_000, 360), HOUR_MS - 1);
  expect(tallies.length).toBeLessThanOrEqual(501);
  const { items, total } = totalsOf(tallies, HOUR_MS);
  expect([items, total.toString()]).toEqual([10_000, '0.00000000000001']);
});

test('what is too old leaves the sum, at most a five-hundredth of the time late', () => {
  const tallies = weiAt(times(3600, 1000), HOUR_MS - 1);
  const { items } = totalsOf(talliesAfter(tallies, 1_800_000), HOUR_MS);
  expect(items).toBeGreaterThanOrEqual(1799);
  expect(items).toBeLessThanOrEqual(1799 + 8);
});

test('what is read hours late takes no place from what is new', () => {
  const tallies = weiAt(times(5000, 5000), 5000 * 5000);
  expect(totalsOf(tallies, 5000 * 5000).items).toBe(720 - 1);
});

test('items come in any order: the sum is the same', () => {
  const items = [5, 1, 4, 1, 3].map((minute) => ({ at: minute * 60_000, amount: new Amount(BigInt(minute), 0) }));
  const sumOf = (all: typeof items): unknown =>
    totalsOf(
      all.reduce<readonly Tally[]>((tallies, item) => tallied(tallies, item, { now: 0, withinMs: HOUR_MS }), []),
      4 * 60_000,
    );
  expect(sumOf(items)).toEqual(sumOf(items.toReversed()));
  expect(sumOf(items)).toEqual({ items: 4, total: new Amount(9n, 0) });
});

test('items whose clock is ahead count when their time has come, and fill no memory', () => {
  const tallies = weiAt(times(5000, HOUR_MS), 0);
  expect(tallies.length).toBe(1000);
  expect(totalsOf(tallies, 0).items).toBe(1);
  expect(totalsOf(tallies, HOUR_MS).items).toBe(2);
});
