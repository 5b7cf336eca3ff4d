// Mute windows as clocks on walls show them.
import { expect, test } from '@jest/globals';
import type { MuteWindow } from '../../src/dispatch/model.ts';
import { mutedUntil } from '../../src/dispatch/policy/holds.ts';
import type { Weekday } from '../../src/lib/time-zone.ts';
import { effort, NO_HANG } from '../support/effort.ts';

const ALL: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const BERLIN = 'Europe/Berlin';

const window = (days: readonly Weekday[], from: string, to: string, zone = BERLIN): MuteWindow => ({
  days,
  from,
  to,
  zone,
});

const NIGHT = window(ALL, '22:00', '06:00');
const WEEKEND = window(['sat', 'sun'], '00:00', '24:00');
const SMALL_HOURS = window(ALL, '01:00', '02:30');

test.each<[string, MuteWindow[], string, string | null]>([
  ['no window never mutes', [], '2026-01-01T12:00:00Z', null],
  ['before it begins', [NIGHT], '2026-01-01T20:59:59.999Z', null],
  ['the minute it begins', [NIGHT], '2026-01-01T21:00:00Z', '2026-01-02T05:00:00Z'],
  ['after midnight it still is the window of the day before', [NIGHT], '2026-01-02T02:00:00Z', '2026-01-02T05:00:00Z'],
  ['its end is outside', [NIGHT], '2026-01-02T05:00:00Z', null],
  [
    'a night of Friday ends on Saturday',
    [window(['fri'], '22:00', '06:00')],
    '2026-01-03T04:00:00Z',
    '2026-01-03T05:00:00Z',
  ],
  ['a night of Friday does not begin on Saturday', [window(['fri'], '22:00', '06:00')], '2026-01-03T22:00:00Z', null],
  [
    'a night of Sunday ends on Monday',
    [window(['sun'], '22:00', '06:00')],
    '2026-01-05T01:00:00Z',
    '2026-01-05T05:00:00Z',
  ],
  ['Saturday and Sunday are one window', [WEEKEND], '2026-01-02T23:00:00Z', '2026-01-04T23:00:00Z'],
  ['Friday evening is no weekend', [WEEKEND], '2026-01-02T22:59:59Z', null],
  [
    'from and to that are equal mean the whole day',
    [window(['thu'], '08:00', '08:00', 'UTC')],
    '2026-01-01T09:00:00Z',
    '2026-01-02T08:00:00Z',
  ],
  [
    'windows in two zones that overlap end with the last',
    [window(ALL, '10:00', '12:00', 'UTC'), window(ALL, '12:30', '14:00')],
    '2026-01-01T10:30:00Z',
    '2026-01-01T13:00:00Z',
  ],
  [
    'where the clock goes forward at 2, a window that would end at 2:30 ends at 3',
    [SMALL_HOURS],
    '2026-03-29T00:30:00Z',
    '2026-03-29T01:00:00Z',
  ],
  ['a night over the change to summer is an hour shorter', [NIGHT], '2026-03-28T22:00:00Z', '2026-03-29T04:00:00Z'],
  ['a night over the change to winter is an hour longer', [NIGHT], '2026-10-24T22:00:00Z', '2026-10-25T05:00:00Z'],
  [
    'where an hour comes twice, the window ends in the first',
    [SMALL_HOURS],
    '2026-10-24T23:30:00Z',
    '2026-10-25T00:30:00Z',
  ],
  ['and is there again in the second', [SMALL_HOURS], '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'],
  [
    'where the clock goes back to before it begins, it ends',
    [window(ALL, '00:30', '01:30', 'America/Havana')],
    '2026-11-01T04:45:00Z',
    '2026-11-01T05:00:00Z',
  ],
  [
    'and begins again when the clock shows that once more',
    [window(ALL, '00:30', '01:30', 'America/Havana')],
    '2026-11-01T05:30:00Z',
    '2026-11-01T06:30:00Z',
  ],
  [
    'a day that ends at a quarter past midnight ends in the hour that comes twice',
    [window(ALL, '00:45', '00:15', 'America/Havana')],
    '2026-11-01T04:45:00Z',
    '2026-11-01T05:15:00Z',
  ],
  [
    'a zone of half an hour',
    [window(ALL, '09:00', '10:00', 'Asia/Kolkata')],
    '2026-01-01T03:45:00Z',
    '2026-01-01T04:30:00Z',
  ],
  [
    'a zone whose clock moves by half an hour',
    [window(ALL, '01:00', '03:00', 'Australia/Lord_Howe')],
    '2026-04-04T14:30:00Z',
    '2026-04-04T16:30:00Z',
  ],
  [
    'a zone that skips midnight',
    [window(ALL, '23:00', '00:30', 'Africa/Cairo')],
    '2026-04-23T21:30:00Z',
    '2026-04-23T22:00:00Z',
  ],
])('%s', (_, windows, at, until) => {
  const end = mutedUntil(windows, Date.parse(at));
  expect(end === null ? null : new Date(end).toISOString().replace('.000Z', 'Z')).toBe(until);
});

test('the end is the first minute that is outside, all through a year with two changes of the clock', () => {
  for (const one of [NIGHT, SMALL_HOURS, window(['sun'], '00:00', '02:30', 'America/New_York')])
    for (
      let at = Date.parse('2026-01-01T00:00:00Z');
      at < Date.parse('2027-01-01T00:00:00Z');
      at += 7 * 3_600_000 + 60_000
    ) {
      const end = mutedUntil([one], at);
      if (end === null) continue;
      expect(mutedUntil([one], end)).toBeNull();
      expect(mutedUntil([one], end - 1)).toBe(end);
    }
});

test('windows that leave no gap are no endless search', () => {
  const always = [window(ALL, '00:00', '12:00', 'UTC'), window(ALL, '12:00', '24:00', 'UTC')];
  const work = (): void => {
    for (let i = 0; i < 100; i += 1) expect(mutedUntil(always, i)).toBeGreaterThan(86_400_000);
  };
  expect(effort(work)).toBeLessThan(NO_HANG);
});
