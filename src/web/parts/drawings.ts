// Drawings of values: lines, gauges and the bars of a day. Coordinates are rounded numbers; everywhere else amounts
// stay exact.
import { BAR_STATES, type Bars, type MeasureShape, type Point } from '../../query/shapes/common.ts';
import { html, trusted, type Html } from './html.ts';
import { capital } from './states.ts';

interface Box {
  readonly width: number;
  readonly height: number;
}

/** A value holds until the next one, so lines are steps. */
export interface Curve extends Box {
  readonly points: readonly Point[];
  readonly from: number;
  readonly to: number;
  readonly limit: string | null;
  readonly clear: string | null;
  /** The colour of the last value: `alarm` or `warn` if it is beyond its limit. */
  readonly tone: string;
  readonly limitTone: string;
  readonly label: string;
  readonly class: string;
}

const EDGE = 3;
const RADIUS = 2.6;

export function curve(drawn: Curve): Html | null {
  const { width, height, limit, clear, tone, limitTone, label } = drawn;
  const values = drawn.points.map(([, value]) => Number(value));
  const last = values.at(-1);
  if (last === undefined) return null;
  const scale = scaleOf([...values, ...shownLimits(drawn, values)], height);
  const line = stepsOf(drawn, scale);
  const at = (value: string): string => `d="M0 ${scale(Number(value))}H${width}"`;
  const lines = shownLimits(drawn, values);
  return html`<svg class="${drawn.class}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${trusted(
      [
        limit !== null && lines.includes(Number(limit)) ? `<path class="s-limit ${limitTone}" ${at(limit)}/>` : '',
        clear !== null && lines.includes(Number(clear)) ? `<path class="s-clear" ${at(clear)}/>` : '',
        `<polyline class="s-line strong" points="${line}"/>`,
        `<circle class="s-now ${tone}" cx="${width - 4}" cy="${scale(last)}" r="${RADIUS}"/>`,
      ].join(''),
    )}
  </svg>`;
}

/** A distant limit would make the line flat, so it is left out. */
function shownLimits({ limit, clear }: Curve, values: readonly number[]): number[] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = Math.max(high - low, Math.abs(high) * 0.05) * 3;
  return [limit, clear]
    .flatMap((one) => (one === null ? [] : [Number(one)]))
    .filter((one) => one >= low - room && one <= high + room);
}

function scaleOf(values: readonly number[], height: number): (value: number) => number {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const range = high - low;
  return (value) => (range === 0 ? round(height / 2) : round(EDGE + ((high - value) / range) * (height - 2 * EDGE)));
}

function stepsOf({ points, from, to, width }: Curve, scale: (value: number) => number): string {
  const right = width - 4;
  const place = (time: string): number =>
    round(Math.min(right, Math.max(0, ((Date.parse(time) - from) / (to - from)) * right)));
  const corners: string[] = [];
  let before: number | null = null;
  for (const [time, value] of points) {
    const x = place(time);
    const y = scale(Number(value));
    if (before !== null && before !== y) corners.push(`${x},${before}`);
    corners.push(`${x},${y}`);
    before = y;
  }
  if (before !== null) corners.push(`${right},${before}`);
  return corners.join(' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const GAUGE = { width: 120, height: 10 };
const TICK = GAUGE.width / 3;

/** A value against its limit: the tick is the limit, at a third of the width. */
export function gauge(measure: MeasureShape, tone: string): Html | null {
  const { value, limit } = measure;
  if (value === null || limit === null || Number(limit) === 0) return null;
  const share = Math.max(0, Math.min(3, Number(value) / Number(limit)));
  const filled = round(TICK * share);
  const fill = tone === 'alarm' ? 'b-fire' : tone === 'warn' ? 'b-warn' : 'b-room';
  return trusted(
    `<svg class="gauge" viewBox="0 0 ${GAUGE.width} ${GAUGE.height}" preserveAspectRatio="none" aria-hidden="true">` +
      `<rect class="b-track" y="2" width="${GAUGE.width}" height="6" rx="3"/>` +
      `<rect class="${fill}" y="2" width="${filled}" height="6" rx="3"/>` +
      `<rect class="b-tick" x="${TICK - 1}" y="0" width="2" height="10"/></svg>`,
  );
}

type BarState = (typeof BAR_STATES)[number];

const FILLS: Readonly<Record<BarState, string>> = {
  critical: 'b-fire',
  warning: 'b-warn',
  unknown: 'b-blind',
  quiet: 'b-ok',
};

/** `halves`: the number of half hours in each bar; it shows the worst of them. */
export function barsOf({ states, notified }: Bars, halves = 1): Html {
  const count = states.length / halves;
  const shown = Array.from({ length: count }, (_, at) => worstOf(states.slice(at * halves, (at + 1) * halves)));
  const told = new Set(notified.map((at) => Math.floor(at / halves)));
  const width = count * 10 - 2;
  return html`<svg
    class="bars${halves === 1 ? null : ' mini'}"
    viewBox="0 0 ${width} 22"
    preserveAspectRatio="none"
    role="img"
    aria-label="${barsLabel(states)}"
  >
    ${trusted(BAR_STATES.map((state) => barsIn(state, shown)).join('') + ticksAt(told))}
  </svg>`;
}

/** All bars of one state are one path, since a path for each bar would take several kilobytes in each drawing. */
function barsIn(state: BarState, shown: readonly BarState[]): string {
  const places = shown.flatMap((one, at) => (one === state ? [at] : []));
  if (places.length === 0) return '';
  const path = `d="${places.map((at) => `M${at * 10} 5h8v17h-8z`).join('')}"`;
  return `<path class="${FILLS[state]}" ${path}/>${state === 'unknown' ? `<path ${path} fill="url(#hatch)"/>` : ''}`;
}

function ticksAt(places: ReadonlySet<number>): string {
  if (places.size === 0) return '';
  return `<path class="b-tick" d="${[...places].map((at) => `M${at * 10 + 1} 0h6l-3 4z`).join('')}"/>`;
}

function worstOf(states: readonly BarState[]): BarState {
  return BAR_STATES.find((state) => states.includes(state)) ?? 'quiet';
}

const BAR_WORDS: Readonly<Record<Exclude<BarState, 'quiet'>, string>> = {
  critical: 'critical',
  warning: 'warning',
  unknown: 'not known',
};

/**
 * `Critical in 2, not known in 1 of the last 48 half hours`. A half hour has the worst state that occurred in it, even
 * for a moment. So the label counts half hours and names no durations.
 */
function barsLabel(states: readonly BarState[]): string {
  const parts = (['critical', 'warning', 'unknown'] as const).flatMap((state) => {
    const count = states.filter((one) => one === state).length;
    return count === 0 ? [] : [`${BAR_WORDS[state]} in ${count}`];
  });
  if (parts.length === 0) return 'Quiet in the last 24 hours';
  return `${capital(parts.join(', '))} of the last ${states.length} half hours`;
}
