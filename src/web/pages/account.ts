// One address: its code, who controls it, its open alerts, and the watches that look at it.
import type { WatchedAddress, ContractCode, ControlWatch } from '../../query/shapes/account.ts';
import type { AlertCard } from '../../query/shapes/alerts.ts';
import { counted, plural } from '../parts/amount.ts';
import { chainText } from '../parts/chain-text.ts';
import { html, joined, NOTHING, type Html } from '../parts/html.ts';
import { limitWords, valueTag } from '../parts/measures.ts';
import { capital, rowTone, severityTag } from '../parts/states.ts';
import { explorerLink } from '../parts/subject.ts';
import { ageTag, timeTag, type Moment } from '../parts/time.ts';
import { errorPage } from './frame/errors.ts';
import { FOLD, linkTo, nothingFound, sheet } from './lists.ts';
import { alertPath, watchPath } from './paths.ts';
import type { PageQueries } from './queries.ts';
import type { PageRoute } from './route.ts';
import { itemSheet } from './watch/items.ts';
import { watchTable } from './watches.ts';

export function accountPage({ account }: Pick<PageQueries, 'account'>): PageRoute {
  return {
    path: '/accounts/:address',
    role: 'viewer',
    nav: null,
    under: '/accounts',
    async show(request) {
      const address = request.parameter('address');
      const found = await account(address);
      if (found === null) return errorPage(404, NO_WATCH);
      return { title: nameOf(found) ?? address, main: content(found, request) };
    },
  };
}

const NO_WATCH = html`No watch is about this address.
  <span><a href="/accounts">Accounts</a> lists the addresses that are watched.</span>`;

function nameOf({ of }: WatchedAddress): string | null {
  return of.find(({ name }) => name !== null)?.name ?? of[0]?.address ?? null;
}

function content(found: WatchedAddress, moment: Moment): Html {
  const { of, watches, more_watches: more } = found;
  const address = of[0]?.address ?? '';
  const places = of.map((one) => explorerLink(one, one.explorer));
  return html`<div>
      <p class="crumbs"><a href="/accounts">Accounts</a> / ${of.length === 1 ? (of[0]?.explorer ?? '') : 'address'}</p>
      <h1>${nameOf(found)}</h1>
      <p class="lead"><span class="mono whole">${address}</span> on ${joined(places, ', ')}</p>
    </div>
    ${codeSection(found, moment)} ${controlSection(found, moment)} ${alertSection(found, moment)}
    <section>
      <div class="head">
        <h2>Watches</h2>
        <a class="more" href="${linkTo('/accounts', { q: address })}">Balances</a>
      </div>
      ${watchTable(watches, [], moment)}${moreLine(more, linkTo('/watches', { q: address }), 'watch', 'watches')}
    </section>`;
}

function moreLine(count: number, path: string, one: string, many: string): Html {
  if (count === 0) return NOTHING;
  return html`<p class="small quiet"><a href="${path}">and ${plural(count, `more ${one}`, `more ${many}`)}</a></p>`;
}

function codeSection({ code }: WatchedAddress, moment: Moment): Html {
  if (code.length === 0) return NOTHING;
  return html`<section>
    <div class="head"><h2>Code</h2></div>
    <div class="stack tight">${code.map((one) => codeCard(one, moment))}</div>
  </section>`;
}

function codeCard(code: ContractCode, moment: Moment): Html {
  const { watch, explorer, proxy_type: proxy, at, is_stale: isStale } = code;
  return html`<div class="card${isStale ? ' blind' : ''}">
    <h3><a class="mono" href="${watchPath(watch)}">${watch}</a> <span class="quiet">on ${explorer}</span></h3>
    <dl class="facts">
      <dt>Implementation</dt>
      <dd>${implementationWords(code)}</dd>
      <dt>Proxy</dt>
      <dd>${proxy ?? notKnown('none, or not known')}</dd>
      <dt>Source</dt>
      <dd>${sourceWords(code)}</dd>
      <dt>Data</dt>
      <dd>${at === null ? 'none yet' : html`${ageTag(at, moment)} old`}</dd>
    </dl>
  </div>`;
}

function implementationWords({ implementations, is_stale: isStale }: ContractCode): Html {
  if (implementations === null) return notKnown('none, or not known');
  const all = implementations.map(
    ({ given, ...one }) =>
      html`${one.name === null ? NOTHING : html`<b>${one.name}</b> `}<span class="mono">${one.address}</span>
        ${one.page_url === null ? NOTHING : explorerLink(one, 'explorer')}${given === null ? NOTHING : html`<br />Name given: ${chainText(given)}`}`,
  );
  return html`${isStale ? html`<span class="blind">was </span>` : NOTHING}${joined(all, ', ')}`;
}

function notKnown(words: string): Html {
  return html`<span class="quiet">${words}</span>`;
}

function sourceWords({ is_verified: isVerified }: ContractCode): Html {
  if (isVerified === null) return notKnown('not known');
  return isVerified ? html`verified` : html`<b>not verified</b>`;
}

function controlSection({ changes, control }: WatchedAddress, moment: Moment): Html {
  if (control.length === 0) return NOTHING;
  return html`<section>
    <div class="head"><h2>Owner, roles and code</h2></div>
    <div class="stack tight">
      ${changes.length === 0 ? NOTHING : itemSheet('Changes with a message', changes, moment)}
      <div>
        <ul>
          ${control.map((one) => html`<li>${controlLine(one, moment)}</li>`)}
        </ul>
        <p class="small quiet">A change without a message is not listed here.</p>
      </div>
    </div>
  </section>`;
}

function controlLine({ watch, told, since, until }: ControlWatch, moment: Moment): Html {
  const name = html`<a class="mono" href="${watchPath(watch)}">${watch}</a>`;
  if (since === null || until === null) return html`${name}: nothing was read yet`;
  return html`${name}: ${told === 0 ? 'no change' : plural(told, 'change')} with a message since
  ${timeTag(since, moment)}, data ${ageTag(until, moment)} old`;
}

const ALERT_COLUMNS = [{ name: 'State' }, { name: 'Alert' }, { name: 'Value', class: 'num' }, { name: 'Since' }];

function alertSection({ alerts, more_alerts: more, of }: WatchedAddress, moment: Moment): Html {
  const rows = alerts.map((card) => alertRow(card, moment));
  const all = linkTo('/history', { q: of[0]?.address ?? null });
  return html`<section>
    <div class="head">
      <h2>Open alerts</h2>
      <a class="more" href="${all}">History</a>
    </div>
    ${rows.length === 0 ? nothingFound('None is open.', null) : sheet('Open alerts', ALERT_COLUMNS, rows)}
    ${more === 0 ? NOTHING : html`<p class="small quiet">and ${counted(more)} more</p>`}
  </section>`;
}

function alertRow(card: AlertCard, moment: Moment): Html {
  const { key, episode, watch, alert, title, severity, state, since, measure, ack } = card;
  const limit = measure === null ? null : limitWords(measure);
  return html`<tr class="${rowTone(severity)}">
    <td class="brief second" data-name="State">
      <span
        >${severityTag(severity, capital(state))}${ack === null ? NOTHING : html`<span class="sub">acknowledged by ${ack.actor}</span>`}</span
      >
    </td>
    <td class="wrap brief">
      <a class="strong" href="${alertPath(key, episode)}">${title}</a><span class="sub mono">${watch}/${alert}</span>
    </td>
    <td class="num" data-name="Value">
      <span
        >${measure === null ? notKnown('an event') : html`${valueTag(measure)}${limit === null ? NOTHING : html`<span class="sub">limit ${limit}</span>`}`}</span
      >
    </td>
    <td class="brief side second" data-name="Since"><span>${timeTag(since, moment)}</span></td>
    ${FOLD}
  </tr>`;
}
