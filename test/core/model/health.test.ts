import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  afterPoll,
  afterSameResults,
  healthOf,
  healthTurnsAt,
  truthOfAll,
  type ConditionEvaluation,
  type Health,
  type HealthByAlert,
} from '../../../src/core/model/health.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 0, 1, 12);

/** The life of one alert, a poll every so often; what `healthOf` says at its end. */
function aLife(everyMs: number, windowMs = 0) {
  let now = NOON;
  let known: HealthByAlert = {};
  const life = {
    is: (): Health => {
      const record = known['low'];
      if (record === undefined) throw new Error('no poll yet');
      return healthOf(record, now, { intervalMs: everyMs, windowMs });
    },
    record: () => known['low'],
    polls(count: number, truth: ConditionEvaluation['truth'] | ((n: number) => ConditionEvaluation['truth'])) {
      for (let n = 0; n < count; n++) {
        known = afterPoll(known, [{ alert: 'low', truth: typeof truth === 'function' ? truth(n) : truth, at: now }]);
        now += everyMs;
      }
      return life;
    },
    passes(ms: number) {
      now += ms;
      return life;
    },
  };
  return life;
}

test('a condition that was true and false is well, however long ago', () => {
  const life = aLife(HOUR).polls(1, true).polls(500, false);
  expect(life.is()).toBe('ok');
  expect(life.record()).toMatchObject({ trueAt: NOON, falseAt: NOON + 500 * HOUR, evaluations: 501 });
});

test('never and always true are said after a day and twenty evaluations, not before', () => {
  for (const [truth, health] of [
    [false, 'never-true'],
    [true, 'always-true'],
  ] as const) {
    expect(
      aLife(MINUTE)
        .polls(24 * 60 - 1, truth)
        .is(),
    ).toBe('ok');
    expect(
      aLife(MINUTE)
        .polls(24 * 60, truth)
        .is(),
    ).toBe(health);
    expect(
      aLife(2 * HOUR)
        .polls(19, truth)
        .is(),
    ).toBe('ok');
    expect(
      aLife(2 * HOUR)
        .polls(20, truth)
        .is(),
    ).toBe(health);
  }
});

test('the first time that it is otherwise ends that', () => {
  const life = aLife(HOUR).polls(48, true);
  expect(life.is()).toBe('always-true');
  expect(life.polls(1, false).is()).toBe('ok');
});

test('unknown is neither true nor false, and too long after ten polls and a quarter of an hour', () => {
  expect(aLife(MINUTE).polls(15, 'unknown').is()).toBe('ok');
  expect(aLife(MINUTE).polls(16, 'unknown').is()).toBe('unknown-too-long');
  expect(aLife(HOUR).polls(10, 'unknown').is()).toBe('ok');
  expect(aLife(HOUR).polls(11, 'unknown').is()).toBe('unknown-too-long');
  expect(aLife(HOUR).polls(11, 'unknown').record()?.evaluations).toBe(0);
});

test('a condition over a day is not unknown for too long before the first day is over', () => {
  const polls = 24 * 60;
  expect(
    aLife(MINUTE, 24 * HOUR)
      .polls(polls, 'unknown')
      .is(),
  ).toBe('ok');
  expect(
    aLife(MINUTE, 24 * HOUR)
      .polls(polls + 16, 'unknown')
      .is(),
  ).toBe('unknown-too-long');
  expect(
    aLife(MINUTE, 24 * HOUR)
      .polls(1, true)
      .polls(16, 'unknown')
      .is(),
  ).toBe('unknown-too-long');
});

test('now and then unknown is well; one answer, or nothing to ask, begins anew', () => {
  const flickers = (n: number) => (n % 5 === 0 ? n % 10 === 0 : ('unknown' as const));
  expect(aLife(HOUR).polls(100, flickers).is()).toBe('ok');
  expect(aLife(MINUTE).polls(60, 'unknown').polls(1, 'not-evaluated').is()).toBe('ok');
});

test('unknown for too long outweighs what it was before', () => {
  expect(aLife(HOUR).polls(48, true).polls(11, 'unknown').is()).toBe('unknown-too-long');
});

test('an alert that nothing came to is never evaluated after a day and twenty polls', () => {
  expect(
    aLife(MINUTE)
      .polls(24 * 60, 'not-evaluated')
      .is(),
  ).toBe('ok');
  expect(
    aLife(MINUTE)
      .polls(24 * 60 + 1, 'not-evaluated')
      .is(),
  ).toBe('never-evaluated');
  expect(
    aLife(3 * HOUR)
      .polls(20, 'not-evaluated')
      .is(),
  ).toBe('ok');
  expect(
    aLife(3 * HOUR)
      .polls(21, 'not-evaluated')
      .is(),
  ).toBe('never-evaluated');
  expect(
    aLife(MINUTE)
      .polls(1, false)
      .passes(48 * HOUR)
      .is(),
  ).toBe('ok');
});

test('the items of one poll are one truth', () => {
  expect(truthOfAll([])).toBe('not-evaluated');
  expect(truthOfAll([false, 'unknown', true])).toBe(true);
  expect(truthOfAll([false, 'unknown'])).toBe('unknown');
  expect(truthOfAll([false, false])).toBe(false);
});

test('alerts are kept apart, and a poll that says nothing changes nothing', () => {
  const known = afterPoll({}, [
    { alert: 'low', truth: true, at: NOON },
    { alert: 'high', truth: 'unknown', at: NOON },
  ]);
  expect(known).toMatchObject({ low: { trueAt: NOON }, high: { unknownSince: NOON } });
  expect(afterPoll(known, [])).toBe(known);
  expect(JSON.parse(JSON.stringify(known))).toEqual(known);
});

test('polls with the same results move the times of the last one, and no others', () => {
  const polls = (...truths: readonly ConditionEvaluation['truth'][]): HealthByAlert =>
    truths.reduce<HealthByAlert>((known, truth, n) => {
      const events = n === 0 ? [{ alert: 'seen', truth: true, at: NOON } as const] : [];
      return afterPoll(known, [{ alert: 'low', truth, at: NOON + n * MINUTE }, ...events]);
    }, {});
  for (const truth of [true, false, 'unknown'] as const) {
    const known = polls(true, false, truth);
    const later = afterSameResults(known, NOON + 5 * MINUTE);
    const { low, seen } = polls(true, false, truth, truth, truth, truth);
    expect(later).toEqual({ low: { ...low, evaluations: known['low']?.evaluations }, seen });
    expect(afterSameResults(later, NOON)).toBe(later);
  }
  expect(afterSameResults({}, NOON)).toEqual({});
});

test('without a poll, health stays the same between the times at which it may turn', () => {
  const time = fc.integer({ min: NOON, max: NOON + 3 * 24 * HOUR });
  const record = fc.record({
    since: time,
    evaluatedAt: fc.option(time),
    trueAt: fc.option(time),
    falseAt: fc.option(time),
    unknownSince: fc.option(time),
    evaluations: fc.integer({ min: 0, max: 30 }),
  });
  const pace = fc.record({ intervalMs: fc.integer({ min: 1, max: 3 * HOUR }), windowMs: fc.nat(HOUR) });
  const from = fc.integer({ min: NOON, max: NOON + 5 * 24 * HOUR });
  const property = fc.property(record, pace, from, fc.nat(2 * 24 * HOUR), (known, every, at, ms) => {
    const next = Math.min(...healthTurnsAt(known, every).filter((turn) => turn >= at));
    const later = Math.max(at, Math.min(at + ms, next - 1));
    return healthOf(known, later, every) === healthOf(known, at, every);
  });
  fc.assert(property, { numRuns: 2000 });
});
