// Events of the last twelve hours, one row for each alert of a rule.
import type { EventRow } from '../../../query/shapes/alerts.ts';
import { counted } from '../../parts/amount.ts';
import { textTag } from '../../parts/chain-text.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { rowTone } from '../../parts/states.ts';
import { timeTag, type Moment } from '../../parts/time.ts';
import type { OfLabels } from '../labels.ts';
import { linkTo, FOLD, FOLD_HEAD } from '../lists.ts';
import { alertPath } from '../paths.ts';

export function eventTable(events: readonly EventRow[], moment: Moment & OfLabels): Html {
  if (events.length === 0) return NOTHING;
  return html`<section>
    <div class="head">
      <h2>Events</h2>
      <span class="quiet small">events do not resolve; the last 12 hours</span>
      <a class="more" href="${linkTo('/history', { show: 'alerts', label: moment.label })}">All events</a>
    </div>
    <div class="sheet folds">
      <table>
        <thead>
          <tr>
            <th>Last</th>
            <th>What</th>
            <th>Newest</th>
            <th class="num">In 12 h</th>
            <th>Notified</th>
            ${FOLD_HEAD}
          </tr>
        </thead>
        <tbody>
          ${events.map((event) => row(event, moment))}
        </tbody>
      </table>
    </div>
  </section>`;
}

function row(event: EventRow, moment: Moment): Html {
  const { last, watch, alert, title, severity, key, episode, newest, count, notified, owed } = event;
  const isGone = event.is_retracted;
  const told = [...notified, ...(owed === 0 ? [] : [`${counted(owed)} owed`])];
  return html`<tr class="${isGone ? '' : rowTone(severity)}">
    <td class="brief second" data-name="Last"><span class="nowrap">${timeTag(last, moment)}</span></td>
    <td class="brief">
      <a class="strong" href="${alertPath(key, episode)}">${title}</a><span class="sub mono">${watch}/${alert}</span>
    </td>
    <td class="wrap">${isGone ? html`<b>Retracted</b>: it did not happen.` : textTag(newest)}</td>
    <td class="num brief side second" data-name="In 12 h"><span>${counted(count)}</span></td>
    <td data-name="Notified"><span>${told.length === 0 ? 'nobody' : told.join(', ')}</span></td>
    ${FOLD}
  </tr>`;
}
