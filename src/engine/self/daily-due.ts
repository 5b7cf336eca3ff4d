// The last due time of a daily task.
import type { Instant } from '../../lib/clock.ts';
import { zoneOffset } from '../../lib/time-zone.ts';

/** A time of the day in a named zone. */
export interface DailyTime {
  /** Minutes since midnight in local time. */
  readonly minutes: number;
  /** `Europe/Berlin` */
  readonly zone: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * The last day on which the task was due by `now`, as in `2026-03-29`. It is due exactly once a day: if the clock is
 * put forward over the time, it is due an hour later, and if the clock shows the time twice, it is due once.
 */
export function lastDueDay(now: Instant, time: DailyTime): string {
  const today = Math.floor((now + zoneOffset(time.zone, now)) / DAY_MS);
  const due = dueOn(today, time) <= now ? today : today - 1;
  return new Date(due * DAY_MS).toISOString().slice(0, 10);
}

/** `day`: counted from 1970-01-01, in the zone. */
function dueOn(day: number, { minutes, zone }: DailyTime): Instant {
  const wall = day * DAY_MS + minutes * MINUTE_MS;
  const guess = wall - zoneOffset(zone, wall);
  const times = [wall - zoneOffset(zone, guess), guess];
  return times.find((at) => at + zoneOffset(zone, at) === wall) ?? Math.max(...times);
}
