// Alerts that need no attention now: acknowledged, held back, or pending.
import type { AlertRow } from '../../../query/shapes/alerts.ts';
import type { Overview } from '../../../query/shapes/overview.ts';
import { counted } from '../../parts/amount.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { countWords, limitWords, valueTag } from '../../parts/measures.ts';
import { capital, rowTone, stateTag, toneOf } from '../../parts/states.ts';
import { ageTag, clockTime, duration, timeTag, type Moment } from '../../parts/time.ts';
import type { IconName } from '../../parts/icons.ts';
import type { OfLabels } from '../labels.ts';
import { linkTo, FOLD, FOLD_HEAD } from '../lists.ts';
import { alertPath } from '../paths.ts';
import { watchPath } from '../paths.ts';

export function handledTable({ handled, more_handled: more }: Overview, moment: Moment & OfLabels): Html {
  if (handled.length === 0) return NOTHING;
  const rest = more === 0 ? NOTHING : html`<p class="small quiet">and ${counted(more)} more</p>`;
  return html`<section>
    <div class="head">
      <h2>Acknowledged, pending and silenced</h2>
      <a class="more" href="${linkTo('/history', { label: moment.label })}">History</a>
    </div>
    <div class="sheet folds">
      <table>
        <caption class="skip">
          Acknowledged, pending and silenced alerts
        </caption>
        <thead>
          <tr>
            <th>State</th>
            <th>Alert</th>
            <th>Value against limit</th>
            <th>Since</th>
            <th>Acknowledged by</th>
            ${FOLD_HEAD}
          </tr>
        </thead>
        <tbody>
          ${handled.map((row) => oneRow(row, moment))}
        </tbody>
      </table>
    </div>
    ${rest}
  </section>`;
}

const ICONS: Readonly<Record<AlertRow['why'], IconName>> = {
  pending: 'clock',
  acknowledged: 'acknowledged',
  silenced: 'muted',
  inhibited: 'muted',
  info: 'info',
};

function oneRow(row: AlertRow, moment: Moment): Html {
  const { key, episode, watch, alert, alerts, title, severity, state, since } = row;
  const path = key === null || episode === null ? watchPath(watch) : alertPath(key, episode);
  const tone = state === 'pending' ? '' : rowTone(severity);
  return html`<tr class="${tone}">
    <td class="brief second">
      ${stateTag(state === 'pending' ? 'warn' : toneOf(severity), ICONS[row.why], alerts === 1 ? capital(state) : `${counted(alerts)} events`)}
    </td>
    <td class="brief"><a class="strong" href="${path}">${title}</a><span class="sub mono">${watch}/${alert}</span></td>
    <td class="brief side second" data-name="Value"><span>${valueCell(row)}</span></td>
    <td data-name="Since">
      <span
        >${timeTag(since, moment)}<span class="sub"
          >${row.fires_at === null ? ageTag(since, moment) : `fires in ${duration(Date.parse(row.fires_at) - moment.now)}`}</span
        ></span
      >
    </td>
    <td data-name="Acknowledged by">${whoCell(row, moment)}</td>
    ${FOLD}
  </tr>`;
}

function valueCell({ measure, count, state }: AlertRow): Html {
  if (count !== null) return html`${countWords(count)}`;
  if (measure === null) return state === 'event' ? html`<span class="quiet">an event</span>` : NOTHING;
  const limit = limitWords(measure);
  return html`${valueTag(measure)}${limit === null ? null : html`<span class="sub">limit ${limit}</span>`}`;
}

function whoCell({ why, ack, silence }: AlertRow, moment: Moment): Html {
  if (ack !== null)
    return html`<span
      >${ack.actor}, ${timeTag(ack.at, moment)}<span class="sub">until ${clockTime(ack.until, moment)}</span></span
    >`;
  if (silence !== null)
    return html`<span
      >silenced by ${silence.actor}<span class="sub">until ${clockTime(silence.until, moment)}</span></span
    >`;
  return html`<span class="quiet">${NOBODY[why]}</span>`;
}

const NOBODY: Readonly<Record<AlertRow['why'], string>> = {
  pending: 'nobody is notified yet',
  acknowledged: '',
  silenced: 'silenced',
  inhibited: 'held back: the alert about its cause is open',
  info: 'for information',
};
