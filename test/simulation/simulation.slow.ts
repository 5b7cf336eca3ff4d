import { expect, test } from '@jest/globals';
import { drawHistory, START } from './history.ts';
import { FAULT_KINDS, type FaultKind } from './faults/kinds.ts';
import { DAY_MS } from './life.ts';
import type { History, Logs, Verdict } from './model.ts';
import { OVER } from './over.ts';
import { run } from './run.ts';
import { shrink } from './shrink.ts';
import { verdictsOf } from './verdicts.ts';

/** Every byte of it. */
function textOf(logs: Logs): string {
  return JSON.stringify(logs, (_key, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
}

test('the same history leaves the same logs, byte for byte', async () => {
  const history = drawHistory(11, 1, FAULT_KINDS);
  const [first, second] = [textOf(await run(history)), textOf(await run(history))];
  expect(first.length).toBeGreaterThan(1_000_000);
  expect(second === first).toBe(true);
});

test.each([
  ['accounts', 7, 200],
  ['contracts', 1, 80],
] as const)('a day of all that can go wrong over %s shows nothing beyond the open list', async (what, seed, least) => {
  const logs = await run(OVER[what](drawHistory(seed, 1, FAULT_KINDS)));
  expect(verdictsOf(logs).unknown).toEqual([]);
  expect(logs.owed.length).toBeGreaterThan(least);
});

test('a longer history begins like a shorter one of the same seed', () => {
  const [short, long] = [drawHistory(5, 2, FAULT_KINDS), drawHistory(5, 4, FAULT_KINDS)];
  expect(long.faults.slice(0, short.faults.length)).toEqual(short.faults);
});

test('stories of what seldom meets come on top of all else, and before the day is over', () => {
  const { faults } = drawHistory(5, 20, FAULT_KINDS);
  const [own = [], others = []] = [true, false].map((is) => faults.filter(({ id }) => id.startsWith('m') === is));
  expect(new Set(own.map(({ id }) => id.slice(0, id.lastIndexOf('.')))).size).toBe(2 * 20);
  expect(own.length).toBeLessThan(others.length / 3);
  const days = own.map(({ id, at }) => [Number(id.slice(1, id.indexOf('.'))), Math.floor((at - START) / DAY_MS)]);
  expect(days.filter(([drawn, struck]) => drawn !== struck)).toEqual([]);
});

test('ten days hold faults of at least thirty kinds, and no kind is left out of all histories', () => {
  const kindsIn = (seed: number): FaultKind[] => drawHistory(seed, 10, FAULT_KINDS).faults.map(({ kind }) => kind);
  expect(new Set(kindsIn(1)).size).toBeGreaterThanOrEqual(30);
  expect(new Set([1, 2, 3, 4, 5].flatMap(kindsIn)).size).toBe(FAULT_KINDS.length);
  expect(FAULT_KINDS.length).toBeGreaterThanOrEqual(30);
});

test('a failing history is shortened to the faults that it takes', async () => {
  const history = drawHistory(3, 6, FAULT_KINDS);
  const [a, b] = [history.faults[17], history.faults[60]];
  const verdict: Verdict = { check: 'lost', at: (b?.at ?? START) + 1000, watch: 'vault', what: 'nobody was told' };
  const other: Verdict = { ...verdict, check: 'doubled' };
  let runs = 0;
  const fails = async ({ faults }: History): Promise<Verdict | null> => {
    runs += 1;
    if (a === undefined || b === undefined || !faults.includes(b)) return null;
    return faults.includes(a) ? verdict : other;
  };
  const shortest = await shrink(history, verdict, fails);
  expect(shortest.history.faults).toEqual([a, b]);
  expect(shortest.history.days).toBeLessThan(history.days);
  expect(runs).toBeLessThan(80);
});
