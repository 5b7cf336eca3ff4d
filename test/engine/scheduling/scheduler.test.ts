import { expect, test } from '@jest/globals';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { phaseOf } from '../../../src/core/model/watch/schedule.ts';
import { createScheduler } from '../../../src/engine/scheduling/scheduler.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { loadWatches } from '../../support/world.ts';

const ALERTS = 'alerts: [{ id: moved, on: changed }]';
const rule = (id: string, of: string, every: string): string =>
  `  - { id: ${id}, kind: balance, of: ${of}, every: ${every}, ${ALERTS} }\n`;

function running(watches: readonly Watch[], atOnce: readonly Watch[] = []) {
  const clock = createFakeClock();
  const start = clock.now();
  const ticks: string[] = [];
  const lags: number[] = [];
  const stop = new AbortController();
  const scheduler = createScheduler({
    clock,
    onTick: (due) => ticks.push(`${(clock.now() - start) / 1000} ${due.map(({ rule: id }) => id).join('+')}`),
    onLag: (seconds) => lags.push(seconds),
  });
  scheduler.set(watches, atOnce);
  return { clock, scheduler, ticks, lags, stop, ended: scheduler.run(stop.signal) };
}

test('watches that ask the same at the same pace share their ticks; others are spread over the period', async () => {
  const watches = loadWatches(
    `watches:\n${rule('a', 'treasury', '1m')}${rule('b', 'treasury', '1m')}${rule('c', 'vault', '1m')}`,
  );
  const { clock, ticks, stop, ended } = running(watches);
  await clock.advance(120_000);
  stop.abort();
  await ended;
  const together = ticks.filter((tick) => tick.endsWith(' a+b')).map((tick) => Number(tick.split(' ')[0]));
  expect(together).toHaveLength(2);
  expect((together[1] ?? 0) - (together[0] ?? 0)).toBeCloseTo(60, 6);
  expect(ticks.filter((tick) => tick.endsWith(' c'))).toHaveLength(2);
  expect(new Set(watches.map(phaseOf)).size).toBe(2);
});

test('of many watches, those that are due within a moment are polled together, each once in its interval', async () => {
  const addresses = Array.from({ length: 500 }, (_, i) => `'0x${String(i).padStart(40, '0')}'`);
  const watches = loadWatches(`watches:\n${rule('many', `[${addresses.join(', ')}]`, '10s')}`);
  const { clock, ticks, stop, ended } = running(watches);
  await clock.advance(10_000);
  stop.abort();
  await ended;
  expect(ticks.flatMap((tick) => tick.split('+'))).toHaveLength(500);
  expect(ticks.length).toBeLessThan(200);
  expect(ticks.length).toBeGreaterThan(150);
});

test('after a standstill each watch is due once, not once for every tick that passed', async () => {
  const watches = loadWatches(`watches:\n${rule('a', 'treasury', '10s')}`);
  const { clock, ticks, lags, stop, ended } = running(watches);
  await clock.setTo(clock.now() + 3_600_000);
  expect(ticks).toHaveLength(1);
  expect(lags[0]).toBeGreaterThan(3000);
  await clock.advance(10_000);
  expect(ticks).toHaveLength(2);
  stop.abort();
  await ended;
});

test('a clock that was set back by a day keeps no watch waiting for that day', async () => {
  const { clock, ticks, stop, ended } = running(loadWatches(`watches:\n${rule('a', 'treasury', '10s')}`));
  await clock.advance(30_000);
  expect(ticks).toHaveLength(3);
  await clock.setTo(clock.now() - 86_400_000);
  await clock.advance(30_000);
  expect(ticks.length).toBeGreaterThanOrEqual(5);
  await clock.advance(60_000);
  expect(ticks.length).toBeLessThanOrEqual(12);
  stop.abort();
  await ended;
});

test('what falls due while a new set is read is not left out', async () => {
  const watches = loadWatches(`watches:\n${rule('a', 'treasury', '10s')}${rule('b', 'vault', '1h')}`);
  const { clock, scheduler, ticks, stop, ended } = running(watches);
  await clock.advance(30_000);
  const before = ticks.length;
  clock.stall(10_000);
  scheduler.set(watches, []);
  expect(ticks.slice(before)).toEqual(['40 a']);
  await clock.advance(10_000);
  expect(ticks).toHaveLength(before + 2);
  stop.abort();
  await ended;
});

test('what is due at once is asked at once, and the new set replaces the old one', async () => {
  const [a] = loadWatches(`watches:\n${rule('a', 'treasury', '1h')}`);
  const b = loadWatches(`watches:\n${rule('b', 'vault', '10s')}`);
  if (a === undefined) throw new Error('no watch');
  const { clock, scheduler, ticks, stop, ended } = running([a], [a]);
  expect(ticks).toEqual(['0 a']);
  scheduler.set(b, []);
  await clock.advance(3_600_000);
  expect(ticks.filter((tick) => tick.endsWith(' a'))).toHaveLength(1);
  expect(ticks.filter((tick) => tick.endsWith(' b'))).toHaveLength(360);
  stop.abort();
  await ended;
});

test('watches whose tick failed are due again when the scheduler is started again', async () => {
  const [watch] = loadWatches(`watches:\n${rule('a', 'treasury', '10s')}`);
  if (watch === undefined) throw new Error('no watch');
  const clock = createFakeClock();
  const stop = new AbortController();
  let ticks = 0;
  const scheduler = createScheduler({
    clock,
    onTick() {
      ticks += 1;
      if (ticks === 1) throw new Error('a bug');
    },
    onLag: () => undefined,
  });
  scheduler.set([watch], []);
  const failed = expect(scheduler.run(stop.signal)).rejects.toThrow('a bug');
  await clock.advance(10_000);
  await failed;
  const ended = scheduler.run(stop.signal);
  await clock.advance(20_000);
  expect(ticks).toBe(3);
  stop.abort();
  await ended;
});

test('an informational watch does not take the only request that may leave from a critical one', async () => {
  const alerts = (severity: string): string => `alerts: [{ id: moved, on: changed, severity: ${severity} }]`;
  const watches = loadWatches(
    ['info', 'critical', 'warning']
      .map((severity) => `  - { id: ${severity}, kind: balance, of: treasury, every: 1m, ${alerts(severity)} }\n`)
      .reduce((text, rule) => text + rule, 'watches:\n'),
  );
  const { clock, ticks, stop, ended } = running(watches, watches);
  await clock.advance(60_000);
  stop.abort();
  await ended;
  expect(ticks.map((tick) => tick.split(' ')[1])).toEqual(['critical+warning+info', 'critical+warning+info']);
});

test('a watch that is to be asked again soon is polled once more, together with others, and otherwise as ever', async () => {
  const watches = loadWatches(`watches:\n${rule('a', 'treasury', '1h')}${rule('b', 'vault', '1h')}`);
  const [a, b] = watches;
  if (a === undefined || b === undefined) throw new Error('no watches');
  const { clock, scheduler, ticks, stop, ended } = running(watches);
  await clock.advance(1000);
  scheduler.pollAgain(a.id, 20_000);
  scheduler.pollAgain(b.id, 20_000);
  scheduler.pollAgain(a.id, 60_000);
  await clock.advance(120_000);
  expect(ticks).toEqual(['21 a+b']);
  await clock.advance(3_600_000);
  expect(ticks).toHaveLength(3);
  stop.abort();
  await ended;
});

test('a watch that a reload took out is not asked again', async () => {
  const [a] = loadWatches(`watches:\n${rule('a', 'treasury', '1h')}`);
  if (a === undefined) throw new Error('no watch');
  const { clock, scheduler, ticks, stop, ended } = running([a]);
  scheduler.pollAgain(a.id, 20_000);
  scheduler.set([], []);
  await clock.advance(60_000);
  expect(ticks).toEqual([]);
  stop.abort();
  await ended;
});

test('a start with a thousand watches does not skip the due times that follow it, and asks none twice for one of them', async () => {
  const watch = (i: number): string => rule(`w${i}`, `0x${i.toString(16).padStart(40, '0')}`, '10s');
  const watches = loadWatches(`watches:\n${Array.from({ length: 1000 }, (_, i) => watch(i)).join('')}`);
  const { clock, ticks, stop, ended } = running(watches, watches);
  const askedAt = (): Map<string, number[]> => {
    const times = new Map<string, number[]>();
    for (const [at, ids] of ticks.map((tick) => tick.split(' ')))
      for (const id of ids?.split('+') ?? []) times.set(id, [...(times.get(id) ?? []), Number(at)]);
    return times;
  };
  expect(askedAt().size).toBe(50);
  await clock.advance(10_000);
  expect(Math.max(...ticks.slice(1).map((tick) => tick.split('+').length))).toBeLessThanOrEqual(26);
  expect(askedAt().size).toBe(1000);
  const pauses = [...askedAt().values()].flatMap((times) => times.slice(1).map((at, i) => at - (times[i] ?? at)));
  expect(pauses.length).toBeGreaterThan(50);
  expect(Math.min(...pauses)).toBeGreaterThan(5);
  const before = [...askedAt().values()].flat().length;
  await clock.advance(10_000);
  expect([...askedAt().values()].flat()).toHaveLength(before + 1000);
  stop.abort();
  await ended;
});

test('a watch with a long interval is asked soon after a start, also where a frequent one with its question is due', async () => {
  const address = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`;
  const rules = Array.from(
    { length: 100 },
    (_, i) => rule(`often${i}`, address(i), '10s') + rule(`rare${i}`, address(i), '1d'),
  );
  const watches = loadWatches(`watches:\n${rules.join('')}`);
  const { clock, ticks, stop, ended } = running(watches, watches);
  await clock.advance(1000);
  const asked = new Set(ticks.flatMap((tick) => tick.split(' ')[1]?.split('+') ?? []));
  expect([...asked].filter((id) => id.startsWith('rare'))).toHaveLength(100);
  stop.abort();
  await ended;
});

test('many watches of one question are asked with one request after a start too', async () => {
  const watches = loadWatches(
    `watches:\n${Array.from({ length: 300 }, (_, i) => rule(`w${i}`, 'treasury', '10s')).join('')}`,
  );
  const { ticks, stop, ended } = running(watches, watches);
  expect(ticks.map((tick) => tick.split('+').length)).toEqual([300]);
  stop.abort();
  await ended;
});

test('a slower watch is due in a tick of a faster one that asks the same, so that one request answers both', async () => {
  const watches = loadWatches(`watches:\n${rule('fast', 'treasury', '1m')}${rule('slow', 'treasury', '5m')}`);
  const { clock, ticks, stop, ended } = running(watches);
  await clock.advance(600_000);
  stop.abort();
  await ended;
  const polled = ticks.map((tick) => tick.split(' ')[1]?.split('+').toSorted());
  expect(polled).toHaveLength(10);
  expect(polled.every((rules) => rules?.[0] === 'fast')).toBe(true);
  expect(polled.filter((rules) => rules?.length === 2)).toEqual([
    ['fast', 'slow'],
    ['fast', 'slow'],
  ]);
});

test('of watches of different paces that are due together, the most severe asks first', async () => {
  const [fast, slow] = [rule('fast', 'treasury', '1m'), rule('slow', 'treasury', '5m')];
  const critical = slow.replace('on: changed', 'on: changed, severity: critical');
  const { clock, ticks, stop, ended } = running(loadWatches(`watches:\n${fast}${critical}`));
  await clock.advance(300_000);
  stop.abort();
  await ended;
  expect(ticks.map((tick) => tick.split(' ')[1])).toContain('slow+fast');
});
