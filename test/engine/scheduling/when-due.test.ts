import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { getTasks } from 'node-cron';
import { createCron } from '../../../src/engine/scheduling/when-due.ts';
import { loadWatches } from '../../support/world.ts';

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

test('a machine that slept over a tick makes up for it once, and a clock that was set back is followed', async () => {
  const ticks: string[] = [];
  const cron = createCron({ onTick: (_watches, due) => ticks.push(new Date(due).toISOString().slice(8, 16)) });
  const look = (): void => {
    cron.check(Date.now());
  };
  cron.set(loadWatches(`watches:\n${rule('a', '0 9 * * *')}`));
  look();
  await jest.advanceTimersByTimeAsync(3_600_000);
  look();
  // Timers stand still while the machine sleeps, and the wall clock does not.
  jest.setSystemTime(Date.UTC(2026, 0, 2, 12));
  look();
  await jest.advanceTimersByTimeAsync(24 * 3_600_000);
  look();
  expect(ticks).toEqual(['01T09:00', '03T09:00']);
  jest.setSystemTime(Date.UTC(2026, 0, 1, 8));
  look();
  await jest.advanceTimersByTimeAsync(2 * 3_600_000);
  look();
  expect(ticks.slice(2)).toEqual(['01T09:00']);
  cron.stop();
});

test('either of two days is enough, and clocks of a zone count', async () => {
  jest.setSystemTime(Date.UTC(2026, 0, 1));
  const ticks: string[] = [];
  const cron = createCron({ onTick: (_watches, due) => ticks.push(new Date(due).toISOString().slice(8, 16)) });
  cron.set(loadWatches(`watches:\n${rule('a', '0 9 3 * 1')}`));
  await jest.advanceTimersByTimeAsync(6 * 24 * 3_600_000);
  expect(ticks).toEqual(['03T09:00', '05T09:00']);
  cron.set(loadWatches(`watches:\n${rule('a', '0 9 * * *').replace('cron:', 'zone: Asia/Tokyo, cron:')}`));
  await jest.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(ticks.slice(2)).toEqual(['08T00:00']);
  cron.stop();
});
