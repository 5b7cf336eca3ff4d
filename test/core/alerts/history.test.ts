import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PollTime } from '../../../src/core/alerts/conditions/condition-state.ts';
import { Amount } from '../../../src/core/values/amount.ts';
import { historyOf, sample } from '../../../src/core/alerts/history.ts';
import type { Samples } from '../../../src/core/model/memory.ts';
import type { Measure } from '../../../src/core/model/watch/condition.ts';
import { Gauge } from '../../support/engine/watch.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SPANS = [{ path: 'level', ms: HOUR }];

/** What polls saw, by minute; null = the value was unknown, a minute that is not there = no answer came. */
type Levels = readonly (readonly [minute: number, level: string | null])[];

interface KeptSamples {
  readonly samples: Samples;
  readonly time: PollTime;
}

function keep(seen: Levels): KeptSamples {
  let samples: Samples = {};
  let time: PollTime = { at: 0, coveredUntil: null, intervalMs: MINUTE };
  for (const [minute, level] of seen) {
    time = { ...time, at: minute * MINUTE };
    samples = sample(samples, SPANS, level === null ? null : Gauge.make({ level: Amount.parse(level) }), time);
    samples = JSON.parse(JSON.stringify(samples)) as Samples;
    if (minute !== seen.at(-1)?.[0]) time = { ...time, coveredUntil: minute * MINUTE };
  }
  return { samples, time };
}

function measureAt(seen: Levels, measure: Measure, minutes: number): string | undefined {
  const { samples, time } = keep(seen);
  return historyOf(samples, time)({ measure, path: 'level', ms: minutes * MINUTE })?.toString();
}

/** A poll a minute, from minute 0 on. */
function minutely(...levels: (string | null)[]): Levels {
  return levels.map((level, minute) => [minute, level]);
}

describe('a window', () => {
  const falling = minutely('100', '90', '80', '70', '60');

  test.each([
    ['change', 2, '-0.25'],
    ['delta', 2, '-20'],
    ['min', 2, '70'],
    ['max', 2, '80'],
    ['max', 4, '100'],
    ['avg', 2, '75'],
    ['change', 4, '-0.4'],
  ] as const)('%s over %d minutes is %s', (measure, minutes, value) => {
    expect(measureAt(falling, measure, minutes)).toBe(value);
  });

  test('is unknown while nobody has looked that far back', () => {
    for (const measure of ['change', 'delta', 'min', 'max', 'avg'] as const)
      expect(measureAt(falling, measure, 8)).toBeUndefined();
  });

  test('takes the newest sample that is at least as old', () => {
    const seen: Levels = [...falling, [5.5, '50']];
    expect(measureAt(seen, 'delta', 2)).toBe('-20');
  });

  test('is unknown when its beginning lies in a hole of more than three intervals', () => {
    const seen: Levels = [
      [0, '100'],
      [1, '100'],
      [8, '50'],
      [9, '50'],
    ];
    expect(measureAt(seen, 'delta', 5)).toBe('-50');
    expect(measureAt(seen, 'delta', 4)).toBeUndefined();
    expect(measureAt(seen, 'delta', 1)).toBe('0');
  });

  test('an unknown value is no sample, and nothing is known of it', () => {
    expect(measureAt(minutely('100', null, '90'), 'delta', 1)).toBe('-10');
    expect(measureAt(minutely('100', '90', null), 'delta', 1)).toBeUndefined();
  });

  test('a change from nothing is unknown', () => {
    expect(measureAt(minutely('0', '5'), 'change', 1)).toBeUndefined();
    expect(measureAt(minutely('0', '5'), 'delta', 1)).toBe('5');
  });

  test('is exact where doubles are not', () => {
    const most = (2n ** 256n - 1n).toString();
    expect(measureAt(minutely(most, '0.000000000000000001'), 'delta', 1)).toBe(
      `-${BigInt(most) - 1n}.999999999999999999`,
    );
  });
});

describe('what is kept', () => {
  test('equal values in a row are one run, and learning nothing is the very same object', () => {
    const first = keep(minutely('5', '5', '5'));
    expect(first.samples).toEqual({ level: [[0, null, '5']] });
    const time = { at: 3 * MINUTE, coveredUntil: 2 * MINUTE, intervalMs: MINUTE };
    expect(sample(first.samples, SPANS, Gauge.make({ level: Amount.parse('5') }), time)).toBe(first.samples);
  });

  test('what no window reaches any more goes', () => {
    const many: Levels = Array.from({ length: 200 }, (_, minute) => [minute, String(minute)]);
    expect(keep(many).samples['level']?.length).toBeLessThanOrEqual(65);
  });
});

/** The same by the book: a list of samples. */
function byTheBook(seen: Levels, measure: Measure, minutes: number): string | undefined {
  const all = seen.flatMap(([minute, level]) => (level === null ? [] : [{ minute, level: Number(level) }]));
  const now = seen.at(-1);
  const begin = (now?.[0] ?? 0) - minutes;
  const reference = all.findLast(({ minute }) => minute <= begin);
  if (typeof now?.[1] !== 'string' || reference === undefined || reference.minute < begin - 3) return undefined;
  const value = Number(now[1]);
  const before = all.filter(({ minute }) => minute > begin && minute < now[0]).map(({ level }) => level);
  const inside = [reference.level, ...before];
  if (measure === 'delta') return String(value - reference.level);
  return String(measure === 'min' ? Math.min(...inside) : Math.max(...inside));
}

test('over random histories windows say what the list of all samples says', () => {
  const level = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 5 }).map(String) }, fc.constant(null));
  const steps = fc.array(fc.tuple(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9 })), level), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(
      steps,
      fc.constantFrom('delta', 'min', 'max'),
      fc.integer({ min: 1, max: 50 }),
      (all, measure, back) => {
        let minute = 0;
        const seen: Levels = all.map(([wait, value]) => [(minute += wait), value]);
        expect(measureAt(seen, measure, back)).toBe(byTheBook(seen, measure, back));
      },
    ),
    { numRuns: 500 },
  );
});
