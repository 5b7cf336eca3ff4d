// Times and durations for people, in the local time of one zone.
import { wallTime, type Moment } from '../../lib/time-zone.ts';
import { html, type Html } from './html.ts';

export type { Moment } from '../../lib/time-zone.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `'9 s'`, `'14 min'`, `'1 h 18 min'`, `'16 d 4 h'`; below two minutes, seconds are included. */
export function duration(ms: number): string {
  const left = Math.max(0, ms);
  if (left < MINUTE) return `${Math.floor(left / SECOND)} s`;
  if (left < 2 * MINUTE) return two(left, MINUTE, 'min', SECOND, 's');
  if (left < HOUR) return `${Math.floor(left / MINUTE)} min`;
  return left < DAY ? two(left, HOUR, 'h', MINUTE, 'min') : two(left, DAY, 'd', HOUR, 'h');
}

function two(ms: number, large: number, name: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${name}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** `'212 ms'`, `'10.0 s'`. */
export function took(ms: number): string {
  return ms < SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(1)} s`;
}

/** The time of day, with the day if it is not today: `'03:12:07'`, `'20 Nov 18:10'`. */
export function clockTime(time: string, moment: Moment): string {
  const at = Date.parse(time);
  const day = dayOf(at, moment.zone);
  if (day === dayOf(moment.now, moment.zone)) return timeOfDay(at, moment.zone);
  const isThisYear = day.slice(0, 4) === dayOf(moment.now, moment.zone).slice(0, 4);
  const year = isThisYear ? '' : ` ${day.slice(0, 4)}`;
  return `${dayName(day)}${year} ${timeOfDay(at, moment.zone).slice(0, 5)}`;
}

/** `'03:12:07'` */
export function timeOfDay(at: number, zone: string): string {
  return wallTime(zone, at).slice(11, 19);
}

/** `'2026-11-21'` */
export function dayOf(at: number, zone: string): string {
  return wallTime(zone, at).slice(0, 10);
}

/** `dayName('2026-11-21') // '21 Nov'` */
export function dayName(day: string): string {
  return `${Number(day.slice(8, 10))} ${MONTHS[Number(day.slice(5, 7)) - 1] ?? ''}`;
}

/** `'2026-11-21 08:00'`, the format of times in HTML forms. */
export function minuteOf(at: number, zone: string): string {
  return wallTime(zone, at).slice(0, 16).replace('T', ' ');
}

/** A point in time, also readable by scripts. */
export function timeTag(time: string, moment: Moment): Html {
  return html`<time datetime="${time}">${clockTime(time, moment)}</time>`;
}

/** The time since then; a script keeps it up to date. */
export function ageTag(time: string, { now }: Moment): Html {
  return html`<time datetime="${time}" data-age>${duration(now - Date.parse(time))}</time>`;
}

/** The time since then, in milliseconds. */
export function ageOf(time: string, { now }: Moment): number {
  return now - Date.parse(time);
}
