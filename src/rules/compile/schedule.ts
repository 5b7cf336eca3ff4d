// When a watch is polled. node-cron runs `cron:`. Expressions that it would accept but run differently than a reader
// expects are refused here.
import { parse, validate } from 'node-cron';
import type { Instant } from '../../lib/clock.ts';
import type { Schedule, Watch } from '../../core/model/watch/watch.ts';
import { nextDue, phaseOf } from '../../core/model/watch/schedule.ts';
import { quote } from '../../config/values/scalars.ts';

const DAY_MS = 86_400_000;
/** How many values each field has, from the right: the seconds may be left out. */
const FIELDS = [
  { name: 'second', size: 60 },
  { name: 'minute', size: 60 },
  { name: 'hour', size: 24 },
  { name: 'day of month', size: 31 },
  { name: 'month', size: 12 },
  { name: 'day of week', size: 7 },
] as const;

type CronSchedule = Extract<Schedule, { type: 'cron' }>;

/** The schedule of a cron expression in UTC, or what is wrong with it. Equal schedules have equal expressions. */
export function cronSchedule(written: string): CronSchedule | { readonly complaint: string } {
  const expression = written.trim().replace(/\s+/g, ' ');
  const parts = expression.split(' ');
  if (parts.length < 5 || parts.length > 6 || !isValid(expression))
    return { complaint: `${quote(written)} is no cron expression: five or six fields, such as "*/15 * * * * *"` };
  const fields = FIELDS.slice(FIELDS.length - parts.length);
  for (const [i, { name, size }] of fields.entries())
    for (const [, step = ''] of (parts[i] ?? '').matchAll(/\/(\d+)/g))
      if (Number(step) >= size || Number(step) === 0)
        return { complaint: `a step of ${step} is larger than the field: there are ${size} values of ${name}` };
  return { type: 'cron', expression, intervalMs: paceOf(expression).shortestMs };
}

function isValid(expression: string): boolean {
  try {
    return validate(expression);
  } catch {
    return false;
  }
}

/** How often a schedule is due in a day, on average over a year. */
export function timesPerDay(schedule: Schedule): number {
  return schedule.type === 'every' ? DAY_MS / schedule.intervalMs : paceOf(schedule.expression).perDay;
}

/** When a watch is due next, after `now`; null when its cron has no time within a year. */
export function nextTimeOf(watch: Pick<Watch, 'kind' | 'target' | 'schedule'>, now: Instant): Instant | null {
  const { schedule } = watch;
  return schedule.type === 'cron'
    ? nextOf(schedule.expression, now)
    : nextDue({ intervalMs: schedule.intervalMs, phaseMs: phaseOf(watch) }, now);
}

function nextOf(expression: string, now: Instant): Instant | null {
  const { times, days } = partsOf(expression);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  for (let day = today; day < today + LEAP_YEAR * DAY_MS; day += DAY_MS) {
    if (!isDay(new Date(day), days)) continue;
    const time = times.find((ms) => day + ms > now);
    if (time !== undefined) return day + time;
  }
  return null;
}

/** The newest time of a cron expression up to an instant; null when there is none within a year. */
export function lastOf(expression: string): (at: Instant) => Instant | null {
  const { times, days } = partsOf(expression);
  return (at) => {
    const today = Math.floor(at / DAY_MS) * DAY_MS;
    for (let day = today; day > today - LEAP_YEAR * DAY_MS; day -= DAY_MS) {
      if (!isDay(new Date(day), days)) continue;
      const time = times.findLast((ms) => day + ms <= at);
      if (time !== undefined) return day + time;
    }
    return null;
  };
}

/** Over one year of days. */
function paceOf(expression: string): { readonly shortestMs: number; readonly perDay: number } {
  const { times, days } = partsOf(expression);
  const due = Array.from({ length: YEAR }, (_, day) => day).filter((day) =>
    isDay(new Date(A_YEAR + day * DAY_MS), days),
  );
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  const overnight = (times[0] ?? 0) + DAY_MS - (times.at(-1) ?? 0);
  for (let i = 1; i < due.length; i++) gaps.push(((due[i] ?? 0) - (due[i - 1] ?? 0) - 1) * DAY_MS + overnight);
  const shortestMs = gaps.reduce((least, gap) => Math.min(least, gap), YEAR * DAY_MS);
  return { shortestMs, perDay: (times.length * due.length) / YEAR };
}

const YEAR = 365;
const LEAP_YEAR = 366;
const A_YEAR = Date.UTC(2026, 0, 1);

interface Days {
  readonly ofMonth: readonly number[];
  readonly months: readonly number[];
  readonly ofWeek: readonly number[];
}

/** `times`: milliseconds since midnight, the earliest first. */
function partsOf(expression: string): { readonly times: readonly number[]; readonly days: Days } {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(expression);
  const times = hour.flatMap((h) => minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1000)));
  const days = { ofMonth: dayOfMonth.map(Number), months: month, ofWeek: dayOfWeek.map(Number) };
  return { times: times.toSorted((a, b) => a - b), days };
}

// A field that cannot be expanded into numbers (such as "L") counts as every day, so that the estimate is not too low.
function isDay(at: Date, { ofMonth, months, ofWeek }: Days): boolean {
  const isDate = ofMonth.includes(at.getUTCDate()) || ofMonth.some(Number.isNaN);
  const isWeekday =
    ofWeek.includes(at.getUTCDay()) || (at.getUTCDay() === 0 && ofWeek.includes(7)) || ofWeek.some(Number.isNaN);
  return isDate && isWeekday && months.includes(at.getUTCMonth() + 1);
}
