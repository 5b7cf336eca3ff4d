import { expect, test } from '@jest/globals';
import { decline } from '../../src/web/parts/decline.ts';
import { forecastOf } from '../../src/query/daemon/forecast.ts';
import { aPlanState } from '../support/spending.ts';

const MIDNIGHT = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const NOON = { now: MIDNIGHT + 12 * HOUR, zone: 'UTC' };

function drawn(curve: readonly (readonly [hour: number, known: number])[]): string {
  const points = curve.map(([hour, known]) => ({ at: MIDNIGHT + hour * HOUR, known }));
  const forecast = forecastOf(aPlanState({ curve: points }));
  return decline(forecast, { remaining: 50_000, left: 0 }, NOON).toString();
}

test('the past is drawn as it was, the rest of the period as it is planned', () => {
  // A day is 314 wide and a whole plan 82 high: the quarters of a day are at 8, 86.5, 165 and so on.
  const picture = drawn([
    [0, 100_000],
    [6, 100_000],
  ]);
  expect(picture).toContain('d="M8 16L86.5 16L165 57"');
  expect(picture).toContain('s-forecast" d="M165 57L322 98"');
});

test('without points of the past, the picture begins now', () => {
  expect(drawn([])).toContain('d="M165 57"');
});
