import { describe, expect, test } from '@jest/globals';
import { instantIn, nextTimeAt, showInZone, wallTime, zoneName } from '../../src/lib/time-zone.ts';

const WINTER = Date.UTC(2026, 0, 31, 17, 14, 11, 250);
const SUMMER = Date.UTC(2026, 6, 31, 17, 14, 11);

describe('a time by the clocks of a zone', () => {
  test.each([
    ['UTC', WINTER, '2026-01-31T17:14:11Z', 'UTC'],
    ['Europe/Berlin', WINTER, '2026-01-31T18:14:11+01:00', 'CET'],
    ['Europe/Berlin', SUMMER, '2026-07-31T19:14:11+02:00', 'CEST'],
    ['America/New_York', WINTER, '2026-01-31T12:14:11-05:00', 'UTC-5'],
    ['Asia/Kolkata', WINTER, '2026-01-31T22:44:11+05:30', 'UTC+5:30'],
  ])('in %s at %d is %s, and its clocks are called %s', (zone, at, shown, name) => {
    expect([showInZone(zone, at), zoneName(zone, at)]).toEqual([shown, name]);
    expect(Date.parse(shown)).toBe(Math.floor(at / 1000) * 1000);
    expect(instantIn(zone, wallTime(zone, at))).toBe(at);
  });

  test.each([
    ['before the short day', '2026-03-28T22:30:00Z', '06:00', '2026-03-29T04:00:00.000Z'],
    ['before the long day', '2026-10-24T20:00:00Z', '08:00', '2026-10-25T07:00:00.000Z'],
    ['on the long day', '2026-10-24T22:30:00Z', '00:15', '2026-10-25T23:15:00.000Z'],
    ['later on the day', '2026-03-28T10:00:00Z', '18:00', '2026-03-28T17:00:00.000Z'],
  ])('the next one %s', (_when, now, clock, next) => {
    expect(new Date(nextTimeAt(clock, 'Europe/Berlin', Date.parse(now))).toISOString()).toBe(next);
  });

  test('that is none is no number', () => {
    expect(instantIn('Europe/Berlin', '2026-01-31T25:00')).toBeNaN();
  });
});
