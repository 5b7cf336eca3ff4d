// Mute windows: days and hours of the local clock in a zone. When daylight saving time changes that clock, a skipped
// time counts as past, and a repeated time counts twice.
import type { Instant } from '../../lib/clock.ts';
import { weekdayOf, zoneOffset } from '../../lib/time-zone.ts';
import type { MuteWindow } from '../model.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** At most this many windows without a gap are joined. A later decision joins the next ones. */
const MOST_JOINED = 16;

/** The time at which the windows in force at `at` are over; null: none is in force. Windows that touch count as one. */
export function mutedUntil(windows: readonly MuteWindow[], at: Instant): Instant | null {
  let until: Instant | null = null;
  for (let i = 0; i < MOST_JOINED; i += 1) {
    const next = latestEnd(windows, until ?? at);
    if (next === null) return until;
    until = next;
  }
  return until;
}

function latestEnd(windows: readonly MuteWindow[], at: Instant): Instant | null {
  const ends = windows.flatMap((window) => endOf(window, at) ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** The end of the window that the instant lies in; null: it lies in none. */
function endOf(window: MuteWindow, at: Instant): Instant | null {
  const wall = at + zoneOffset(window.zone, at);
  const day = Math.floor(wall / DAY_MS);
  // A window that passes midnight belongs to the day on which it begins.
  for (const start of [day, day - 1]) {
    const from = start * DAY_MS + msOf(window.from);
    const to = start * DAY_MS + msOf(window.to) + (passesMidnight(window) ? DAY_MS : 0);
    if (window.days.includes(weekdayOf(start)) && wall >= from && wall < to)
      return setBackIn(window.zone, { at, end: whenWallShows(to, window.zone, at), from });
  }
  return null;
}

/** The time at which the clock is set back to before the start of the window; else the end of the window. */
function setBackIn(zone: string, { at, end, from }: { at: Instant; end: Instant; from: number }): Instant {
  if (zoneOffset(zone, end) >= zoneOffset(zone, at)) return end;
  const change = changeBetween(zone, at, end);
  return change + zoneOffset(zone, change) < from ? change : end;
}

function passesMidnight({ from, to }: MuteWindow): boolean {
  return msOf(to) <= msOf(from);
}

function msOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/** The first instant after `at` at which the local time is `to` or later. */
function whenWallShows(to: number, zone: string, at: Instant): Instant {
  const before = zoneOffset(zone, at);
  const guess = to - before;
  const after = zoneOffset(zone, guess);
  if (before === after) return guess;
  const change = changeBetween(zone, at, guess);
  return guess <= change ? guess : Math.max(change, to - after);
}

/** The time at which the offset of the zone changes, between two instants with different offsets. */
function changeBetween(zone: string, from: Instant, to: Instant): Instant {
  const before = zoneOffset(zone, from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffset(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
