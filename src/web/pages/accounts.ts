// Balances of the watched addresses, the closest to their limit first.
import type { AccountList, AccountRow } from '../../query/shapes/accounts.ts';
import { AccountListFilter } from '../../query/shapes.ts';
import { change, counted, dollars, plural, short } from '../parts/amount.ts';
import { curve, gauge } from '../parts/drawings.ts';
import { html, joined, NOTHING, type Html } from '../parts/html.ts';
import { bareValue, distanceWords, isBeyond, limitWords } from '../parts/measures.ts';
import { rowTone, stateWords, watchRowTone, watchStateTag } from '../parts/states.ts';
import { explorerLink } from '../parts/subject.ts';
import { ageOf, ageTag, clockTime, duration, type Moment } from '../parts/time.ts';
import { accountsCsv, CSV_TYPE } from '../../query/watches/accounts-csv.ts';
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
import { labelLine, nothingWith } from './labels.ts';
import { accountPath, watchPath } from './paths.ts';
import type { PageQueries } from './queries.ts';
import type { Download, PageRoute } from './route.ts';

const PATH = '/accounts';

export function accountsPage({ accounts }: Pick<PageQueries, 'accounts'>): PageRoute {
  return {
    path: PATH,
    role: 'viewer',
    nav: 'Accounts',
    async show(request) {
      const asked = askedIn(AccountListFilter, request);
      if (asked === null) return NO_SUCH_FILTER;
      if (request.query('format') === 'csv') return download(await accountsCsv(accounts, asked.filter), request);
      return { title: 'Accounts', main: content(await accounts(asked.filter), asked, request) };
    },
  };
}

function download(body: string, { now }: Moment): Download {
  const time = `${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}Z`;
  return { file: `accounts-${time}.csv`, type: CSV_TYPE, body };
}

function content(found: AccountList, asked: Asked<AccountListFilter>, moment: Moment): Html {
  return html`<div>
      <h1>Accounts</h1>
      <p class="lead">
        Balances of the watched addresses, closest to their limit first. Amounts are exact; the last column shows their
        age.
      </p>
    </div>
    ${filters(found, asked)} ${labelLine(PATH, asked.written, asked.filter.label)} ${totalLine(found)}
    ${found.items.length === 0 ? nothingFound(nothingWith(asked.filter.label, 'No balance is watched that fits.'), PATH) : table(found, moment)}
    ${found.next === null ? NOTHING : pager('', linkTo(PATH, { ...asked.written, after: found.next }))}
    ${footnote(found)}`;
}

function filters({ counts }: AccountList, { filter: { state }, written }: Asked<AccountListFilter>): Html {
  const pill = (name: string, value: string | null, count: number): Pill => ({
    name,
    count,
    href: linkTo(PATH, { ...written, state: value }),
    isCurrent: state === value,
  });
  const all = [
    pill('All', null, counts.all),
    pill('Below limit', 'below-limit', counts.below_limit),
    pill('Within 10 %', 'within-tenth', counts.within_tenth),
    pill('Old data', 'old-data', counts.old_data),
  ];
  const csv = html`<a class="button" href="${linkTo(PATH, { ...written, format: 'csv' })}">CSV</a>`;
  return html`<div class="filters">
    ${searchForm({ path: PATH, placeholder: 'Name, address, token', written })}${pills(all, 'Which')}${csv}
  </div>`;
}

/** `$12,340,120 in 9 balances, 1 of them old, without 2 balances that have no price: ethereum $12,000,000, base $340,120` */
function totalLine({ totals }: AccountList): Html {
  const { usd, balances, old, unpriced, unknown, explorers } = totals;
  if (usd === null) return NOTHING;
  const left = [
    ...(unpriced === 0 ? [] : [`${plural(unpriced, 'balance')} that ${unpriced === 1 ? 'has' : 'have'} no price`]),
    ...(unknown === 0 ? [] : [`${plural(unknown, 'balance')} not known`]),
  ];
  const parts = explorers.flatMap((one) =>
    one.usd === null ? [] : [html`<span class="keep">${one.explorer} <b>${dollars(one.usd)}</b></span>`],
  );
  return html`<p>
    <b>${dollars(usd)}</b> in
    ${plural(balances, 'balance')}${old === 0 ? '' : `, ${counted(old)} of them old`}${left.length === 0 ? '' : `, without ${left.join(' and ')}`}${parts.length < 2 ? NOTHING : html`: ${joined(parts, ', ')}`}.
  </p>`;
}

const COLUMNS = [
  { name: 'Account and asset' },
  { name: 'Balance', class: 'num' },
  { name: 'Limit', class: 'num' },
  { name: 'Distance to limit ↑', class: 'num' },
  { name: '24 h', class: 'num' },
  { name: html`<span class="skip">24 hours drawn</span>`, class: 'only-wide' },
  { name: 'Last outflow seen' },
  { name: 'Data', class: 'num' },
];

function table({ items }: AccountList, moment: Moment): Html {
  const rows = items.map((row, index) => {
    const isFirst = items[index - 1]?.of.address !== row.of.address;
    const isOneOfMany = items.some((one) => one !== row && isSameAsset(one, row));
    return html`${isFirst ? groupRow(row) : NOTHING}${oneRow(row, isOneOfMany, moment)}`;
  });
  return sheet('Balances by account', COLUMNS, rows);
}

function groupRow({ of }: AccountRow): Html {
  return html`<tr class="group">
    <td colspan="8">
      <b>${of.name ?? ''}</b>
      <a class="mono quiet" href="${accountPath(of.address)}">${of.address}</a>
      ${of.page_url === null ? NOTHING : explorerLink(of, 'explorer')}
    </td>
  </tr>`;
}

function isSameAsset(one: AccountRow, other: AccountRow): boolean {
  return one.of.address === other.of.address && one.of.explorer === other.of.explorer && one.asset === other.asset;
}

/** `isOneOfMany`: several watches read the balance, so the row shows the name of its watch. */
function oneRow(row: AccountRow, isOneOfMany: boolean, moment: Moment): Html {
  const { of, asset, watch, measure, balance } = row;
  const limit = limitWords(measure);
  return html`<tr class="${watchRowTone(row.state, row.severity)}">
    <td class="brief">
      <a class="strong keep" href="${watchPath(watch)}">${asset} · ${of.explorer}</a
      >${isOneOfMany ? html`<span class="sub mono">${watch}</span>` : NOTHING}${stateLine(row, moment)}
    </td>
    <td class="num brief side" data-name="Balance">
      <span><b>${bareValue({ ...measure, value: balance, unit: asset })}</b>${worthLine(row)}</span>
    </td>
    <td class="num" data-name="Limit"><span>${limit ?? html`<span class="quiet">none</span>`}</span></td>
    <td class="num half brief second"><span>${distanceCell(row)}</span>${gauge(measure, toneOfRow(row))}</td>
    <td class="num brief side second" data-name="24 h"><span>${changeCell(row)}</span></td>
    <td class="half">${drawing(row, moment)}</td>
    <td data-name="Last outflow"><span>${outflowCell(row, moment)}</span></td>
    <td class="num keep" data-name="Data"><span>${ageCell(row, moment)}</span></td>
    ${FOLD}
  </tr>`;
}

/** `$2,731,257 at $2,345.67` */
function worthLine({ usd, rate, measure: { is_stale: isStale } }: AccountRow): Html {
  if (usd === null) return NOTHING;
  const at = rate === null ? '' : ` at $${short(rate)}`;
  return html` <span class="sub">${isStale ? 'was ' : ''}${dollars(usd)}${at}</span>`;
}

function toneOfRow({ severity }: AccountRow): string {
  return severity === null ? '' : rowTone(severity);
}

function stateLine(row: AccountRow, moment: Moment): Html {
  if (row.state === 'ok') return NOTHING;
  return html`<span class="sub">${watchStateTag(row.state, row.severity, stateWords(row, moment))}</span>`;
}

function distanceCell(row: AccountRow): Html {
  const words = distanceWords(row.measure);
  if (row.measure.limit === null) return html`<span class="quiet">no limit</span>`;
  if (words === null) return html`<span class="blind">not known</span>`;
  if (row.measure.is_stale) return html`<span class="blind">was ${words}</span>`;
  return isBeyond(row.measure) ? html`<span class="${toneOfRow(row)}">${words}</span>` : html`${words}`;
}

const LARGE_CHANGE = 0.2;

function changeCell({ change_24h: ratio }: AccountRow): Html {
  if (ratio === null) return html`<span class="blind">not known</span>`;
  return Math.abs(ratio) >= LARGE_CHANGE ? html`<b>${change(ratio)}</b>` : html`${change(ratio)}`;
}

const DAY_MS = 86_400_000;

function drawing(row: AccountRow, { now }: Moment): Html | null {
  const { line, measure, asset } = row;
  return curve({
    width: 96,
    height: 26,
    points: line,
    from: now - DAY_MS,
    to: now,
    class: 'spark',
    // The curve is of the balance, so a limit of its price or its worth has no place in it.
    limit: measure.unit === asset ? measure.limit : null,
    clear: null,
    limitTone: toneOfRow(row),
    tone: isBeyond(measure) ? toneOfRow(row) : '',
    label: `${asset}: the last 24 hours`,
  });
}

function outflowCell({ outflow }: AccountRow, moment: Moment): Html {
  if (outflow === null) return html`<span class="quiet">none seen</span>`;
  return html`−${short(outflow.amount)}<span class="sub keep"
      >${clockTime(outflow.at, moment)}, ${duration(ageOf(outflow.at, moment))} ago</span
    >`;
}

function ageCell({ measure: { at, is_stale: isStale } }: AccountRow, moment: Moment): Html {
  if (at === null) return html`<span class="blind">not known</span>`;
  return isStale ? html`<span class="blind">${ageTag(at, moment)}</span>` : ageTag(at, moment);
}

function footnote({ scams }: AccountList): Html {
  const links = scams.map(
    ({ of, watch, count }) => html`<a href="${watchPath(watch)}">${counted(count)} on ${of.name ?? of.address}</a>`,
  );
  const left = html`Scam tokens that were sent to these addresses are left out: ${joined(links, ', ')}. `;
  return html`<p class="small quiet">
    ${scams.length === 0 ? NOTHING : left}An outflow is a fall between two answers, so two transfers within one interval
    are one.
  </p>`;
}
