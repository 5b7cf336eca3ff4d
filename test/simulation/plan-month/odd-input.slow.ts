// Four hours of a plan around midnight, in which explorer, config or clock do something odd. Never is more spent than
// there is, and critical watches are never blind for longer than the explorer refuses.
import { expect, test } from '@jest/globals';
import type { WrittenPlan } from '../../../src/explorer/spending/bookkeeper.ts';
import { createDraw } from '../draw.ts';
import { createWallClock, type WallClock } from '../machine/clock.ts';
import { createMonthClock, liveFor, watchesOf, type Living, type MonthOptions, type Some } from './month.ts';
import { createServer, type CountingServer, type ServerOptions } from './server.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const CREDITS = 43_200;
/** At 21:00. Until midnight critical watches need 3,600, and all together want 14,400. */
const LEFT = 7000;
const PLAN: WrittenPlan = { credits: CREDITS, per: 'day', resets: null, reservePercent: 0, enrichPercent: 2 };
const WATCHES: readonly Some[] = [
  { count: 1, every: '1m', severity: 'critical' },
  { count: 2, every: '1m', severity: 'warning' },
  { count: 1, every: '1m', severity: 'info' },
];
/** In minutes after 21:00. */
const [MIDNIGHT, END] = [180, 240];

interface Scene {
  readonly now: number;
  readonly server: CountingServer;
  readonly wall: WallClock;
  readonly process: Living;
}

interface Odd {
  readonly server?: Partial<ServerOptions>;
  readonly process?: Partial<Pick<MonthOptions, 'restartsAt' | 'rowAtRestart' | 'takes'>>;
  /** Happens at that minute. */
  readonly at?: number;
  readonly happens?: (scene: Scene) => void;
  readonly left?: number;
  /** Left out: `WATCHES`. */
  readonly watches?: readonly Some[];
  /** The most refusals; left out: none. */
  readonly refused?: number;
  /** The most minutes from one answer to a critical watch to the next; left out: one, and what an answer takes. */
  readonly blind?: number;
  /** The least of what there is that is used until midnight, in percent; left out: 90. */
  readonly used?: number;
}

function saying(...said: readonly (string | number | null)[]): Partial<ServerOptions> {
  return { says: (_, requests) => said[requests % said.length] ?? null };
}

async function live({ server: odd, process, at, happens, left = LEFT, watches = WATCHES }: Odd) {
  const clock = createMonthClock();
  const start = clock.now() + 21 * HOUR;
  const from = clock.now();
  await clock.runUntil(start);
  const wall = createWallClock(clock);
  const draw = createDraw('odd input');
  const server = createServer({ credits: CREDITS, from, draw, ...odd });
  server.spend(CREDITS - left, start);
  const month = await liveFor((END * MINUTE) / DAY, {
    watches: watchesOf(watches),
    plan: PLAN,
    clock,
    wall,
    server,
    draw,
    ...process,
    happens(now, running) {
      if (now === start + (at ?? NaN) * MINUTE) happens?.({ now, server, wall, process: running });
    },
  });
  const { critical, warning } = month.answered;
  const times = [start, ...(critical.length > 0 ? critical : warning), start + END * MINUTE];
  const blind = Math.max(...times.slice(1).map((time, i) => time - (times[i] ?? time))) / MINUTE;
  const there = CREDITS - (server.foreign[0] ?? NaN);
  return { refused: server.refused, blind, used: (100 * (server.spent[0] ?? NaN)) / Math.max(1, there) };
}

const refusesBetween = (from: number, until: number): NonNullable<ServerOptions['refuses']> => {
  const start = createMonthClock().now() + 21 * HOUR;
  return (now) => now >= start + from * MINUTE && now < start + until * MINUTE;
};

const FIRST_LIES: Partial<ServerOptions> = { says: (left, requests) => (requests === 1 ? 0 : left) };

const NO_CRITICAL: readonly Some[] = [
  { count: 3, every: '1m', severity: 'warning' },
  { count: 1, every: '1m', severity: 'info' },
];

const ODD: Readonly<Record<string, Odd>> = {
  'nothing odd': {},
  'no header': { server: saying(null), used: 70 },
  'no header but now and then': { server: { says: (left, requests) => (requests % 20 === 0 ? left : null) } },
  '-1 always': { server: saying(-1), used: 70 },
  '-1 now and then': { server: { says: (left, requests) => (requests % 3 === 0 ? -1 : left) } },
  'words in place of a number': { server: saying('plenty', '', 'NaN', 'Infinity', '1e5', '0x10', '60,000'), used: 70 },
  'two numbers': { server: { says: (left) => `${left}, ${left + 20}` }, used: 70 },
  'a number in decimals': { server: { says: (left) => `${left}.0` } },
  'more than anybody has': { server: saying('999999999999999999'), refused: 16, blind: 100 },
  'a header that falls by more than the price: critical watches alone do not fit then': {
    server: { charges: 33 },
    blind: 1.3,
  },
  'a header that falls by less than the price': { server: { charges: 7 }, used: 60 },
  'a header that rises with each answer': {
    server: { says: (left, requests) => left + 25 * requests },
    refused: 16,
    blind: 80,
  },
  'a header that always shows the same': { server: saying(LEFT), refused: 16, blind: 80 },
  'a header that shows nothing left, once': {
    server: { says: (left, requests) => (requests === 40 ? 0 : left) },
  },
  'the same without critical watches': {
    server: { says: (left, requests) => (requests === 40 ? 0 : left) },
    watches: NO_CRITICAL,
    blind: 3.1,
  },
  'a first header that shows nothing left': {
    server: FIRST_LIES,
  },
  'the same without critical watches from the start': {
    server: FIRST_LIES,
    watches: NO_CRITICAL,
    blind: 3.1,
  },
  'the same, and all watches are critical': {
    server: FIRST_LIES,
    watches: [{ count: 1, every: '1m', severity: 'critical' }],
    left: 4500,
    used: 79,
  },
  'a header that shows nothing left, once, and one warning is all that asks': {
    server: { says: (left, requests) => (requests === 40 ? 0 : left) },
    watches: [{ count: 1, every: '1m', severity: 'warning' }],
    left: 3650,
  },
  'the same, every ten minutes': {
    server: { says: (left, requests) => (requests === 4 ? 0 : left) },
    watches: [{ count: 1, every: '10m', severity: 'warning' }],
    left: 500,
    blind: 10.1,
    used: 70,
  },
  'a header that shows a whole plan, once': {
    server: { says: (left, requests) => (requests === 40 ? CREDITS : left) },
  },
  'nothing left, and still it answers': { left: 0, server: { answersBelowZero: true }, blind: 24.5, used: -Infinity },
  'a refusal of five minutes although credits are left': {
    server: { refuses: refusesBetween(60, 65) },
    refused: 6,
    blind: 10,
  },
  'the same, and no header': {
    server: { ...saying(null), refuses: refusesBetween(60, 65) },
    refused: 1,
    blind: 11.1,
    used: 70,
  },
  'a refusal of a second': { server: { refuses: refusesBetween(60, 60.05) }, refused: 2, blind: 2 },
  'a plan that gives less from midnight on': { server: { givesLater: 35_000 } },
  'a plan that gives nothing at midnight, for an hour': { server: { givesLater: 0 }, refused: 16, blind: 61 },
  'a plan that gives more from midnight on': { server: { givesLater: 86_400 } },
  'credits that are taken away': {
    at: 60,
    happens: ({ server, now }) => {
      server.spend(1000, now);
    },
  },
  'credits that are bought': {
    at: 60,
    happens: ({ server }) => {
      server.give(5000);
    },
  },
  'a reload with a plan that is too small even for critical watches': {
    at: 60,
    happens: ({ process }) => {
      process.reload({ ...PLAN, credits: 10_000 });
    },
    blind: 3.3,
  },
  'a reload with a larger plan': {
    at: 60,
    happens: ({ process }) => {
      process.reload({ ...PLAN, credits: 100_000 });
    },
  },
  'a reload with a plan of a month, which the rest of the day does not last': {
    at: 60,
    happens: ({ process }) => {
      process.reload({ ...PLAN, per: 'month' });
    },
    blind: 24.1,
    used: 30,
  },
  'a clock that jumps an hour ahead: the explorer refuses until midnight': {
    at: 60,
    happens: ({ wall }) => {
      wall.shift(HOUR);
    },
    refused: 16,
    blind: 61,
  },
  'a clock that jumps over midnight: what is left has to last for a day': {
    at: 60,
    happens: ({ wall }) => {
      wall.shift(3 * HOUR);
    },
    blind: 7,
    used: 35,
  },
  'a clock that jumps ten days ahead': {
    at: 60,
    happens: ({ wall }) => {
      wall.shift(10 * DAY);
    },
  },
  'a clock that is set back by an hour': {
    at: 60,
    happens: ({ wall }) => {
      wall.shift(-HOUR);
    },
    used: 70,
  },
  'a clock that is set back by ten days': {
    at: 60,
    happens: ({ wall }) => {
      wall.shift(-10 * DAY);
    },
  },
  'a clock that is set back at midnight': {
    at: MIDNIGHT,
    happens: ({ wall }) => {
      wall.shift(-10 * MINUTE);
    },
    blind: 2.1,
  },
  'answers that take twenty seconds, over midnight': { process: { takes: 10_000 }, blind: 1.4 },
  'a restart without a row, or with one that is damaged': {
    process: { restartsAt: [2 * HOUR], rowAtRestart: 'none' },
  },
  'a kill with a request under way, of which the row knows nothing': {
    process: { restartsAt: [2 * HOUR], rowAtRestart: 'ten seconds old' },
    at: 120,
    happens: ({ server, now }) => void server.ask(20, now),
  },
};

test('a plan that is refilled at 06:30, and nobody said so: never refused, and used whole from the first refill on', async () => {
  const clock = createMonthClock();
  const start = clock.now();
  const draw = createDraw('another time');
  const server = createServer({ credits: CREDITS, from: start - 17.5 * HOUR, draw });
  const month = await liveFor(4, {
    watches: watchesOf(WATCHES),
    plan: PLAN,
    clock,
    server,
    draw,
    restartsAt: [12 * HOUR],
  });
  expect(server.refused).toBe(0);
  const answered = month.answered.critical;
  const gaps = answered.slice(1).map((at, i) => at - (answered[i] ?? at));
  expect(Math.max(...gaps)).toBeLessThan(1.1 * MINUTE);
  const [, second = 0, third = 0] = server.spent;
  expect(Math.min(second, third)).toBeGreaterThan(0.9 * CREDITS);
});

test.each(Object.entries(ODD))('odd input: %s', async (_, odd) => {
  const lived = await live(odd);
  expect(lived.refused).toBeLessThanOrEqual(odd.refused ?? 0);
  expect(lived.blind).toBeLessThanOrEqual(odd.blind ?? 1.1);
  expect(lived.used).toBeGreaterThanOrEqual(odd.used ?? 90);
});
