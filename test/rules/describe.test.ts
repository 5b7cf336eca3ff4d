import { describe, expect, test } from '@jest/globals';
import { describeWatches } from '../../src/rules/describe.ts';
import { meanMsOf, nextTimeOf } from '../../src/core/model/watch/schedule.ts';
import { cronSchedule } from '../../src/rules/compile/schedule.ts';
import { CONFIG, configOf, load } from './support/load.ts';

const RULES = `
defaults: { explorer: ethereum, notify: ops }
watches:
  - { id: pay, kind: items, of: treasury, token: USDC, every: 1m, alerts: [{ id: a, on: new }, { id: b, on: new }] }
  - { id: same, kind: items, of: treasury, every: 1m }
  - { id: calls, kind: calls, of: hot_wallets, cron: "*/30 * * * * *" }
  - { id: far, kind: details, explorer: gnosis, token: ACME, every: 2d }
`;

describe('check says for every watch what it asks, how often, and what that costs', () => {
  const config = configOf();
  const { lines, warnings } = describeWatches(load({ 'a.yaml': RULES }, config).watches, config);

  test('one line each, and a sum per explorer in which a shared question counts once', () => {
    expect(lines).toEqual([
      'pay                 items USDC of treasury on ethereum  every 1m             asks addresses/0x47ac…d503/transactions  1,440 requests, 28,800 credits a day  2 alerts, shared with 1 more',
      'same                items ETH of treasury on ethereum   every 1m             asks addresses/0x47ac…d503/transactions  1,440 requests, 28,800 credits a day  0 alerts, shared with 1 more',
      'calls[0x1111…1111]  calls of 0x1111…1111 on ethereum    cron */30 * * * * *  asks addresses/0x1111…1111/transactions  2,880 requests, 57,600 credits a day  0 alerts',
      'calls[0x2222…2222]  calls of 0x2222…2222 on ethereum    cron */30 * * * * *  asks addresses/0x2222…2222/transactions  2,880 requests, 57,600 credits a day  0 alerts',
      'calls[vault]        calls of vault on ethereum          cron */30 * * * * *  asks addresses/0xba12…f2c8/transactions  2,880 requests, 57,600 credits a day  0 alerts',
      'far                 details ACME on gnosis              every 2d             asks addresses/-/transactions            0.5 requests, 10 credits a day        0 alerts',
      'ethereum: 10,080 requests a day, 201,600 credits a day of 100,000 a day, 10% of it kept back',
      'gnosis: 0.5 requests a day, 10 credits a day',
      'ethereum: 201,600 credits a day wanted, 221,760 with further pages and retries, of 100,000 a day',
      'ethereum: warning: 1 question, 28,800 credits a day, 1.6 times as long: 1m becomes 1m38s',
      'ethereum: info: 3 questions, 172,800 credits a day, 2.7 times as long: 30s becomes 1m20s',
    ]);
  });

  test.each([
    ['5m', 1440],
    ['90s', 1440 + 960 - 480],
    ['30s', 2880],
  ])('a question asked every 1m and every %s costs %i requests a day', (every, requests) => {
    const both = `
defaults: { explorer: gnosis, notify: ops }
watches:
  - { id: pay, kind: items, of: treasury, token: USDC, every: 1m }
  - { id: same, kind: items, of: treasury, every: ${every} }
`;
    const { lines: described } = describeWatches(load({ 'a.yaml': both }, config).watches, config);
    expect(described.at(-1)).toContain(`gnosis: ${requests.toLocaleString('en-US')} requests a day`);
  });

  test('a plan that does not suffice is a warning', () => {
    expect(warnings).toEqual([
      'ethereum: the plan is 131,760 credits a day too small; intervals become longer: warning 1.6 times, info 2.7 times, and more where sweeps and new rows need further pages',
    ]);
  });

  test('critical watches stay as written, and what would fit without stretching is named', () => {
    const small = configOf(
      CONFIG.replace('credits: 100_000', 'credits: 80_000').replace('reserve: 10%', 'reserve: 0%'),
    );
    const rules = `
defaults: { explorer: ethereum, notify: ops, every: 1m }
watches:
  - { id: vault, kind: calls, of: vault, alerts: [{ id: a, on: new, severity: critical }] }
  - { id: pay, kind: items, of: treasury, alerts: [{ id: a, on: new, severity: warning }] }
  - { id: calls, kind: calls, of: hot_wallets, alerts: [{ id: a, on: new, severity: info }] }
`;
    const { lines: described, warnings: said } = describeWatches(load({ 'a.yaml': rules }, small).watches, small);
    expect(described.slice(-4)).toEqual([
      'ethereum: critical: 1 question, 28,800 credits a day, as written',
      'ethereum: warning: 1 question, 28,800 credits a day, 1.6 times as long: 1m becomes 1m33s',
      'ethereum: info: 2 questions, 57,600 credits a day, 2.4 times as long: 1m becomes 2m24s',
      'ethereum: fits as written with calls every 5m (now 1m) saves 46,080 credits a day',
    ]);
    expect(said).toEqual([
      'ethereum: the plan is 46,720 credits a day too small; intervals become longer: warning 1.6 times, info 2.4 times, and more where sweeps and new rows need further pages',
    ]);
  });

  test('a plan by the month is compared by the month', () => {
    const monthly = configOf(CONFIG.replace('credits: 100_000', 'credits: 8_000_000, per: month'));
    expect(describeWatches(load({ 'a.yaml': RULES }, monthly).watches, monthly).warnings).toEqual([]);
  });
});

describe('Schedules', () => {
  test.each([
    ['*/15 * * * * *', 15_000, 5760],
    ['* * * * *', 60_000, 1440],
    ['*/7 * * * *', 4 * 60_000, 216],
    ['0 9,17 * * *', 8 * 3_600_000, 2],
    ['0 9 * * 1', 7 * 86_400_000, 52 / 365],
    ['0 0 9 * * MON-FRI', 86_400_000, 261 / 365],
    ['50,10 * * * * *', 20_000, 2880],
    ['0 8 L * *', 28 * 86_400_000, 12 / 365],
    ['0 8 1 * 1', 86_400_000, 63 / 365],
  ])('%s is due at the shortest every %d ms, on average %d times a day', (expression, intervalMs, perDay) => {
    const schedule = cronSchedule(expression);
    expect(schedule).toMatchObject({ type: 'cron', expression, intervalMs });
    expect('type' in schedule ? 86_400_000 / meanMsOf(schedule) : 0).toBeCloseTo(perDay, 6);
  });

  test.each([
    ['*/90 * * * * *', 'a step of 90 is larger than the field: there are 60 values of second'],
    ['*/60 * * * *', 'a step of 60 is larger than the field: there are 60 values of minute'],
    ['0 */24 * * *', 'a step of 24 is larger than the field: there are 24 values of hour'],
    ['0-59/70 * * * *', 'a step of 70 is larger than the field: there are 60 values of minute'],
    ['@daily', '"@daily" is no cron expression: five or six fields, such as "*/15 * * * * *"'],
    ['* * *', '"* * *" is no cron expression: five or six fields, such as "*/15 * * * * *"'],
    ['61 * * * *', '"61 * * * *" is no cron expression: 61 is no minute: 0 to 59'],
    ['0 25 * * *', '"0 25 * * *" is no cron expression: 25 is no hour: 0 to 23'],
    ['0 8 0 * *', '"0 8 0 * *" is no cron expression: 0 is no day of month: 1 to 31'],
    [
      '0 8 * * 1 Europe/Berlin',
      '"0 8 * * 1 Europe/Berlin" is no cron expression: its zone stands beside it, zone: Europe/Berlin; without one its times are UTC',
    ],
    ['every minute', '"every minute" is no cron expression: five or six fields, such as "*/15 * * * * *"'],
    [
      '0 8 * * L',
      '"0 8 * * L" is no cron expression: five or six fields, such as "*/15 * * * * *". Days of the month may be L, L-3, 15W and LW; days of the week 5L (the last Friday) and 5#1 (the first)',
    ],
    ['', '"" is no cron expression: five or six fields, such as "*/15 * * * * *"'],
  ])('%s is refused', (expression, complaint) => {
    expect(cronSchedule(expression)).toEqual({ complaint });
  });

  test.each([
    ['*/15 * * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:00:15Z'],
    ['0 9,17 * * *', '2026-01-01T16:59:59Z', '2026-01-01T17:00:00Z'],
    ['0 9,17 * * *', '2026-01-01T17:00:00Z', '2026-01-02T09:00:00Z'],
    ['0 9 * * 1', '2026-01-01T00:00:00Z', '2026-01-05T09:00:00Z'],
    ['0 0 1 1 *', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', null],
  ])('%s is due next after %s at %s', (expression, now, next) => {
    const schedule = cronSchedule(expression);
    if (!('type' in schedule)) throw new Error(schedule.complaint);
    const [watch] = load({ 'a.yaml': RULES }, configOf()).watches;
    if (watch === undefined) throw new Error('no watch');
    expect(nextTimeOf({ ...watch, schedule }, Date.parse(now))).toBe(next === null ? null : Date.parse(next));
  });

  const day = (text: string) => `${text}T08:00:00.000Z`;
  test.each([
    ['the last day of the month', '0 8 L * *', ['2026-01-31', '2026-02-28', '2026-03-31']],
    ['three days before it', '0 8 L-3 * *', ['2026-01-28', '2026-02-25', '2026-03-28']],
    ['the first Friday', '0 8 * * 5#1', ['2026-01-02', '2026-02-06', '2026-03-06']],
    ['the last Friday', '0 8 * * FRIL', []],
    ['the last Friday', '0 8 * * 5L', ['2026-01-30', '2026-02-27', '2026-03-27']],
    ['the weekday that is nearest to the 15th', '0 8 15W * *', ['2026-01-15', '2026-02-16', '2026-03-16']],
    ['the first and every Monday', '0 8 1 * 1', ['2026-01-01', '2026-01-05', '2026-01-12']],
    ['Mondays with an odd date', '0 8 */2 * 1', ['2026-01-05', '2026-01-19', '2026-02-09']],
  ])('%s: %s', (_name, expression, days) => {
    const schedule = cronSchedule(expression);
    if (!('type' in schedule)) {
      expect(days).toEqual([]);
      return;
    }
    let at: number | null = Date.UTC(2026, 0, 1);
    for (const next of days) {
      at = schedule.times.after(at ?? 0);
      expect(new Date(at ?? 0).toISOString()).toBe(day(next));
      expect(schedule.times.upTo((at ?? 0) + 3_600_000)).toBe(at);
    }
  });

  test.each([
    ['Europe/Berlin', '0 8 * * *', '2026-03-28T08:00:00Z', ['2026-03-29T06:00:00Z', '2026-03-30T06:00:00Z']],
    ['America/New_York', '0 8 * * *', '2026-03-07T14:00:00Z', ['2026-03-08T12:00:00Z', '2026-03-09T12:00:00Z']],
    ['Asia/Tokyo', '0 8 1 * *', '2026-01-01T00:00:00Z', ['2026-01-31T23:00:00Z', '2026-02-28T23:00:00Z']],
    // Clocks are put forward over it on one day.
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T02:00:00Z', ['2026-03-30T00:30:00Z', '2026-03-31T00:30:00Z']],
    // They are put back: the hour that comes twice counts once.
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T01:00:00Z', ['2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z']],
  ])('in %s %s follows %s at %s', (zone, expression, from, times) => {
    const schedule = cronSchedule(expression, zone);
    if (!('type' in schedule)) throw new Error(schedule.complaint);
    let at: number | null = Date.parse(from);
    for (const time of times) {
      at = schedule.times.after(at ?? 0);
      expect(at).toBe(Date.parse(time));
      expect(schedule.times.upTo((at ?? 0) + 60_000)).toBe(at);
    }
  });

  test('equal schedules have equal expressions', () => {
    expect(cronSchedule('  */15   * * * *  * ')).toMatchObject({ expression: '*/15 * * * * *' });
  });
});
