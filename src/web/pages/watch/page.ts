// One watch: its value over time, and why each of its alerts fires or not.
import type { Series } from '../../../query/shapes/accounts.ts';
import { SamplesFilter, STEPS } from '../../../query/shapes.ts';
import { assetPath } from '../../assets.ts';
import type { WatchExplanation } from '../../../query/shapes/watches.ts';
import { amountTag, plural } from '../../parts/amount.ts';
import { causeWords, sinceWords } from '../../../query/shapes/common.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { said } from '../../parts/said.ts';
import { ageTag, duration, timeTag, type Moment } from '../../parts/time.ts';
import { valueTag } from '../../parts/measures.ts';
import { capital } from '../../parts/states.ts';
import { errorPage } from '../frame/errors.ts';
import { buttonForm } from '../frame/fill.ts';
import { gonePage } from '../frame/gone.ts';
import { askedIn, linkTo, NO_SUCH_FILTER, pills } from '../lists.ts';
import { accountPath, labelsOfOne, silenceLink, watchPath } from '../paths.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRequest, PageRoute } from '../route.ts';
import { chart } from './chart.ts';
import { explanations } from './explanations.ts';
import { facts } from './facts.ts';
import { itemTable } from './items.ts';
import { pollTable } from './polls.ts';

const CHART_SCRIPTS = html`<link rel="stylesheet" href="${assetPath('uplot.css')}" />
  <script defer src="${assetPath('uplot.js')}"></script>
  <script type="module" src="${assetPath('chart.js')}"></script>`;

export function watchPage({ watch, samples }: Pick<PageQueries, 'watch' | 'samples'>): PageRoute {
  return {
    path: '/watches/:name',
    role: 'viewer',
    nav: null,
    under: '/watches',
    async show(request) {
      const asked = askedIn(SamplesFilter, request);
      const name = request.parameter('name');
      if (asked === null) return NO_SUCH_FILTER;
      const found = await watch(name);
      if (found === null) return errorPage(404, 'No watch has this name, and the journal knows none.');
      if ('history' in found) return gonePage(name, found, request);
      const drawn = { series: await samples(name, asked.filter), filter: asked.filter };
      return { title: name, main: content(found, drawn, request), scripts: CHART_SCRIPTS };
    },
  };
}

interface Drawn {
  readonly series: Series | null;
  readonly filter: SamplesFilter;
}

/** `, now every 2 min: the plan of ethereum` */
function stretched({ interval_ms: wanted, effective_ms: now, explorer }: WatchExplanation['watch']): string {
  return now > wanted ? `, now every ${duration(now)}: the plan of ${explorer}` : '';
}

function content(found: WatchExplanation, drawn: Drawn, request: PageRequest): Html {
  const { watch, of, pause, token } = found;
  const where = of === null ? NOTHING : html` of <a href="${accountPath(of.address)}">${of.name ?? of.address}</a>`;
  const asset = token === null ? NOTHING : html` in ${token.name}`;
  return html`<div>
      <p class="crumbs"><a href="/watches">Watches</a> / ${watch.kind}</p>
      <h1>${watch.name}</h1>
      <p class="lead">
        ${capital(watch.kind)}${where}${asset} on ${watch.explorer}, polled every
        ${duration(watch.interval_ms)}${stretched(watch)}. ${plural(found.alerts.length, 'alert')}.
      </p>
      ${notes(found, request)}
    </div>
    <section class="two beside">
      <div class="stack">
        ${valueSection(found, drawn, request)} ${explanations(found, request)} ${itemTable(found.items, request)}
      </div>
      <aside class="stack" aria-label="Facts">
        ${request.role === 'operator' ? actions(watch, pause !== null) : NOTHING} ${facts(found, request)}
      </aside>
      ${pollTable(found, request)}
    </section>`;
}

function notes({ pause, remarks, watch, data, replica }: WatchExplanation, moment: Moment): Html {
  const paused =
    pause === null
      ? []
      : [html`Paused until ${timeTag(pause.until, moment)} by ${pause.actor}: <q>${pause.comment}</q>`];
  const { blind } = watch;
  const missing = blind === null || blind.fields.length === 0 ? '' : `: ${blind.fields.join(', ')}`;
  const unseen =
    blind === null
      ? []
      : [
          html`${capital(sinceWords(blind.cause))} ${timeTag(blind.since, moment)}: ${causeWords(blind.cause)}${missing}`,
        ];
  const elsewhere = replica === null ? [] : [`${replica} polls it: what is shown here is at most ten seconds older`];
  // After the first answer, the facts beside the chart contain the same.
  const others = pause === null && data === null ? remarks.map((text) => said(capital(text), moment)) : [];
  const all = [...paused, ...unseen, ...elsewhere, ...others];
  if (all.length === 0) return NOTHING;
  return html`<div class="note lead"><div>${all.map((note) => html`<p>${note}</p>`)}</div></div>`;
}

const RANGES = { '6h': '6 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' } as const;

function valueSection(found: WatchExplanation, { series, filter }: Drawn, moment: Moment): Html {
  const { measure, watch, previous, fields } = found;
  if (measure === null && fields.length === 0) return NOTHING;
  const ranges = STEPS.map((since) => ({
    name: RANGES[since],
    count: null,
    isCurrent: since === filter.since,
    href: linkTo(watchPath(watch.name), { since, field: filter.field }),
  }));
  const at = measure?.at ?? null;
  const age = at === null ? NOTHING : html`${ageTag(at, moment)} old`;
  const before = previous === null ? NOTHING : html` · before ${amountTag(previous)}`;
  const value = measure === null ? (series?.field ?? 'Value') : valueTag(measure);
  return html`<div>
    <div class="head">
      <h2>${value}</h2>
      <span class="quiet small">${age}${before}</span>
      <div class="more">${pills(ranges, 'Period')}</div>
    </div>
    ${chart(series, { range: filter.since, name: watch.name, moment })}
  </div>`;
}

const PAUSE_FIELDS = { for: '1h' };

function actions({ name, labels }: WatchExplanation['watch'], isPaused: boolean): Html {
  const path = watchPath(name);
  const button = isPaused
    ? buttonForm({ action: `${path}/resume`, label: 'Resume' })
    : buttonForm({ action: `${path}/pause`, label: 'Pause for 1 h', fields: PAUSE_FIELDS });
  return html`<div class="acts wide">${silenceLink(labelsOfOne(labels))}${button}</div>`;
}
