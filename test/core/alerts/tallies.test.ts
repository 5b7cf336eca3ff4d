// Sums over a time, in little memory and without rounding.
import { expect, test } from '@jest/globals';
import { lastAddedUp, tallied, talliesAfter, totalsOf } from '../../../src/core/alerts/tallies.ts';
import type { Tally } from '../../../src/core/model/memory.ts';
import { Amount } from '../../../src/core/values/amount.ts';

const HOUR_MS = 3_600_000;
const WEI = new Amount(1n, 18);

/** One wei at each of these times, as they are read at `now`. */
function weiAt(times: readonly number[], now: number): readonly Tally[] {
  return times.reduce<readonly Tally[]>(
    (tallies, at) => tallied(tallies, { at, amount: WEI }, { now, withinMs: HOUR_MS, judgedUntil: now }),
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
      all.reduce<readonly Tally[]>(
        (tallies, item) => tallied(tallies, item, { now: 0, withinMs: HOUR_MS, judgedUntil: 0 }),
        [],
      ),
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

test('as of a moment, the tallies of the time before it count, and the newest such moment is found', () => {
  const tallies = [1, 2, 3, 50, 51].map((minute): Tally => [minute * 60_000, 1, '10']);
  const found = (least: number, { from = 0, at = 3_600_000 } = {}): number | null =>
    lastAddedUp(tallies, 600_000, { from, at }, ({ items, total }) => {
      expect(total.toString()).toBe(String(10 * items));
      return items >= least;
    });
  expect(found(2)).toBe(51 * 60_000);
  expect(found(3)).toBe(3 * 60_000);
  expect(found(3, { from: 3 * 60_000 })).toBeNull();
  expect(found(4)).toBeNull();
  expect(found(1, { at: 56 * 60_000 })).toBe(56 * 60_000);
});

test('what may still be judged is kept beside what counts now, unless it is too much', () => {
  const counting = { now: 20 * HOUR_MS, withinMs: HOUR_MS, judgedUntil: 18 * HOUR_MS };
  const old: Tally = [17.5 * HOUR_MS, 1, '1'];
  expect(tallied([old], { at: 19.5 * HOUR_MS, amount: WEI }, counting)).toHaveLength(2);
  const many = times(1000, 7200, 17.5 * HOUR_MS).map((at): Tally => [at, 1, '1']);
  const kept = tallied(many, { at: 20 * HOUR_MS, amount: WEI }, counting);
  expect(kept.every(([at]) => at > 19 * HOUR_MS)).toBe(true);
});
