// The month of a plan in each of its cases, and what must hold there.
import { createDraw } from '../draw.ts';
import { createMonthClock, liveFor, watchesOf, type Month, type Some } from './month.ts';
import { createServer, type CountingServer } from './server.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const CREDITS = 100_000;
/** The clocks of a day that counts as a whole one may differ by so much. */
const NEARLY_MS = 120_000;

export interface Case {
  readonly watches: readonly Some[];
  readonly credits?: number;
  /** Days. */
  readonly period?: number;
  /** The period began on this day of the month before, which others have used this part of. */
  readonly bought?: { readonly day: number; readonly used: number };
  readonly reservePercent?: number;
  /** The watches want no more than there is. */
  readonly suffices?: boolean;
  readonly failing?: number;
  readonly secondPages?: number;
  /** Full pages of one critical watch, each minute. */
  readonly deepPages?: number;
  /** By the number of the day and the time of it: credits that others spend in a minute. */
  readonly others?: (day: number, at: number) => number;
  readonly says?: (left: number, requests: number) => number | null;
  /** The plan is refilled so many milliseconds after midnight. */
  readonly resetsLate?: number;
  readonly startsAt?: number;
  readonly restartsAt?: readonly number[];
  /** Refusals that others or the test bring about are no fault. */
  readonly mayBeRefused?: boolean;
  /** Critical watches alone may want more than there is. */
  readonly mayStretchCritical?: boolean;
  /** The most and the least that warnings are stretched at the most. */
  readonly mostStretched?: number;
  readonly leastStretched?: number;
  /** The least part of what is there to be used; 0.97 unless it is said. */
  readonly leastUsed?: number;
  /** So many of a thousand critical polls may be missed. */
  readonly missed?: number;
}

const watches = (count: number, every: string, severity: Some['severity']): Some => ({ count, every, severity });
const RIDER: Some = { count: 1, every: '5m', severity: 'warning', asksAs: 0 };
const CRITICAL = [watches(1, '1m', 'critical'), watches(2, '5m', 'critical'), watches(5, '2h', 'critical'), RIDER];

/** Credits that they want in a day, in thousands. */
const WANT_89 = [
  ...CRITICAL,
  watches(1, '1m', 'warning'),
  watches(2, '5m', 'warning'),
  watches(28, '2h', 'warning'),
  watches(10, '6h', 'info'),
];
const WANT_142 = [
  ...CRITICAL,
  watches(2, '1m', 'warning'),
  watches(4, '5m', 'warning'),
  watches(25, '2h', 'warning'),
  watches(2, '10m', 'info'),
  watches(8, '30m', 'info'),
];
const WANT_257 = [
  ...CRITICAL,
  watches(5, '1m', 'warning'),
  watches(6, '5m', 'warning'),
  watches(20, '2h', 'warning'),
  watches(1, '1m', 'info'),
  watches(9, '6h', 'info'),
];
/** All but the critical ones keep their pace as long as they can. */
const FIXED_142 = WANT_142.map((some) => (some.severity === 'critical' ? some : { ...some, isFixed: true }));
const WANT_180 = [
  ...CRITICAL,
  watches(3, '1m', 'warning'),
  watches(5, '5m', 'warning'),
  watches(24, '2h', 'warning'),
  watches(2, '10m', 'info'),
  watches(8, '30m', 'info'),
];
const CRITICAL_174 = [
  watches(6, '1m', 'critical'),
  watches(2, '90m', 'critical'),
  watches(2, '1m', 'warning'),
  watches(30, '2h', 'warning'),
  watches(10, '6h', 'info'),
];

const between = (from: number, to: number, credits: number) => (_: number, at: number) =>
  at >= from && at < to ? (credits * MINUTE) / (to - from) : 0;

export const CASES: Readonly<Record<string, Case>> = {
  'a plan that suffices': { watches: WANT_89, suffices: true },
  '142,000 wanted of 100,000': { watches: WANT_142, mostStretched: 3 },
  '257,000 wanted': { watches: WANT_257 },
  '257,000 wanted, a fifth of the answers fails, a fifth has a second page': {
    watches: WANT_257,
    failing: 0.2,
    secondPages: 0.2,
    missed: 16,
  },
  'others take 15,000 in three hours of one day of the week': {
    watches: WANT_142,
    others: (day, at) => (day % 7 === 1 ? between(0, 3 * HOUR, 15_000)(day, at) : 0),
    mostStretched: 10,
  },
  'others take 20,000 each day': {
    watches: WANT_142,
    others: between(9 * HOUR, 12 * HOUR, 20_000),
  },
  'others take 60,000 each evening': {
    watches: WANT_142,
    others: between(20 * HOUR, 24 * HOUR, 60_000),
    mayBeRefused: true,
    mayStretchCritical: true,
    missed: 80,
  },
  'no header': { watches: WANT_142, says: () => null },
  'refilled 90 seconds before midnight': { watches: WANT_142, resetsLate: -90_000 },
  'refilled 90 seconds after midnight': { watches: WANT_142, resetsLate: 90_000 },
  'started at 15:00': { watches: WANT_142, startsAt: 15 * HOUR },
  'restarted three times a day': { watches: WANT_257, restartsAt: [5 * HOUR, 12 * HOUR, 19 * HOUR] },
  'a header of -1 now and then': { watches: WANT_257, says: (left, requests) => (requests % 20 === 7 ? -1 : left) },
  'a tenth is kept back': { watches: WANT_257, reservePercent: 10 },
  'a header that shows a whole plan, once a day': {
    watches: WANT_142,
    says: (left, requests) => (left < 40_000 && requests % 5000 === 4000 ? CREDITS : left),
  },
  'a header that shows nothing left, once a day': {
    watches: WANT_142,
    says: (left, requests) => (left < 40_000 && requests % 5000 === 4000 ? 0 : left),
  },
  'two servers that differ by 400': {
    watches: WANT_142,
    says: (left, requests) => (requests % 2 === 0 ? left : left + 400),
  },
  'a stranger fills twenty pages a minute at a critical address': { watches: WANT_142, deepPages: 20 },
  'critical watches alone want 174,000': { watches: CRITICAL_174, mayStretchCritical: true },
  'the same, and a stranger fills pages': { watches: CRITICAL_174, mayStretchCritical: true, deepPages: 20 },
  'all but critical watches keep their pace, up to 24 times': { watches: FIXED_142, leastStretched: 24 },
  'a month that was bought on the 17th, of which a twentieth is used': {
    watches: WANT_180,
    credits: 3_000_000,
    period: 31,
    bought: { day: 17, used: 0.05 },
    leastUsed: 0.95,
    mostStretched: 5,
  },
  'a plan of a month': { watches: WANT_142, credits: 3_100_000, period: 31 },
};

export interface Lived extends Month {
  readonly days: number;
  readonly server: CountingServer;
  readonly wanted: Case;
}

export async function liveCase(name: string, days: number): Promise<Lived> {
  const wanted = CASES[name];
  if (wanted === undefined) throw new Error(`there is no case ${name}`);
  const { credits = CREDITS, period = 1, startsAt = 0, others, says, bought } = wanted;
  const clock = createMonthClock();
  const midnight = clock.now();
  await clock.runUntil(midnight + startsAt);
  const draw = createDraw('month', name);
  const from = beginOf(wanted, midnight);
  const { failing = 0.01, secondPages = 0.06, deepPages = 0, restartsAt = [], reservePercent = 0 } = wanted;
  const server = createServer({ credits, periodMs: period * DAY, from, draw, failing, ...(says && { says }) });
  if (bought !== undefined) server.spend(bought.used * credits, midnight);
  const resets = period === 1 ? null : ({ type: 'day', day: bought?.day ?? 1 } as const);
  const month = await liveFor(days, {
    watches: watchesOf(wanted.watches),
    plan: { credits, per: period === 1 ? 'day' : 'month', resets, reservePercent, enrichPercent: 2 },
    clock,
    server,
    draw,
    secondPages,
    deepPages,
    restartsAt,
    happens(now) {
      const [day, at] = [Math.floor((now - midnight) / DAY), (now - midnight) % DAY];
      const taken = others?.(day, at) ?? 0;
      if (taken > 0) server.spend(taken, now);
    },
  });
  return { ...month, days, server, wanted };
}

/** When the first period began. The one of a month began in December, which has 31 days. */
function beginOf({ bought, resetsLate = 0 }: Case, midnight: number): number {
  return midnight + resetsLate - (bought === undefined ? 0 : (32 - bought.day) * DAY);
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** Everything that must not be; in words. */
export function faultsOf({ server, wanted, days, ...month }: Lived): readonly string[] {
  const { credits = CREDITS, period = 1, reservePercent = 0, startsAt = 0 } = wanted;
  const faults: string[] = [];
  const note = (isSo: boolean, words: string): void => {
    if (isSo) faults.push(words);
  };
  if (wanted.mayBeRefused !== true) note(server.refused > 0, `refused ${server.refused} times`);
  const { critical: missed } = month.missed;
  const mostMissed = ((wanted.missed ?? 0.16) / 1000) * month.due.critical;
  note(missed > mostMissed, `critical polls missed: ${missed} of ${month.due.critical}`);
  const p99 = month.late[Math.floor(0.99 * (month.late.length - 1))] ?? 0;
  note(p99 >= 1000, `critical requests ${p99} ms late at p99`);
  const over = month.stretches.findIndex(({ critical }) => critical > 1);
  if (wanted.mayStretchCritical !== true)
    note(over >= 0, `critical watches were stretched after ${5 * (over + 1)} minutes`);
  const isOrdered = month.stretches.every(({ critical, warning, info }) => critical <= warning && warning <= info);
  note(!isOrdered, 'a more severe class was stretched more');
  const most = Math.max(...month.stretches.map(({ warning }) => warning));
  note(most > (wanted.mostStretched ?? Infinity), `warnings were stretched ${most.toFixed(1)} times`);
  note(month.asked > 1.05 * month.planned, `${month.asked} first pages, ${Math.round(month.planned)} were due`);
  note(most < (wanted.leastStretched ?? 0), `warnings were stretched no more than ${most.toFixed(1)} times`);
  const whole = server.spent.flatMap((spent, i) => {
    const from = beginOf(wanted, 0) + i * period * DAY;
    const to = from + period * DAY;
    const isWhole = (from >= startsAt - NEARLY_MS || wanted.bought) && to <= startsAt + days * DAY + NEARLY_MS;
    return isWhole ? [{ spent, left: credits * (1 - reservePercent / 100) - (server.foreign[i] ?? 0) }] : [];
  });
  const used = sum(whole.map(({ spent }) => spent)) / sum(whole.map(({ left }) => left));
  if (whole.length > 0 && wanted.suffices !== true)
    note(!(used >= (wanted.leastUsed ?? 0.97) && used < 1.005), `${(100 * used).toFixed(1)} % was used`);
  return faults;
}
