// Amounts, times, addresses and texts of the chain, in the form for sentences.
import { showDuration, type Instant } from '../../lib/clock.ts';
import { wallTime, zoneName, type Moment } from '../../lib/time-zone.ts';
import { quotable, type Untrusted } from '../../lib/untrusted.ts';
import type { Segment } from '../model/watch/condition.ts';
import { isLargest, UNLIMITED } from '../../lib/abi/largest.ts';
import { Amount, formatAmount, roundAmount } from '../values/amount.ts';

const MOST_DECIMALS = 6;
const DECIMALS_OF_THOUSANDS = 2;

/**
 * An amount as people write it: from 1,000 on with two decimals, else with at most six. Below 1 these are counted from
 * the first digit that is not zero: `970,411.38`, `0.000000123457`. The largest value of a type is `unlimited`.
 */
export function showAmount(amount: Amount, most = MOST_DECIMALS): string {
  if (isLargest(amount.digits)) return UNLIMITED;
  const [whole = '', fraction = ''] = amount.toString().replace('-', '').split('.');
  const [zeros = ''] = whole === '0' ? (/^0*/.exec(fraction) ?? []) : [];
  const decimals = whole.length > 3 ? Math.min(most, DECIMALS_OF_THOUSANDS) : zeros.length + most;
  return formatAmount(roundAmount(amount, decimals));
}

const HUNDRED = new Amount(100n, 0);

/** A fraction as a percentage: `showPart(0.125) // '12.5 %'`. */
export function showPart(part: Amount): string {
  return `${showAmount(part.times(HUNDRED), 1)} %`;
}

const UNITS: Readonly<Record<string, string>> = { d: 'd', h: 'h', m: 'min', s: 's', ms: 'ms' };

/** `10 min`, `1 h 30 min` */
export function showSpan(ms: number): string {
  return showDuration(ms)
    .replace(/(\d)(ms|[dhms])/g, (_all, digit: string, unit: string) => `${digit} ${UNITS[unit] ?? unit} `)
    .trim();
}

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const LONG_UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** `ten minutes ago`, `90 seconds ago` */
export function showAgo(ms: number): string {
  const whole = LONG_UNITS.find(([, size]) => ms >= size && ms % size === 0);
  if (whole === undefined) return `${showSpan(ms)} ago`;
  const count = ms / whole[1];
  return `${NUMBERS[count] ?? String(count)} ${whole[0]}${count === 1 ? '' : 's'} ago`;
}

/** `21:16 UTC`, with the date if it is not today's. */
export function showTime(at: Instant, moment: Moment): string {
  return `${clockText(at, moment, 'minutes')} ${zoneName(moment.zone, at)}`;
}

/** Like `showTime` with seconds, for events that repeat every few seconds. */
export function showExactTime(at: Instant, moment: Moment): string {
  return `${clockText(at, moment, 'seconds')} ${zoneName(moment.zone, at)}`;
}

/** `12:03\u201312:09 UTC`; with seconds if the minutes are the same. */
export function showRange(from: Instant, until: Instant, moment: Moment): string {
  const to = (digits: Digits) => [from, until].map((at) => clockText(at, moment, digits));
  const [a, b] = to('minutes');
  return `${(a === b ? to('seconds') : [a, b]).join('\u2013')} ${zoneName(moment.zone, until)}`;
}

/** `2026-01-31 21:16:05 UTC` */
export function showDate(at: Instant, zone: string): string {
  return `${wallTime(zone, at).slice(0, 19).replace('T', ' ')} ${zoneName(zone, at)}`;
}

type Digits = 'minutes' | 'seconds';

function clockText(at: Instant, { now, zone }: Moment, digits: Digits): string {
  const [date = '', time = ''] = wallTime(zone, at).split('T');
  const isToday = wallTime(zone, now).startsWith(date);
  return `${isToday ? '' : `${date} `}${time.slice(0, digits === 'minutes' ? 5 : 8)}`;
}

/**
 * `balance`, `token reputation`: mail programs would make a link of `token.reputation`. The `$` of its value says that
 * `balance_usd` is in dollars.
 */
export function showPath(path: string): string {
  return path.replace(/_usd$/, '').replaceAll(/[._]/g, ' ');
}

/** `Block 14,035,098` */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const MOST_QUOTED = 120;

/** `Reason given: "stack underflow".` */
export function quotedText(label: string, text: Untrusted, end = '.'): Segment[] {
  return [{ text: `${label} "` }, { untrusted: quotable(text, MOST_QUOTED) }, { text: `"${end}` }];
}

/** One line of one or more sentences; empty if there is none. */
export function lineOf(...sentences: readonly (string | null)[]): readonly (readonly Segment[])[] {
  const said = sentences.filter((sentence) => sentence !== null && sentence !== '');
  return said.length === 0 ? [] : [[{ text: said.join(' ') }]];
}
