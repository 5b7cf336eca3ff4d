// Clocks on walls in named zones.
import type { Instant } from './clock.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('thu');

/** From 0 to 23, as clocks show it there: `hourIn('Europe/Berlin', 0) // 1`. */
export function hourIn(zone: string, at: Instant): number {
  return Math.floor(modulo(at + zoneOffset(zone, at), DAY_MS) / HOUR_MS);
}

/** `weekdayIn('Asia/Tokyo', Date.UTC(2026, 0, 4, 20)) // 'mon'` */
export function weekdayIn(zone: string, at: Instant): Weekday {
  return weekdayOf(Math.floor((at + zoneOffset(zone, at)) / DAY_MS));
}

/** Of a day, counted from 1970-01-01: `weekdayOf(0) // 'thu'`. */
export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[modulo(day + FIRST_WEEKDAY, WEEKDAYS.length)] ?? 'mon';
}

function modulo(number: number, by: number): number {
  return ((number % by) + by) % by;
}

/** What the clock on the wall is ahead of UTC, in milliseconds: `zoneOffset('Europe/Berlin', 0) // 3_600_000`. */
export function zoneOffset(zone: string, at: Instant): number {
  if (zone === 'UTC') return 0;
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(at / 1000) * 1000;
}

// Making one takes a hundred times as long as using it. There are some hundreds of zones.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  formatters.set(zone, formatter);
  return formatter;
}
