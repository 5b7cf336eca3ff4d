// The results of a watch's last polls.
import type { PollRow, WatchExplanation } from '../../../query/shapes/watches.ts';
import { amountTag } from '../../parts/amount.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { timeTag, took, type Moment } from '../../parts/time.ts';
import { FOLD, sheet } from '../lists.ts';

export function pollTable({ polls, measured }: WatchExplanation, moment: Moment): Html {
  if (polls === null || polls.length === 0) return NOTHING;
  const alerts = [...new Set(polls.flatMap(({ truths }) => Object.keys(truths)))];
  const columns = [
    { name: 'At' },
    { name: 'Outcome' },
    ...(measured === null ? [] : [{ name: measured, class: 'num' }]),
    ...alerts.map((name) => ({ name })),
    { name: 'Took', class: 'num' },
  ];
  const rows = polls.map((poll) => oneRow(poll, { alerts, measured, moment }));
  return html`<div>
    <div class="head">
      <h2>Last polls</h2>
      <span class="small quiet">the last 20 are kept</span>
    </div>
    ${sheet('The last polls', columns, rows)}
  </div>`;
}

const ANSWERED = new Set(['complete', 'unchanged', 'partial']);

interface RowOptions {
  readonly alerts: readonly string[];
  readonly measured: string | null;
  readonly moment: Moment;
}

function oneRow({ at, outcome, value, truths, ms }: PollRow, { alerts, measured, moment }: RowOptions): Html {
  const cells = alerts.map((name) => html`<td data-name="${name}"><span>${String(truths[name] ?? '')}</span></td>`);
  return html`<tr class="${ANSWERED.has(outcome) ? '' : 'blind'}">
    <td class="brief" data-name="At"><span>${timeTag(at, moment)}</span></td>
    <td class="brief second" data-name="Outcome"><span>${outcome}</span></td>
    ${measured === null ? NOTHING : valueCell(measured, value)}${cells}
    <td class="num" data-name="Took"><span>${took(ms)}</span></td>
    ${FOLD}
  </tr>`;
}

function valueCell(measured: string, value: string | null): Html {
  return html`<td class="num brief side" data-name="${measured}">
    <span>${value === null ? 'not known' : amountTag(value)}</span>
  </td>`;
}
