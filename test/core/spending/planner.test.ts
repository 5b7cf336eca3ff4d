import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  effectiveMs,
  forecastOf,
  MOST_STRETCHED,
  plannedPerMs,
  planOf,
  stretchOf,
  wantedPerMs,
  type Asking,
  type PlannedQuestion,
  type Supply,
} from '../../../src/core/spending/planner.ts';
import { SEVERITIES, type Severity } from '../../../src/core/model/ids.ts';
import { A_DAY } from '../../support/spending.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOTHING_KEPT = { perMs: 0, margin: 0 };

function asked(severity: Severity, wantedMs: number, cost = 20, longestMs = Infinity): PlannedQuestion {
  return { cost, density: 1, asks: [{ severity, wantedMs, longestMs }] };
}

function times(count: number, question: PlannedQuestion): PlannedQuestion[] {
  return Array.from({ length: count }, () => question);
}

/** Credits that the first pages cost in the time that is left. */
function spentOf(questions: readonly PlannedQuestion[], supply: Supply): number {
  const plan = planOf(questions, supply);
  return questions.reduce((sum, { cost, density, asks }) => {
    const ms = Math.min(...asks.map((ask) => effectiveMs(ask, plan)));
    return sum + (cost * density * supply.leftMs) / ms;
  }, 0);
}

describe('what is left is spent evenly', () => {
  test('nothing is stretched where the plan suffices', () => {
    expect(planOf(times(3, asked('warning', MINUTE)), A_DAY)).toMatchObject({ x: 1, xc: 1 });
  });

  test('warnings are stretched as little as will do, info more, critical not at all', () => {
    const questions = [
      ...times(2, asked('critical', MINUTE)),
      ...times(2, asked('warning', MINUTE)),
      asked('info', MINUTE),
    ];
    const plan = planOf(questions, A_DAY);
    expect(plan.xc).toBe(1);
    expect(stretchOf('warning', plan)).toBeCloseTo(1.854, 2);
    expect(stretchOf('info', plan)).toBeCloseTo(1.854 ** 2, 1);
    const spent = spentOf(questions, A_DAY);
    expect(spent).toBeLessThan(100_000);
    // 5 % above what the critical ones need are kept for them.
    expect(spent).toBeGreaterThan(100_000 - 2 * 40 - 0.05 * 57_600 - 100);
  });

  test('without credits left, all are stretched to the most that critical ones are', () => {
    expect(planOf([asked('critical', MINUTE)], { ...A_DAY, known: -20 })).toMatchObject({
      x: 24,
      xc: 24,
    });
  });

  test('critical ones are stretched where they alone need more than there is', () => {
    const plan = planOf([...times(6, asked('critical', MINUTE)), asked('warning', MINUTE)], A_DAY);
    expect(plan.xc).toBeCloseTo((6 * 28_800 * 1.05) / (0.95 * 99_920), 3);
    expect(plan.x).toBeGreaterThan(plan.xc);
  });

  test('a window keeps its pace until the stretch is extreme, and so does a fixed need', () => {
    const held: Asking = { severity: 'warning', wantedMs: MINUTE, longestMs: 5 * MINUTE };
    expect(effectiveMs(held, { x: 3, xc: 1 })).toBe(3 * MINUTE);
    expect(effectiveMs(held, { x: 20, xc: 1 })).toBe(5 * MINUTE);
    expect(effectiveMs(held, { x: 48, xc: 1 })).toBe(10 * MINUTE);
    expect(effectiveMs({ ...held, longestMs: MINUTE }, { x: 48, xc: 1 })).toBe(2 * MINUTE);
  });

  test('requests are a second limit, also where no credits are counted', () => {
    const unlimited = { ...A_DAY, known: Infinity, requestsPerMs: 5 / 1000 };
    expect(planOf(times(400, asked('warning', MINUTE)), unlimited).x).toBeCloseTo(400 / 60 / 4.5, 2);
    expect(planOf(times(200, asked('warning', MINUTE)), unlimited).x).toBe(1);
  });

  test('second pages of critical watches are paid before warnings, up to half of the rest', () => {
    const questions = [asked('critical', MINUTE), asked('warning', MINUTE), asked('warning', MINUTE)];
    const calm = planOf(questions, A_DAY);
    const deep = planOf(questions, { ...A_DAY, deep: 1 });
    expect(calm.x).toBe(1);
    expect(deep.x).toBeGreaterThan(1.5);
    expect(deep.xc).toBe(1);
    expect(deep.deepPerMs * DAY).toBeCloseTo((0.95 * 99_920 - 28_800 * 1.05) / 2, 3);
  });
});

const askings = fc
  .record({
    severity: fc.constantFrom<Severity>(...SEVERITIES),
    wantedMs: fc.constantFrom(...[10, 30, 60, 300, 900, 3600].map((s) => s * 1000)),
    window: fc.constantFrom(1, 2, 5, Infinity),
  })
  .map(({ severity, wantedMs, window }): Asking => ({ severity, wantedMs, longestMs: wantedMs * window }));
const questions = fc.array(
  fc.record({
    cost: fc.constantFrom(20, 40),
    density: fc.constantFrom(1, 0.3),
    asks: fc.array(askings, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 40 },
);
const supplies = fc
  .record({
    known: fc.integer({ min: 1000, max: 1_000_000 }),
    leftMs: fc.integer({ min: 600_000, max: DAY }),
    k: fc.double({ min: 1, max: 3, noNaN: true }),
    foreign: fc.integer({ min: 0, max: 50_000 }),
  })
  .map((drawn): Supply => ({ ...A_DAY, ...drawn }));

test('others leave more than its rate to a critical watch shortly before the reset, and never what it cannot use', () => {
  const one = [asked('critical', MINUTE)];
  const rest = (left: Partial<Supply>): number => {
    const supply = { ...A_DAY, ...left };
    const { perMs, margin } = planOf(one, supply).kept;
    return perMs * supply.leftMs + margin;
  };
  // Two due times and a late refill, though a part of one is all that the rate says.
  expect(rest({ known: 200, leftMs: MINUTE / 2 })).toBeGreaterThan(40 + 20);
  expect(rest({ known: 90, leftMs: MINUTE / 2 })).toBeGreaterThan(90);
  // Far from the reset a share stays open, whatever critical watches need.
  expect(rest({ known: 10_000 })).toBeLessThan(0.96 * 10_000);
});

describe('properties', () => {
  test('no more is asked than there is, below the most that intervals are stretched', () => {
    fc.assert(
      fc.property(questions, supplies, (all, supply) => {
        const { x, xc } = planOf(all, supply);
        fc.pre(x < MOST_STRETCHED && xc < 24);
        expect(spentOf(all, supply)).toBeLessThanOrEqual(supply.known);
      }),
      { numRuns: 300 },
    );
  });

  test('a more severe class is never stretched more', () => {
    fc.assert(
      fc.property(questions, supplies, (all, supply) => {
        const plan = planOf(all, supply);
        const [critical, warning, info] = [plan.xc, stretchOf('warning', plan), stretchOf('info', plan)];
        expect(critical).toBeLessThanOrEqual(warning);
        expect(warning).toBeLessThanOrEqual(info);
      }),
      { numRuns: 300 },
    );
  });

  test('more credits stretch nothing more', () => {
    fc.assert(
      fc.property(questions, supplies, fc.integer({ min: 1, max: 100_000 }), (all, supply, more) => {
        const richer = { ...supply, known: supply.known + more };
        expect(planOf(all, richer).x).toBeLessThanOrEqual(planOf(all, supply).x * 1.001);
        expect(planOf(all, richer).xc).toBeLessThanOrEqual(planOf(all, supply).xc);
      }),
      { numRuns: 300 },
    );
  });

  test('one more question stretches nothing less', () => {
    fc.assert(
      fc.property(questions, askings, supplies, (all, ask, supply) => {
        const before = planOf(all, supply);
        const after = planOf([...all, { cost: 20, density: 1, asks: [ask] }], supply);
        expect(after.xc).toBeGreaterThanOrEqual(before.xc);
        expect(after.x).toBeGreaterThanOrEqual(before.x * 0.999);
      }),
      { numRuns: 300 },
    );
  });
});

describe('where a plan leads', () => {
  const questions = [asked('critical', MINUTE), ...times(4, asked('warning', MINUTE)), asked('info', 15 * MINUTE)];

  test('wanted is what the rules say; planned is less by the stretch, and holds second pages, retries and sweeps', () => {
    expect(wantedPerMs(questions).credits * DAY).toBeCloseTo(5 * 28_800 + 1920, 6);
    const supply = { k: 1.2, kc: 1.1, deep: 0, sweepPerMs: 600 / DAY };
    const plan = { x: 2, xc: 1, kept: NOTHING_KEPT, deepPerMs: Infinity };
    const others = 4 * 14_400 + 480;
    expect(plannedPerMs(questions, supply, plan) * DAY).toBeCloseTo(1.1 * 28_800 + 1.2 * others + 300, 6);
  });

  test('second pages of critical watches are planned up to the most that they may cost', () => {
    const supply = { k: 1, kc: 1, deep: 3, sweepPerMs: 0 };
    expect(plannedPerMs([], supply, { x: 1, xc: 1, kept: NOTHING_KEPT, deepPerMs: 2 })).toBe(2);
    expect(plannedPerMs([], supply, { x: 1, xc: 1, kept: NOTHING_KEPT, deepPerMs: 5 })).toBe(3);
  });

  test('a question of critical and other watches is paid once', () => {
    const shared: PlannedQuestion = {
      cost: 20,
      density: 1,
      asks: [
        { severity: 'critical', wantedMs: 2 * MINUTE, longestMs: Infinity },
        { severity: 'warning', wantedMs: MINUTE, longestMs: Infinity },
      ],
    };
    expect(wantedPerMs([shared]).credits * DAY).toBeCloseTo(28_800, 6);
    const all = { k: 1, kc: 1, deep: 0, sweepPerMs: 0 };
    const plan = { x: 4, xc: 1, kept: NOTHING_KEPT, deepPerMs: Infinity };
    expect(plannedPerMs([shared], all, plan) * DAY).toBeCloseTo(14_400, 6);
  });

  test.each([
    ['every 2m and every 3m are four requests in six minutes', [2, 3], 960],
    ['a multiple adds nothing', [1, 5, 15], 1440],
    ['every 4m, 6m and 10m are twenty-two in an hour', [4, 6, 10], 22 * 24],
  ])('as the rules are written: %s; stretched, all of them come with the fastest', (_, minutes, perDay) => {
    const asks = minutes.map((each): Asking => ({ severity: 'warning', wantedMs: each * MINUTE, longestMs: Infinity }));
    const question = { cost: 20, density: 1, asks };
    expect(wantedPerMs([question]).requests * DAY).toBeCloseTo(perDay, 6);
    const plan = { x: 2, xc: 1, kept: NOTHING_KEPT, deepPerMs: Infinity };
    const all = { k: 1, kc: 1, deep: 0, sweepPerMs: 0 };
    expect(plannedPerMs([question], all, plan) * DAY).toBeCloseTo((20 * 1440) / (2 * Math.min(...minutes)), 6);
  });

  test('what is planned and what others are expected to spend is taken off what is known', () => {
    const half = { known: 50_000, foreign: 3000, leftMs: DAY / 2 };
    expect(forecastOf(half, 80_000 / DAY, true)).toEqual({ atReset: 7000, runsOutInMs: null });
    const { atReset, runsOutInMs } = forecastOf(half, 194_000 / DAY, false);
    expect(atReset).toBeCloseTo(-50_000, 6);
    expect(runsOutInMs).toBeCloseTo(DAY / 4, 6);
  });

  test('a small shortage is corrected where intervals are stretched; where they are not, credits run out', () => {
    const half = { known: 50_000, foreign: 0, leftMs: DAY / 2 };
    expect(forecastOf(half, 104_000 / DAY, true)).toEqual({ atReset: 0, runsOutInMs: null });
    expect(forecastOf(half, 104_000 / DAY, false).runsOutInMs).toBeCloseTo((DAY / 2) * (50 / 52), 6);
    expect(forecastOf({ ...half, known: -40 }, 1000 / DAY, true)).toEqual({ atReset: -540, runsOutInMs: 0 });
  });

  test('whatever is left, a stretched plan is forecast to last', () => {
    for (const known of [2000, 10_000, 40_000, 90_000]) {
      const supply = { ...A_DAY, known, k: 1.3, kc: 1.1 };
      const plan = planOf(questions, supply);
      expect(plan.x).toBeGreaterThan(1);
      const { atReset } = forecastOf(supply, plannedPerMs(questions, supply, plan), true);
      expect(atReset).toBeGreaterThanOrEqual(0);
      expect(atReset).toBeLessThan(0.1 * known + 200);
    }
  });
});
