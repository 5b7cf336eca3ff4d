// The planned decline of a plan's credits until the refill.
import type { Forecast } from '../../query/shapes/overview.ts';
import { counted } from './amount.ts';
import { html, trusted, type Html } from './html.ts';
import { clockTime, type Moment } from './time.ts';

const WIDTH = 330;
const HEIGHT = 120;
const [LEFT, RIGHT, TOP, BOTTOM] = [8, WIDTH - 8, 16, HEIGHT - 22];

/** Credits from the start of the period to the reset, with those left now. A dotted line shows the reserve. */
export function decline(
  credits: Forecast,
  { remaining, left }: { readonly remaining: number; readonly left: number },
  moment: Moment,
): Html {
  const { plan, runs_out_at: at, from, resets_at: reset, reserve, curve } = credits;
  const most = Math.max(plan, remaining, ...curve.map((point) => point.remaining), 1);
  const y = (amount: number): number => round(BOTTOM - (Math.max(0, amount) / most) * (BOTTOM - TOP));
  const [start, end] = [Date.parse(from), Date.parse(reset)];
  const x = (time: number): number => {
    const part = Math.min(1, Math.max(0, (time - start) / Math.max(1, end - start)));
    return round(LEFT + part * (RIGHT - LEFT));
  };
  const [now, until] = [x(moment.now), x(at === null ? end : Date.parse(at))];
  const past = [...curve.map((point) => `${x(Date.parse(point.at))} ${y(point.remaining)}`), `${now} ${y(remaining)}`];
  const isLate = now > RIGHT - 60;
  const parts = [
    `<path class="s-grid" d="M${LEFT} ${BOTTOM}H${RIGHT}"/>`,
    ...(reserve === 0 ? [] : reserveLine(reserve, y(reserve))),
    `<path class="s-line strong" d="M${past.join('L')}"/>`,
    `<path class="s-line strong s-forecast" d="M${now} ${y(remaining)}L${until} ${y(left)}"/>`,
    `<circle class="s-now" cx="${now}" cy="${y(remaining)}" r="3.5"/>`,
    isLate
      ? text(RIGHT, Math.max(TOP, y(remaining) - 22), counted(remaining), 'end')
      : text(now + 7, Math.max(TOP, y(remaining) - 5), counted(remaining)),
    text(LEFT, HEIGHT - 5, clockTime(from, moment)),
    text(RIGHT, HEIGHT - 5, `reset ${clockTime(reset, moment)}`, 'end'),
  ];
  const label = `Credits: ${counted(remaining)} left now, about ${counted(Math.max(0, left))} at the reset`;
  return html`<svg class="decline" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
    ${trusted(parts.join(''))}
  </svg>`;
}

function reserveLine(reserve: number, y: number): string[] {
  return [`<path class="s-clear" d="M${LEFT} ${y}H${RIGHT}"/>`, text(LEFT, y - 4, `reserve ${counted(reserve)}`)];
}

function text(x: number, y: number, words: string, anchor = 'start'): string {
  return `<text class="s-text" x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
