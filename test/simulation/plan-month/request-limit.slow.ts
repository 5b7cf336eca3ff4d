// Hours of a plan without credits, and with five requests a second.
import { expect, test } from '@jest/globals';
import { createDraw } from '../draw.ts';
import { createMonthClock, liveFor, watchesOf } from './month.ts';
import { createServer } from './server.ts';

const HOUR = 1 / 24;

test('of 7.8 requests that are wanted in a second 5 leave: those of critical watches in time, with their second pages', async () => {
  const clock = createMonthClock();
  const draw = createDraw('month', 'request limit');
  const server = createServer({ credits: Infinity, from: clock.now(), draw, failing: 0.01 });
  const month = await liveFor(2 * HOUR, {
    watches: watchesOf([
      { count: 26, every: '10s', severity: 'critical' },
      { count: 40, every: '10s', severity: 'warning' },
      { count: 12, every: '10s', severity: 'info' },
    ]),
    plan: null,
    requestsPerSecond: 5,
    clock,
    server,
    draw,
    secondPages: 0.06,
  });
  const { due, missed, answered } = month;
  expect(due.critical).toBeGreaterThan(18_000);
  expect(missed.critical).toBeLessThanOrEqual(0.0001 * due.critical);
  // The others get what is left, the more severe ones first.
  expect(answered.warning.length).toBeGreaterThan(4 * answered.info.length);
  expect(answered.info.length).toBeGreaterThan(500);
});
