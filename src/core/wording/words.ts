// Amounts, times, addresses and texts of the chain, in the form for sentences.
import { isLargest, UNLIMITED } from '../../lib/abi/largest.ts';
import { type Instant, showDuration } from '../../lib/clock.ts';
import { type Moment, wallTime, zoneName } from '../../lib/time-zone.ts';
import { quotable, type Untrusted } from '../../lib/untrusted.ts';
import type { Message } from '../model/delivery.ts';
import type { Segment } from '../model/watch/condition.ts';
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

/**
 * `12:03\u201312:09 UTC`; with seconds if the minutes are the same. `02:50 CEST\u201302:10 CET` if the clocks were
 * changed in between.
 */
export function showRange(from: Instant, until: Instant, moment: Moment): string {
  const [before, after] = [zoneName(moment.zone, from), zoneName(moment.zone, until)];
  if (before !== after) return `${showTime(from, moment)}\u2013${showTime(until, moment)}`;
  const to = (digits: Digits) => [from, until].map((at) => clockText(at, moment, digits));
  const [a, b] = to('minutes');
  return `${(a === b ? to('seconds') : [a, b]).join('\u2013')} ${after}`;
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

// The first words of a message.

/** The subject without its state: `treasury USDC on base 970,030, below 1,000,000`, `base: Call to vault failed`. */
export function headingOf({ place, ...words }: Pick<Message, 'title' | 'detail' | 'place'>): string {
  const heading = titleAndDetail(words);
  return place === null || namesPlace(words.title, place) ? heading : `${place}: ${heading}`;
}

/** True if the title names the place as a word, and not only as a part of one. */
function namesPlace(title: string, place: string): boolean {
  return title.split(/[ :,]+/).includes(place);
}

/** Like `headingOf`, for a rule that watches one explorer. */
export function titleAndDetail({ title, detail }: Pick<Message, 'title' | 'detail'>): string {
  return detail === null ? title : `${title}: ${detail}`;
}

/** An alert that is still firing. */
interface OngoingAlert {
  readonly now: Pick<Message, 'title' | 'detail' | 'measured' | 'place'>;
  /** The value with which it fired; null if it is unknown. */
  readonly firedAt: string | null;
  /** The age of the current values; null if they are up to date. */
  readonly ageMs: number | null;
}

/** `treasury ETH 0.0487, below 3; fired at 2.748`, `treasury ETH 0.0487, below 3; last read 12 min ago` */
export function standingTitle({ now, firedAt, ageMs }: OngoingAlert): string {
  const fired = firedAt === null || firedAt === now.measured ? [] : [firedWords(firedAt)];
  const read = ageMs === null ? [] : [`last read ${showSpan(ageMs)} ago`];
  return [headingOf(now), ...fired, ...read].join('; ');
}

/** `fired at 2.748`, `when it fired: fell 20 %` */
function firedWords(measured: string): string {
  return /^-?\d/.test(measured) ? `fired at ${measured}` : `when it fired: ${measured}`;
}

/** For a channel with room for one text: the rule's own text, else the first lines. */
export function mainText({
  text,
  table = [],
  lines,
}: Pick<Message, 'text' | 'table' | 'lines'>): readonly (readonly Segment[])[] {
  return text.length > 0 ? [text] : [...rowsInWords(table), ...lines];
}

/** `coins: balance 12 ETH, balance USD $40,000` for each row of a table. */
function rowsInWords([head = [], ...rows]: NonNullable<Message['table']>): Segment[][] {
  return rows.map(([name = '', ...cells]) => {
    const values = cells.flatMap((cell, i) => (cell === '' ? [] : `${head[i + 1] ?? ''} ${cell}`));
    return [{ text: `${name}: ${values.join(', ')}.` }];
  });
}

// The web pages that a message leads to. A link that is not a plain web address is left out.

interface MessagePage {
  readonly label: string;
  readonly url: string;
}

/** The page with instructions; null = there is none. */
export function runbookOf({ runbook }: Pick<Message, 'runbook'>): string | null {
  return runbook !== null && isPage(runbook) ? runbook : null;
}

/** The explorer's pages. */
export function pagesOf({ links }: Pick<Message, 'links'>): string[] {
  return links.filter(isPage);
}

const SHOWN_THERE: Readonly<Record<string, string>> = {
  tx: 'Transaction',
  block: 'Block',
  address: 'Address',
  token: 'Token',
};

/** `Transaction`, `Transaction 2` */
export function explorerLinks(message: Pick<Message, 'links'>): MessagePage[] {
  const counts = new Map<string, number>();
  return pagesOf(message).map((url) => {
    const [kind = ''] = /(?<=\/)(?:tx|block|address|token)(?=\/[^/]+$)/.exec(new URL(url).pathname) ?? [];
    const label = SHOWN_THERE[kind] ?? 'Explorer';
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    return { label: count === 1 ? label : `${label} ${count}`, url };
  });
}

function isPage(link: string): boolean {
  return /^https?:\/\/[\u0021-\u007e]+$/.test(link) && URL.canParse(link);
}
