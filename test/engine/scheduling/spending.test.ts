import { expect, test } from '@jest/globals';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { createScheduler } from '../../../src/engine/scheduling/scheduler.ts';
import { createSpending, type Purse } from '../../../src/engine/scheduling/spending.ts';
import { createAccount } from '../../../src/explorer/spending/account.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { loadWatches } from '../../support/world.ts';
import { A_DAY } from '../../support/spending.ts';

const MINUTE = 60_000;

function rule(id: string, { of, every, severity }: { of: string; every: string; severity: string }): string {
  const alerts = `alerts: [{ id: moved, on: changed, severity: ${severity} }]`;
  return `  - { id: ${id}, kind: balance, of: ${of}, every: ${every}, ${alerts} }\n`;
}

/** A scheduler whose intervals are planned; `known`: the credits that are left for a day. */
function planned(rules: string, supply: Partial<typeof A_DAY> = {}, purse: Partial<Purse> = {}) {
  const clock = createFakeClock();
  const watches: readonly Watch[] = loadWatches(`watches:\n${rules}`);
  const start = clock.now();
  const ticks: { readonly at: number; readonly rules: readonly string[] }[] = [];
  const left = { ...A_DAY, ...supply };
  const stop = new AbortController();
  const spending = createSpending({
    purses: () => [
      {
        explorers: ['chain'],
        account: {
          supply: () => left,
          planned: () => undefined,
          facts: () => null,
          prices: () => new Map(),
          isProbeDue: () => false,
        },
        requestsPerSecond: Infinity,
        isStretched: true,
        ...purse,
      },
    ],
    watches: () => watches,
    clock,
    onChange: () => {
      scheduler.repace();
    },
    onProbe: ({ id }) => {
      scheduler.pollAgain(id, 0);
    },
  });
  const scheduler = createScheduler({
    clock,
    onTick: (due) => ticks.push({ at: clock.now() - start, rules: due.map(({ rule: id }) => id).toSorted() }),
    onLag: () => undefined,
    paceOf: spending.paceOf,
  });
  spending.plan();
  scheduler.set(watches, []);
  const ended = Promise.all([scheduler.run(stop.signal), spending.run(stop.signal)]);
  return {
    clock,
    watches,
    spending,
    left,
    ticksOf: (id: string) => ticks.filter((tick) => tick.rules.includes(id)).map(({ at }) => at),
    ticks,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

const CRITICAL = rule('vault', { of: 'vault', every: '1m', severity: 'critical' });
const WARNING = rule('coins', { of: 'treasury', every: '1m', severity: 'warning' });

function gapsOf(ticks: readonly number[]): number[] {
  return ticks.slice(1).map((at, i) => at - (ticks[i] ?? at));
}

test('a plan that suffices changes nothing', async () => {
  await using daemon = planned(CRITICAL + WARNING);
  await daemon.clock.advance(10 * MINUTE);
  expect([daemon.ticksOf('vault').length, daemon.ticksOf('coins').length]).toEqual([10, 10]);
});

test('warnings are asked less often where it does not suffice, evenly; critical watches as written', async () => {
  await using daemon = planned(CRITICAL + WARNING, { known: 45_000 });
  const [vault, coins] = daemon.watches;
  if (vault === undefined || coins === undefined) throw new Error('two watches');
  const pace = daemon.spending.paceOf(coins);
  expect(daemon.spending.paceOf(vault)).toBe(MINUTE);
  expect(pace / MINUTE).toBeCloseTo(28_800 / (45_000 - 40 - 28_800 * 1.05), 2);
  await daemon.clock.advance(60 * MINUTE);
  expect(daemon.ticksOf('vault')).toHaveLength(60);
  const gaps = gapsOf(daemon.ticksOf('coins'));
  expect(gaps.length).toBeGreaterThan(29);
  for (const gap of gaps) expect(Math.abs(gap - pace)).toBeLessThan(1000);
});

test('a price that was learned takes the place of the declared one, from the next plan on', async () => {
  const prices = new Map<string, number>();
  const account = {
    supply: () => A_DAY,
    planned: () => undefined,
    facts: () => null,
    prices: () => prices,
    isProbeDue: () => false,
  };
  await using daemon = planned(CRITICAL + WARNING, {}, { account });
  const [, coins] = daemon.watches;
  if (coins === undefined) throw new Error('two watches');
  expect(daemon.spending.paceOf(coins)).toBe(MINUTE);
  prices.set('address', 40);
  await daemon.clock.advance(MINUTE);
  expect(daemon.spending.paceOf(coins) / MINUTE).toBeCloseTo(57_600 / (100_000 - 80 - 57_600 * 1.05), 2);
});

test('a slower watch rides on the request of a faster one that asks the same', async () => {
  const both = rule('fast', { of: 'treasury', every: '1m', severity: 'critical' }) + WARNING;
  const filler = rule('filler', { of: 'vault', every: '10s', severity: 'warning' });
  await using daemon = planned(both + filler, { known: 80_000 });
  await daemon.clock.advance(60 * MINUTE);
  expect(daemon.ticksOf('fast')).toHaveLength(60);
  const rides = daemon.ticksOf('coins');
  expect(rides.length).toBeGreaterThan(10);
  expect(rides.length).toBeLessThan(31);
  for (const at of rides) expect(daemon.ticksOf('fast')).toContain(at);
});

test('the interval of a watch that rides is that of the ticks it takes, and it is asked as often as is said', async () => {
  const pairs = [
    ['2m', '3m', 'warning'],
    ['7m', '1m', 'critical'],
    ['10m', '45m', 'warning'],
  ] as const;
  for (const [fast, slow, severity] of pairs) {
    const both =
      rule('fast', { of: 'treasury', every: fast, severity }) +
      rule('slow', { of: 'treasury', every: slow, severity: 'warning' });
    const filler = rule('filler', { of: 'vault', every: '10s', severity: 'warning' });
    await using daemon = planned(both + filler, { known: 20_000 });
    const [first, second] = daemon.watches;
    if (first === undefined || second === undefined) throw new Error('two watches');
    const said = daemon.spending.paceOf(second);
    expect(said % daemon.spending.paceOf(first)).toBe(0);
    expect(said).toBeGreaterThan(second.schedule.intervalMs);
    await daemon.clock.advance(40 * said);
    const gaps = gapsOf(daemon.ticksOf('slow')).slice(1);
    expect(gaps.length).toBeGreaterThan(30);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(said + 100);
    expect(Math.min(...gaps)).toBeGreaterThan(0.85 * said);
  }
});

test('what becomes overdue when more is left is spread over the new interval, and comes once', async () => {
  await using daemon = planned(CRITICAL + WARNING, { known: 35_000 });
  await daemon.clock.advance(20 * MINUTE);
  const before = daemon.ticksOf('coins').length;
  Object.assign(daemon.left, { known: 100_000 });
  const changedAt = daemon.ticks.at(-1)?.at ?? 0;
  await daemon.clock.advance(3 * MINUTE);
  const after = daemon.ticksOf('coins').slice(before);
  expect(after.length).toBeGreaterThanOrEqual(2);
  expect(after.length).toBeLessThanOrEqual(3);
  expect(after[0]).toBeGreaterThan(changedAt);
});

test('a severity that no watch has was said to be asked 24 times less often', async () => {
  const account = createAccount({ clock: createFakeClock(), assumesPlan: false });
  account.setPlan({ credits: 100_000, per: 'day', resets: null, reservePercent: 0, enrichPercent: 2 });
  await using daemon = planned(rule('coins', { of: 'treasury', every: '10s', severity: 'warning' }), {}, { account });
  const { stretch, usual } = daemon.spending.stateOf('chain') ?? {};
  expect(stretch?.warning).toBeGreaterThan(1.5);
  expect([stretch?.critical, stretch?.info, usual?.info]).toEqual([1, 1, 1]);
});

test('without stretching, intervals stay as they are written', async () => {
  await using daemon = planned(CRITICAL + WARNING, { known: 1000 }, { isStretched: false });
  await daemon.clock.advance(10 * MINUTE);
  expect([daemon.ticksOf('vault').length, daemon.ticksOf('coins').length]).toEqual([10, 10]);
});

test('a limit of requests stretches in the same way where no credits are counted', async () => {
  const many = Array.from({ length: 40 }, (_, i) =>
    rule(`w${i}`, { of: `'0x${String(i).padStart(40, '0')}'`, every: '10s', severity: 'warning' }),
  ).join('');
  await using daemon = planned(many, { known: Infinity }, { requestsPerSecond: 1 });
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.ticks.flatMap(({ rules }) => rules).length).toBeLessThanOrEqual(0.9 * 600 + 40);
  expect(daemon.ticks.flatMap(({ rules }) => rules).length).toBeGreaterThan(450);
  const paced = daemon.spending.pacedBy('chain');
  expect(paced).toMatchObject({ perSecond: 1, stretch: { critical: 1, warning: expect.closeTo(4.7, 0), info: 1 } });
  expect(paced?.wantedPerSecond).toBeCloseTo(4);
});
