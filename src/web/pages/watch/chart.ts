// A value over time with its limits, drawn by the server. A script may replace the drawing by an interactive one.
import type { Point } from '../../../query/shapes/common.ts';
import { escapeHtml } from '../../../lib/untrusted.ts';
import type { DrawnLimit, Series } from '../../../query/shapes/accounts.ts';
import { grouped, plural } from '../../parts/amount.ts';
import { html, trusted, type Html } from '../../parts/html.ts';
import { rowTone } from '../../parts/states.ts';
import { clockTime, dayName, dayOf, timeOfDay, type Moment } from '../../parts/time.ts';
import { linkTo } from '../lists.ts';
import { watchPath } from '../paths.ts';

export type AxisRange = '6h' | '24h' | '7d' | '30d';

const HOUR_MS = 3_600_000;
interface ChartOptions {
  readonly range: AxisRange;
  readonly name: string;
  readonly moment: Moment;
}

const LEGEND = trusted(
  '<ul class="legend"><li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="s-below alarm" width="12" height="12"/></svg>an alert fired</li><li><svg viewBox="0 0 12 12" aria-hidden="true"><path class="s-notified" d="M2 3h8L6 9z"/></svg>notified</li><li><svg viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" fill="url(#hatch)"/></svg>not known</li></ul>',
);

export function chart(series: Series | null, { range, name, moment }: ChartOptions): Html {
  if (series === null || series.points.length === 0)
    return html`<div class="card"><p class="quiet">No samples yet.</p></div>`;
  const source = `${watchPath(name)}/samples.json`;
  const data = linkTo(source, { since: range, field: series.field });
  const from = Date.parse(series.from);
  const drawn = (width: number, height: number): Html => drawing(series, { from, width, height, moment });
  return html`<figure class="card" data-chart="${data}" data-zone="${moment.zone}">
      <div class="only-wide">${drawn(740, 280)}</div>
      <div class="only-narrow">${drawn(350, 240)}</div>
    </figure>
    ${LEGEND}`;
}

interface Area {
  readonly from: number;
  readonly width: number;
  readonly height: number;
  readonly moment: Moment;
}

const LEFT = 62;
const RIGHT = 8;
const TOP = 12;
const BOTTOM = 24;

function drawing(series: Series, area: Area): Html {
  const { width, height, moment } = area;
  const y = scaleOf(series, height);
  const x = (time: string): number => placeOf(Date.parse(time), area);
  const parts = [
    ...gridLines(y, width),
    ...series.episodes.map(({ severity, from, until }) =>
      band(`s-below ${rowTone(severity)}`, x(from), until === null ? width - RIGHT : x(until), height),
    ),
    ...series.gaps.map(([begin, end]) => hatched(x(begin), x(end), height)),
    ...series.limits.flatMap((limit, place) => limitLines(limit, { place, of: series.limits.length, y: y.of, width })),
    ...linesOf(series).map((points) => stepsOf(points, x, y.of)),
    ...series.notified.map((at) => `<path class="s-notified" d="M${x(at) - 4} ${TOP - 2}h8l-4 7z"/>`),
    ...timeLabels(area, moment),
  ];
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${sentence(series, moment)}">
    ${trusted(parts.join(''))}
  </svg>`;
}

/** A text version of the drawing, for screen readers. */
function sentence({ field, unit, points, limits, episodes }: Series, moment: Moment): string {
  const last = points.at(-1);
  const now = last === undefined ? '' : `, now ${grouped(last[1])} ${unit}`.trimEnd();
  const limit = limits.map(({ fires, fire }) => `, limit ${fires} ${grouped(fire)}`).join('');
  const begin = points[0] === undefined ? '' : ` since ${clockTime(points[0][0], moment)}`;
  return `${field}${begin}${now}${limit}; alerts fired ${plural(episodes.length, 'time')}`;
}

interface Scale {
  readonly of: (value: number) => number;
  readonly marks: readonly number[];
}

/** Limits are included if they do not make the line flat. */
function scaleOf({ points, limits: all }: Series, height: number): Scale {
  const values = points.map(([, value]) => Number(value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(high - low, Math.abs(high) * 0.05) * 3;
  const limits = all.flatMap(({ fire, clear }) => [Number(fire), Number(clear)]);
  const near = limits.filter((limit) => limit >= low - room && limit <= high + room);
  const marks = marksBetween(Math.min(low, ...near), Math.max(high, ...near));
  const [bottom = 0, top = 1] = [marks[0], marks.at(-1)];
  const area = height - TOP - BOTTOM;
  return { marks, of: (value) => round(TOP + ((top - value) / (top - bottom)) * area) };
}

const MARKS = 4;

/** Round numbers around the values. */
function marksBetween(low: number, high: number): number[] {
  const range = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(range / MARKS));
  const step = ([1, 2, 5, 10].find((one) => one * power >= range / MARKS) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.max(Math.ceil(high / step), first + 1);
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

function gridLines({ marks, of }: Scale, width: number): string[] {
  const label = labelsOf(marks);
  return marks.map((mark) => {
    const y = of(mark);
    return `<path class="s-grid" d="M${LEFT} ${y}H${width - RIGHT}"/><text class="s-text" x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${label.format(mark)}</text>`;
  });
}

const LEAST_DIGITS = 4;
const MOST_DIGITS = 21;

/** A format with enough digits that no two marks have the same text. */
function labelsOf(marks: readonly number[]): Intl.NumberFormat {
  const [first = 0, second = 1] = marks;
  const digits = Math.ceil(Math.log10(Math.max(...marks.map(Math.abs)) / (second - first))) + 1;
  const maximumSignificantDigits = Math.min(MOST_DIGITS, Math.max(LEAST_DIGITS, digits));
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits });
}

function band(name: string, from: number, to: number, height: number): string {
  return `<rect class="${name}" x="${from}" y="${TOP}" width="${Math.max(1, round(to - from))}" height="${height - TOP - BOTTOM}"/>`;
}

function hatched(from: number, to: number, height: number): string {
  return `<rect x="${from}" y="${TOP}" width="${Math.max(1, round(to - from))}" height="${height - TOP - BOTTOM}" fill="url(#hatch)" opacity="0.5"/>`;
}

interface LineOptions {
  /** The index among the limits; `of` is their number. It keeps the labels side by side. */
  readonly place: number;
  readonly of: number;
  readonly y: (value: number) => number;
  readonly width: number;
}

const WORDS_WIDTH = 180;

/** The labels of both limits are on the outer sides of their lines, so that they never overlap. */
function limitLines({ alert, severity, fires, fire, clear }: DrawnLimit, options: LineOptions): string[] {
  const { place, of, y, width } = options;
  const name = of === 1 ? '' : `${escapeHtml(alert)} `;
  const x = LEFT + 6 + ((place * WORDS_WIDTH) % (width - LEFT - WORDS_WIDTH / 2));
  const line = (limit: string, style: string, words: string, isUnder: boolean): string[] => {
    const at = y(Number(limit));
    if (at < 0) return [];
    const text = `<text class="s-text ${style}" x="${x}" y="${isUnder ? at + 15 : at - 6}">${name}${words} ${grouped(limit)}</text>`;
    return [`<path class="s-limit ${style}" d="M${LEFT} ${at}H${width - RIGHT}"/>${text}`];
  };
  const isBelow = fires === 'below';
  return [
    ...line(fire, rowTone(severity), `fires ${fires}`, isBelow),
    ...(fire === clear ? [] : line(clear, 'clear', `clears ${isBelow ? 'above' : 'below'}`, !isBelow)),
  ];
}

/** The points of each line. A line ends where the value is unknown. */
function linesOf({ points, gaps }: Series): (readonly Point[])[] {
  const cuts = gaps.map(([begin]) => Date.parse(begin));
  const lines: Point[][] = [[]];
  let before = -Infinity;
  for (const point of points) {
    const at = Date.parse(point[0]);
    if (cuts.some((cut) => cut > before && cut <= at)) lines.push([]);
    lines.at(-1)?.push(point);
    before = at;
  }
  return lines.filter((line) => line.length > 0);
}

function stepsOf(points: readonly Point[], x: (time: string) => number, y: (value: number) => number): string {
  const corners: string[] = [];
  let height: number | null = null;
  for (const [time, value] of points) {
    if (height !== null) corners.push(`${x(time)},${height}`);
    height = y(Number(value));
    corners.push(`${x(time)},${height}`);
  }
  return `<polyline class="s-line strong" points="${corners.join(' ')}"/>`;
}

const TIME_LABELS = 3;

function timeLabels({ from, width, height }: Area, { now, zone }: Moment): string[] {
  const day = 24 * HOUR_MS;
  const y = height - 6;
  const labels = Array.from({ length: TIME_LABELS }, (_, at) => {
    const time = from + ((now - from) / TIME_LABELS) * at;
    const words = now - from > day ? dayName(dayOf(time, zone)) : timeOfDay(time, zone).slice(0, 5);
    const x = placeOf(time, { from, width, height, moment: { now, zone } });
    return `<text class="s-text" x="${x}" y="${y}" text-anchor="${at === 0 ? 'start' : 'middle'}">${words}</text>`;
  });
  return [...labels, `<text class="s-text" x="${width - RIGHT}" y="${y}" text-anchor="end">now</text>`];
}

function placeOf(time: number, { from, width, moment }: Area): number {
  const share = Math.min(1, Math.max(0, (time - from) / (moment.now - from)));
  return round(LEFT + share * (width - LEFT - RIGHT));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
