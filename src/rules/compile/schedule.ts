// Schedules of watches. node-cron runs `cron:`, but it accepts some expressions that it runs differently than a reader
// expects. These are refused here.
import { createTask, parse, validate } from 'node-cron';
import type { Instant } from '../../lib/clock.ts';
import { zoneOffset } from '../../lib/time-zone.ts';
import type { CronTimes, Schedule } from '../../core/model/watch/watch.ts';
import { quote } from '../../config/values/scalars.ts';

const DAY_MS = 86_400_000;
/** The fields, with the number of their values. Fields are counted from the right, since the seconds may be absent. */
const FIELDS = [
  { name: 'second', size: 60, first: 0 },
  { name: 'minute', size: 60, first: 0 },
  { name: 'hour', size: 24, first: 0 },
  { name: 'day of month', size: 31, first: 1 },
  { name: 'month', size: 12, first: 1 },
  { name: 'day of week', size: 7, first: 0 },
] as const;

export type CronSchedule = Extract<Schedule, { type: 'cron' }>;

/** The schedule of a cron expression, or its mistake. Equal schedules have equal expressions. */
export function cronSchedule(written: string, zone = 'UTC'): CronSchedule | { readonly complaint: string } {
  const expression = written.trim().replace(/\s+/g, ' ');
  const parts = expression.split(' ');
  if (parts.length < 5 || parts.length > 6 || !isValid(expression))
    return { complaint: `${quote(written)} is no cron expression: ${faultIn(expression)}${adviceOn(expression)}` };
  const fields = FIELDS.slice(FIELDS.length - parts.length);
  for (const [i, { name, size }] of fields.entries())
    for (const [, step = ''] of (parts[i] ?? '').matchAll(/\/(\d+)/g))
      if (Number(step) >= size || Number(step) === 0)
        return { complaint: `a step of ${step} is larger than the field: there are ${size} values of ${name}` };
  const pattern = isEither(expression) ? everyDay(expression) : expression;
  const { shortestMs: intervalMs, perDay } = paceOf(expression);
  const times = timesOf(expression, zone);
  return { type: 'cron', expression, zone, intervalMs, meanMs: DAY_MS / perDay, pattern, times };
}

/** The fault of an expression, such as `25 is no hour: 0 to 23`, or the number of fields that it needs. */
function faultIn(expression: string): string {
  const parts = expression.split(' ');
  const zone = parts.find((part) => /^(?:[A-Z][A-Za-z]+\/[\w/+-]+|UTC|GMT)$/.test(part));
  if (zone !== undefined) return `its zone stands beside it, zone: ${zone}; without one its times are UTC`;
  const fields = FIELDS.slice(FIELDS.length - parts.length);
  const [wrong] = parts.length < 5 ? [] : fields.flatMap((field, i) => beyond(parts[i] ?? '', field));
  return wrong ?? 'five or six fields, such as "*/15 * * * * *"';
}

/** Numbers outside the range of the field. Steps are checked elsewhere. */
function beyond(part: string, { name, size, first }: (typeof FIELDS)[number]): string[] {
  const last = name === 'day of week' ? 7 : first + size - 1;
  const numbers = part.replaceAll(/\/\d+|#\d+/g, '').match(/\d+/g) ?? [];
  return numbers
    .filter((number) => Number(number) < first || Number(number) > last)
    .map((number) => `${number} is no ${name}: ${first} to ${last}`);
}

const SPECIAL = /#|(?:^|[\s,\d])[LW](?=$|[\s,\-W])/i;

function adviceOn(expression: string): string {
  return SPECIAL.test(expression)
    ? '. Days of the month may be L, L-3, 15W and LW; days of the week 5L (the last Friday) and 5#1 (the first)'
    : '';
}

function isValid(expression: string): boolean {
  try {
    return validate(expression);
  } catch {
    return false;
  }
}

function timesOf(expression: string, zone: string): CronTimes {
  const { times, isDay } = partsOf(expression);
  const backwards = times.toReversed();
  /** The first time that `isRight` accepts, from the day of `at` forwards or backwards; null: none within a year. */
  const search = (at: Instant, step: 1 | -1, isRight: (time: Instant) => boolean): Instant | null => {
    const wall = at + zoneOffset(zone, at);
    const today = Math.floor(wall / DAY_MS) * DAY_MS;
    for (let n = 0; n < LEAP_YEAR; n += 1) {
      const day = today + n * step * DAY_MS;
      if (!isDay(day)) continue;
      for (const ms of step === 1 ? times : backwards) {
        const time = (day + ms - wall) * step < -SHIFT_MS ? null : instantOf(day + ms, zone);
        if (time !== null && isRight(time)) return time;
      }
    }
    return null;
  };
  return {
    after: (at) => search(at, 1, (time) => time > at),
    upTo: (at) => search(at, -1, (time) => time <= at),
  };
}

/** The most by which the clocks of a zone change at once. */
const SHIFT_MS = 3 * 3_600_000;

/** The moment at which clocks in the zone show the time `wall`, by the rules of node-cron; null: the clocks skip it. */
function instantOf(wall: Instant, zone: string): Instant | null {
  const first = wall - zoneOffset(zone, wall);
  const second = wall - zoneOffset(zone, first);
  return [first, second].find((at) => at + zoneOffset(zone, at) === wall) ?? null;
}

/** The shortest time between two runs, and the mean number of runs per day, computed from the days of one year. */
function paceOf(expression: string): { readonly shortestMs: number; readonly perDay: number } {
  const { times, isDay } = partsOf(expression);
  const due = Array.from({ length: YEAR }, (_, day) => day).filter((day) => isDay(A_YEAR + day * DAY_MS));
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  const overnight = (times[0] ?? 0) + DAY_MS - (times.at(-1) ?? 0);
  for (let i = 1; i < due.length; i++) gaps.push(((due[i] ?? 0) - (due[i - 1] ?? 0) - 1) * DAY_MS + overnight);
  const shortestMs = gaps.reduce((least, gap) => Math.min(least, gap), YEAR * DAY_MS);
  return { shortestMs, perDay: (times.length * due.length) / YEAR };
}

const YEAR = 365;
const LEAP_YEAR = 366;
const A_YEAR = Date.UTC(2026, 0, 1);

interface CronParts {
  /** The times of a day, in milliseconds since midnight, the earliest first. */
  readonly times: readonly number[];
  /** True if it runs on the day that begins at `day`: midnight by the clocks of the zone, written as if it were UTC. */
  readonly isDay: (day: Instant) => boolean;
}

function partsOf(expression: string): CronParts {
  const { second, minute, hour } = parse(expression);
  const times = hour.flatMap((h) => minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1000)));
  return { times: times.toSorted((a, b) => a - b), isDay: daysOf(expression) };
}

/** If both day of month and day of week are given, a day has to match only one of them, as in every crontab. */
function daysOf(expression: string): (day: Instant) => boolean {
  const { dayOfMonth, month, dayOfWeek } = parse(expression);
  const [ofMonth, , ofWeek] = dayFields(expression);
  const isDate = dayTest(dayOfMonth, `${ofMonth} * *`, (at) => at.getUTCDate());
  const isWeekday = dayTest(dayOfWeek, `* * ${ofWeek}`, (at) => at.getUTCDay());
  const isOne = isEither(expression);
  return (day) => {
    const at = new Date(day);
    if (!month.includes(at.getUTCMonth() + 1)) return false;
    return isOne ? isDate(at) || isWeekday(at) : isDate(at) && isWeekday(at);
  };
}

type DayTest = (at: Date) => boolean;

/** Days such as `L` and `5#1` are left to node-cron, which is slower. */
function dayTest(values: readonly (number | string)[], days: string, of: (at: Date) => number): DayTest {
  const numbers = new Set(values.map(Number));
  if (!numbers.has(NaN)) return (at) => numbers.has(of(at));
  const task = createTask(`* * ${days}`, () => undefined, { timezone: 'UTC' });
  // `match` also works on a destroyed task. Without this, node-cron would keep the task.
  void task.destroy();
  return (at) => task.match(at);
}

/** True if both fields of days are given. If one of them begins with a star, a day has to match both. */
function isEither(expression: string): boolean {
  const [ofMonth, , ofWeek] = dayFields(expression);
  return [ofMonth, ofWeek].every((field) => !/^[*?]/.test(field));
}

/** The expression with every day in place of its days. Its month stays. */
function everyDay(expression: string): string {
  const [, month] = dayFields(expression);
  return [...expression.split(' ').slice(0, -3), '*', month, '*'].join(' ');
}

function dayFields(expression: string): readonly [ofMonth: string, month: string, ofWeek: string] {
  const [ofMonth = '*', month = '*', ofWeek = '*'] = expression.split(' ').slice(-3);
  return [ofMonth, month, ofWeek];
}
