// All watches, those with a problem first.
import type { WatchList, WatchRow, WatchState } from '../../query/shapes/watches.ts';
import { WatchListFilter } from '../../query/shapes.ts';
import { counted, plural } from '../parts/amount.ts';
import { barsOf } from '../parts/drawings.ts';
import { causeWords } from '../../query/shapes/common.ts';
import { html, NOTHING, trusted, type Html } from '../parts/html.ts';
import { bareValue, distanceWords, isBeyond } from '../parts/measures.ts';
import { capital, stateWords, watchRowTone, watchStateTag } from '../parts/states.ts';
import { ageTag, duration, type Moment } from '../parts/time.ts';
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
  type Pill,
} from './lists.ts';
import { LABEL_FIELD, labelLine, labelLinks, nothingWith } from './labels.ts';
import { watchPath } from './paths.ts';
import type { PageQueries } from './queries.ts';
import type { PageRoute } from './route.ts';

const PATH = '/watches';

export function watchesPage({ watches }: Pick<PageQueries, 'watches'>): PageRoute {
  return {
    path: PATH,
    role: 'viewer',
    nav: 'Watches',
    async show(request) {
      const asked = askedIn(WatchListFilter, request);
      if (asked === null) return NO_SUCH_FILTER;
      return { title: 'Watches', main: content(await watches(asked.filter), asked, request) };
    },
  };
}

function content(found: WatchList, asked: Asked<WatchListFilter>, moment: Moment): Html {
  const { filter, written } = asked;
  const { label, sort } = filter;
  const next = found.next === null ? null : linkTo(PATH, { ...written, after: found.next });
  const nothing = nothingFound(nothingWith(label, 'No watch fits.'), PATH);
  const fields = html`${LABEL_FIELD}${order(sort)}`;
  return html`<div>
      <h1>Watches</h1>
      <p class="lead">${leadWords(found)}</p>
    </div>
    <div class="filters">
      ${searchForm({ path: PATH, placeholder: 'name, rule, address, token, explorer', written, more: fields, fields: ['sort'] })}${statePills(found, asked)}
    </div>
    ${labelLine(PATH, written, label)}
    <div>
      ${found.items.length === 0 ? nothing : watchTable(found.items, label, moment)}${pager(`${counted(found.items.length)} shown`, next)}
    </div>`;
}

function leadWords({ all }: WatchList): string {
  return `${plural(all, 'watch', 'watches')}.${all < 2 ? '' : ' Those with a problem come first.'}`;
}

const ORDERS = [
  ['problems', 'Problems first'],
  ['closest', 'Closest to firing'],
  ['oldest', 'Oldest data'],
  ['credits', 'Most credits'],
] as const;

function order(sort: WatchListFilter['sort']): Html {
  const options = ORDERS.map(([value, name]) => {
    const selected = value === (sort ?? 'problems') ? trusted(' selected') : NOTHING;
    return html`<option value="${value}" ${selected}>${name}</option>`;
  });
  return html`<label class="skip" for="sort">Order</label
    ><select id="sort" name="sort">
      ${options}
    </select>`;
}

const SHOWN_STATES: readonly WatchState[] = ['firing', 'pending', 'blind', 'silenced', 'paused'];

function statePills(found: WatchList, { filter: { state }, written }: Asked<WatchListFilter>): Html {
  const pill = (name: string, value: string | null, count: number): Pill => ({
    name,
    count,
    href: linkTo(PATH, { ...written, state: value }),
    isCurrent: state === value,
  });
  return pills(
    [
      pill('All', null, found.all),
      ...SHOWN_STATES.map((one) => pill(capital(one), one, found.counts[one])),
      pill('With an unhealthy rule', 'unhealthy', found.unhealthy),
    ],
    'State',
  );
}

const COLUMNS = [
  { name: 'State' },
  { name: 'Watch' },
  { name: 'Value', class: 'num' },
  { name: 'To fire' },
  { name: 'Data', class: 'num' },
  { name: '24 h', class: 'only-wide' },
];

/** `label`: the labels that the page is filtered by. */
export function watchTable(items: readonly WatchRow[], label: readonly string[], moment: Moment): Html {
  return sheet(
    'Watches',
    COLUMNS,
    items.map((row) => oneRow(row, label, moment)),
  );
}

function oneRow(row: WatchRow, label: readonly string[], moment: Moment): Html {
  const { name, kind, explorer, interval_ms: interval, state, severity, as_of: asOf } = row;
  const why = row.blind === null ? NOTHING : html`<span class="sub">${causeWords(row.blind.cause)}</span>`;
  return html`<tr class="${watchRowTone(state, severity)}">
    <td class="brief second" data-name="State">
      <span>${watchStateTag(state, severity, stateWords(row, moment))}${why}</span>
    </td>
    <td class="brief">
      <a class="strong mono" href="${watchPath(name)}">${name}</a
      ><span class="sub"
        >${kind}${ofWhat(row)} on ${explorer}, every ${duration(interval)} ${labelLinks(row.labels, PATH, label)}</span
      >
    </td>
    <td class="num brief side" data-name="Value">
      <span
        >${row.measure === null ? html`<span class="quiet">${row.as_of === null ? 'not known' : 'an event'}</span>` : bareValue(row.measure)}</span
      >
    </td>
    <td data-name="To fire"><span>${toFire(row)}</span></td>
    <td class="num" data-name="Data"><span>${asOf === null ? 'none yet' : ageTag(asOf, moment)}</span></td>
    <td class="half">${barsOf(row.bars, 2)}</td>
    ${FOLD}
  </tr>`;
}

const NO_ASSETS: ReadonlySet<string> = new Set(['', 's', '%', 'USD']);

/** ` of USDC`; empty for a unit of time, for percent and for US dollars. */
function ofWhat({ measure }: WatchRow): string {
  return measure === null || NO_ASSETS.has(measure.unit) ? '' : ` of ${measure.unit}`;
}

function toFire({ measure, needs, state }: WatchRow): Html {
  const distance = measure === null ? null : distanceWords(measure);
  if (state === 'firing') return html`<span class="quiet">it fires</span>`;
  if (distance !== null && measure !== null) {
    const side = isBeyond(measure) ? 'beyond its limit' : 'away';
    return html`${measure.is_stale ? 'was ' : null}${distance.replace(/ (?:below|above)$/, '')} ${side}`;
  }
  return html`<span class="quiet">${needs ?? 'an event'}</span>`;
}
