import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { getTasks } from 'node-cron';
import { createCron } from '../../src/engine/cron.ts';
import { loadWatches } from '../support/world.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 0, 1, 0, 0, 0) });
});

afterEach(() => {
  jest.useRealTimers();
});

const rule = (id: string, cron: string): string =>
  `  - { id: ${id}, kind: blocks, cron: '${cron}', alerts: [{ id: block, on: new }] }\n`;

test('one task for each distinct expression, in UTC, gone when nobody wants it', async () => {
  const ticks: string[] = [];
  const cron = createCron({
    onTick: (watches, due) =>
      ticks.push(`${new Date(due).toISOString().slice(14, 19)} ${watches.map((one) => one.rule).join('+')}`),
  });
  const before = getTasks().size;
  cron.set(
    loadWatches(`watches:\n${rule('a', '*/20 * * * * *')}${rule('b', '*/20 * * * * *')}${rule('c', '0 * * * * *')}`),
  );
  expect(getTasks().size - before).toBe(2);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(ticks.toSorted()).toEqual(['00:20 a+b', '00:40 a+b', '01:00 a+b', '01:00 c']);
  cron.set(loadWatches(`watches:\n${rule('c', '0 * * * * *')}`));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(ticks.slice(4)).toEqual(['02:00 c']);
  cron.stop();
  await jest.advanceTimersByTimeAsync(120_000);
  expect(ticks).toHaveLength(5);
  expect(getTasks().size).toBe(before);
});
