// The journal, newest first.
import { HISTORY_FILTERS, type HistoryDay, type HistoryEntry, type HistoryList } from '../../query/shapes/history.ts';
import { HistoryListFilter } from '../../query/shapes.ts';
import { counted, plural } from '../parts/amount.ts';
import { causeWords } from '../../query/shapes/common.ts';
import { textTag } from '../parts/chain-text.ts';
import { html, NOTHING, type Html } from '../parts/html.ts';
import { capital, rowTone, severityTag, stateTag } from '../parts/states.ts';
import { dayName, dayOf, timeOfDay, type Moment } from '../parts/time.ts';
import { alertPath } from './paths.ts';
import { LABEL_FIELD, labelLine, nothingWith } from './labels.ts';
import {
  FOLD,
  askedIn,
  linkTo,
  NO_SUCH_FILTER,
  nothingFound,
  pager,
  pills,
  searchForm,
  sheet,
  type Asked,
} from './lists.ts';
import { watchPath } from './paths.ts';
import type { PageQueries } from './queries.ts';
import type { PageRoute } from './route.ts';

const PATH = '/history';

export function historyPage({ history }: Pick<PageQueries, 'history'>): PageRoute {
  return {
    path: PATH,
    role: 'viewer',
    nav: 'History',
    async show(request) {
      const asked = askedIn(HistoryListFilter, request);
      if (asked === null) return NO_SUCH_FILTER;
      return { title: 'History', main: content(await history(asked.filter), asked, request) };
    },
  };
}

function content(found: HistoryList, { filter, written }: Asked<HistoryListFilter>, moment: Moment): Html {
  const { show, label } = filter;
  const kinds = [
    { name: 'All', count: null, href: linkTo(PATH, { ...written, show: null }), isCurrent: show === null },
    ...HISTORY_FILTERS.map((one) => ({
      name: capital(one),
      count: null,
      isCurrent: show === one,
      href: linkTo(PATH, { ...written, show: one }),
    })),
  ];
  const placeholder = 'title, watch, label, person, address, block, hash';
  const search = { path: PATH, placeholder, written, more: LABEL_FIELD };
  const next = found.next === null ? null : linkTo(PATH, { ...written, after: found.next });
  return html`<div>
      <h1>History</h1>
      <p class="lead">
        The journal, newest first. Kept for 90 days or up to 1 GiB. Failed tries stand under Deliveries.
      </p>
    </div>
    <div class="filters">${searchForm(search)}${pills(kinds, 'What')}</div>
    ${labelLine(PATH, written, label)}
    <div>
      ${found.items.length === 0 ? nothingFound(nothingWith(label, 'Nothing in this period.'), PATH) : historyTable(found.items, found.days, moment)}${pager(`${counted(found.items.length)} shown`, next)}
    </div>`;
}

const COLUMNS = [{ name: 'At' }, { name: 'What' }, { name: 'Alert' }, { name: 'How' }, { name: 'Notified' }];

export function historyTable(entries: readonly HistoryEntry[], days: readonly HistoryDay[], moment: Moment): Html {
  const { zone } = moment;
  const dayAt = (entry: HistoryEntry | undefined): string =>
    entry === undefined ? '' : dayOf(Date.parse(entry.at), zone);
  const rows = entries.map((entry, index) => {
    const day = dayAt(entry);
    const isFirst = dayAt(entries[index - 1]) !== day;
    const head = isFirst
      ? dayRow(
          day,
          days.find((one) => one.day === day),
          moment,
        )
      : NOTHING;
    return html`${head}${oneRow(entry, moment)}`;
  });
  return sheet('The journal', COLUMNS, rows);
}

function dayRow(day: string, found: HistoryDay | undefined, moment: Moment): Html {
  const isToday = day === dayOf(moment.now, moment.zone);
  return html`<tr class="group">
    <td colspan="5">
      <b>${isToday ? 'Today' : dayName(day)}</b>
      <span class="quiet small">${found === undefined ? day : gapWords(found, moment)}</span>
    </td>
  </tr>`;
}

/** `2026-11-21, without a gap`, or `…, gnosis unknown since 02:40:05 (4 watches, stale)`. */
function gapWords({ day, gaps }: HistoryDay, { zone }: Moment): string {
  const words = gaps.map(({ explorer, watches, cause, from, until }) => {
    const begin = timeOfDay(Date.parse(from), zone);
    const span = until === null ? `since ${begin}` : `from ${begin} to ${timeOfDay(Date.parse(until), zone)}`;
    return `${explorer} unknown ${span} (${plural(watches, 'watch', 'watches')}: ${causeWords(cause)})`;
  });
  return [day, ...(words.length === 0 ? ['without a gap'] : words)].join(', ');
}

const GOOD = new Set(['resolved', 'accepted', 'sent', 'acknowledged', 'retracted', 'ended']);

function oneRow(entry: HistoryEntry, moment: Moment): Html {
  const { at, severity, actor } = entry;
  const fires = severity !== null && !GOOD.has(entry.what);
  const who = actor === 'daemon' ? NOTHING : html`<span class="sub">by ${actor}</span>`;
  return html`<tr class="${fires ? rowTone(severity) : ''}">
    <td class="brief second" data-name="At">
      <span class="nowrap"><time datetime="${at}">${timeOfDay(Date.parse(at), moment.zone)}</time></span>
    </td>
    <td class="brief side second" data-name="What">
      <span
        >${fires ? severityTag(severity, entry.what) : stateTag('ok', GOOD.has(entry.what) ? 'ok' : 'info', entry.what)}</span
      >
    </td>
    <td class="wrap brief">${titleCell(entry)}</td>
    <td class="wrap">${textTag(entry.how)}${who}</td>
    <td data-name="Notified"><span>${notifiedWords(entry)}</span></td>
    ${FOLD}
  </tr>`;
}

/** The channels that a line names. Without one, a line about a change of an alert shows that nobody was notified. */
function notifiedWords({ kind, notified }: HistoryEntry): string {
  if (notified.length > 0) return notified.join(', ');
  return kind === 'routed' || kind === 'decided' ? 'nobody' : '';
}

function titleCell({ key, episode, watch, alert, title, subject }: HistoryEntry): Html {
  const name = watch === null ? subject : alert === null ? watch : `${watch}/${alert}`;
  const href = key !== null && episode !== null ? alertPath(key, episode) : watch === null ? null : watchPath(watch);
  const words = title === '' ? name : title;
  // Without a watch the name is an id, such as that of a silence, so it is not shown below the title.
  const below = words === name || watch === null ? NOTHING : html`<span class="sub mono">${name}</span>`;
  return html`${href === null ? html`<b>${words}</b>` : html`<a class="strong" href="${href}">${words}</a>`}${below}`;
}
