// The local time of named zones.
import type { Instant } from './clock.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A time, and the zone in which to show it. */
export interface Moment {
  readonly now: Instant;
  /** The name of a time zone. */
  readonly zone: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('thu');

/** The local hour from 0 to 23: `hourIn('Europe/Berlin', 0) // 1`. */
export function hourIn(zone: string, at: Instant): number {
  return Math.floor(modulo(at + zoneOffset(zone, at), DAY_MS) / HOUR_MS);
}

/** `weekdayIn('Asia/Tokyo', Date.UTC(2026, 0, 4, 20)) // 'mon'` */
export function weekdayIn(zone: string, at: Instant): Weekday {
  return weekdayOf(Math.floor((at + zoneOffset(zone, at)) / DAY_MS));
}

/** The weekday of a day counted from 1970-01-01: `weekdayOf(0) // 'thu'`. */
export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[modulo(day + FIRST_WEEKDAY, WEEKDAYS.length)] ?? 'mon';
}

function modulo(number: number, by: number): number {
  return ((number % by) + by) % by;
}

/** Milliseconds by which the zone's clocks are ahead of UTC: `zoneOffset('Europe/Berlin', 0) // 3_600_000`. */
export function zoneOffset(zone: string, at: Instant): number {
  if (zone === 'UTC') return 0;
  const parts = new Map(
    wallFormats
      .of(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(at / 1000) * 1000;
}

/** The local time of the zone, as RFC 3339 without an offset: `wallTime('UTC', 0) // '1970-01-01T00:00:00.000'`. */
export function wallTime(zone: string, at: Instant): string {
  return new Date(at + zoneOffset(zone, at)).toISOString().slice(0, -1);
}

/**
 * RFC 3339 in whole seconds, in the local time of the zone: `1970-01-01T01:00:00+01:00`, `1970-01-01T00:00:00Z` in UTC.
 */
export function showInZone(zone: string, at: Instant): string {
  return `${wallTime(zone, at).slice(0, 19)}${offsetText(zone, at)}`;
}

function offsetText(zone: string, at: Instant): string {
  const minutes = Math.round(zoneOffset(zone, at) / 60_000);
  if (zone === 'UTC') return 'Z';
  const two = (number: number): string => String(number).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

/** The name of the zone's time at an instant: `UTC`, `CET`, `UTC-5`. */
export function zoneName(zone: string, at: Instant): string {
  if (zone === 'UTC') return zone;
  const parts = nameFormats.of(zone).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value.replace(/^GMT(?=[+-])/, 'UTC') ?? zone;
}

/** The instant of a local time such as `2026-01-31T18:00`; NaN if the text is no time. */
export function instantIn(zone: string, wall: string): Instant {
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return NaN;
  return asUtc - zoneOffset(zone, asUtc - zoneOffset(zone, asUtc));
}

// Creating a format takes a hundred times as long as using it, so formats are kept. There are only a few hundred zones.
function formatsWith(locale: string, options: Intl.DateTimeFormatOptions): { of(zone: string): Intl.DateTimeFormat } {
  const byZone = new Map<string, Intl.DateTimeFormat>();
  return {
    of(zone) {
      const known = byZone.get(zone);
      if (known !== undefined) return known;
      const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
      byZone.set(zone, made);
      return made;
    },
  };
}

const wallFormats = formatsWith('en-US', {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});
const nameFormats = formatsWith('en-GB', { timeZoneName: 'short' });

/** The next time after `now` at which the clocks of the zone show `clock`, such as `08:00`. */
export function nextTimeAt(clock: string, zone: string, now: Instant): Instant {
  const today = wallTime(zone, now).slice(0, 10);
  const at = instantIn(zone, `${today}T${clock}`);
  if (at > now) return at;
  // A day of the calendar: on two nights of the year it has not 24 hours.
  const tomorrow = new Date(Date.parse(today) + DAY_MS).toISOString().slice(0, 10);
  return instantIn(zone, `${tomorrow}T${clock}`);
}
