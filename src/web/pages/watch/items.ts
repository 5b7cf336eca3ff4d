// The last events of a watch, each with its transaction or block.
import type { ItemRow } from '../../../query/shapes/alerts.ts';
import { textTag } from '../../parts/chain-text.ts';
import { html, joined, NOTHING, type Html } from '../../parts/html.ts';
import { rowTone, severityTag, stateTag } from '../../parts/states.ts';
import { outLink } from '../../parts/subject.ts';
import { timeTag, type Moment } from '../../parts/time.ts';
import { FOLD, sheet } from '../lists.ts';
import { alertPath } from '../paths.ts';

const COLUMNS = [{ name: 'At' }, { name: 'Alert' }, { name: 'What' }, { name: 'Where' }];

export function itemTable(items: readonly ItemRow[], moment: Moment): Html {
  if (items.length === 0) return NOTHING;
  return html`<div>
    <div class="head">
      <h2>Events</h2>
      <span class="small quiet">${items.length === 1 ? 'the last one' : `the last ${items.length}`}</span>
    </div>
    ${itemSheet('The last events', items, moment)}
  </div>`;
}

export function itemSheet(caption: string, items: readonly ItemRow[], moment: Moment): Html {
  return sheet(
    caption,
    COLUMNS,
    items.map((item) => oneRow(item, moment)),
  );
}

function oneRow(item: ItemRow, moment: Moment): Html {
  const { key, episode, at, alert, severity, title, detail, links, is_retracted: isGone } = item;
  const state = isGone ? stateTag('ok', 'back', 'retracted') : severityTag(severity, alert);
  const pages = links.map(({ label, url }) => outLink(url, label));
  return html`<tr class="${isGone ? '' : rowTone(severity)}">
    <td class="brief second" data-name="At"><span class="nowrap">${timeTag(at, moment)}</span></td>
    <td class="brief side second" data-name="Alert">${state}</td>
    <td class="wrap brief">
      <a class="strong" href="${alertPath(key, episode)}">${title}</a><span class="sub">${textTag(detail)}</span>
    </td>
    <td class="small">${pages.length === 0 ? NOTHING : joined(pages, ' · ')}</td>
    ${FOLD}
  </tr>`;
}
