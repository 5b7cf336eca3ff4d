// How the credits of a plan decline until they are refilled, as it is planned.
import type { Forecast } from '../../query/shapes/overview.ts';
import { counted } from './amount.ts';
import { html, trusted, type Html } from './html.ts';
import { clockTime, type Moment } from './time.ts';

const WIDTH = 330;
const HEIGHT = 120;
const [LEFT, RIGHT, TOP, BOTTOM] = [8, WIDTH - 8, 16, HEIGHT - 22];

/** From now to the reset, where so many are left; a dotted line is the reserve. */
export function decline(
  credits: Forecast,
  { remaining, left }: { readonly remaining: number; readonly left: number },
  moment: Moment,
): Html {
  const { plan, runs_out_at: at, resets_at: reset, reserve } = credits;
  const most = Math.max(plan, remaining, 1);
  const y = (amount: number): number => round(BOTTOM - (Math.max(0, amount) / most) * (BOTTOM - TOP));
  const end = Date.parse(reset);
  const span = Math.max(1, end - moment.now);
  const until = at === null ? end : Date.parse(at);
  const x = round(LEFT + Math.min(1, Math.max(0, (until - moment.now) / span)) * (RIGHT - LEFT));
  const parts = [
    `<path class="s-grid" d="M${LEFT} ${BOTTOM}H${RIGHT}"/>`,
    ...(reserve === 0 ? [] : reserveLine(reserve, y(reserve))),
    `<path class="s-line strong s-forecast" d="M${LEFT} ${y(remaining)}L${x} ${y(left)}"/>`,
    `<circle class="s-now" cx="${LEFT + 3}" cy="${y(remaining)}" r="3.5"/>`,
    text(LEFT + 10, Math.max(TOP, y(remaining) - 5), counted(remaining)),
    text(LEFT, HEIGHT - 5, 'now'),
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
