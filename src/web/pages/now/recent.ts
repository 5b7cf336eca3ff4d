// Alerts that ended within the last 24 hours, so that a person sees in the morning what happened at night.
import type { EndedRow } from '../../../query/shapes/alerts.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { capital } from '../../parts/states.ts';
import { duration, timeTag, type Moment } from '../../parts/time.ts';
import type { OfLabels } from '../labels.ts';
import { linkTo, FOLD, sheet } from '../lists.ts';
import { alertPath } from '../paths.ts';

const COLUMNS = [
  { name: 'Ended' },
  { name: 'Alert' },
  { name: 'Severity' },
  { name: 'Lasted' },
  { name: 'Acknowledged by' },
];

export function recentTable(recent: readonly EndedRow[], moment: Moment & OfLabels): Html {
  if (recent.length === 0) return NOTHING;
  const rows = recent.map((row) => oneRow(row, moment));
  return html`<section>
    <div class="head">
      <h2>Most recent</h2>
      <span class="quiet small">what ended in the last 24 hours</span>
      <a class="more" href="${linkTo('/history', { show: 'alerts', label: moment.label })}">History</a>
    </div>
    ${sheet('Alerts that ended in the last 24 hours', COLUMNS, rows)}
  </section>`;
}

function oneRow(row: EndedRow, moment: Moment): Html {
  const { key, episode, watch, alert, title, severity, since, ended, acknowledged_by: who } = row;
  return html`<tr>
    <td class="brief second" data-name="Ended"><span class="nowrap">${timeTag(ended, moment)}</span></td>
    <td class="brief">
      <a class="strong" href="${alertPath(key, episode)}">${title}</a><span class="sub mono">${watch}/${alert}</span>
    </td>
    <td data-name="Severity"><span>${capital(severity)}</span></td>
    <td class="brief side second" data-name="Lasted">
      <span>${duration(Date.parse(ended) - Date.parse(since))}</span>
    </td>
    <td data-name="Acknowledged by"><span>${who ?? html`<span class="quiet">nobody</span>`}</span></td>
    ${FOLD}
  </tr>`;
}
