// One watch: its value over time, and why each of its alerts fires or not.
import type { WatchExplanation } from '../../../query/shapes/watches.ts';
import { amountTag, plural } from '../../parts/amount.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { ageTag, duration, timeTag, type Moment } from '../../parts/time.ts';
import { againstTag, valueTag } from '../../parts/measures.ts';
import { errorPage } from '../errors.ts';
import { buttonForm } from '../fill.ts';
import { gonePage } from '../gone.ts';
import { silenceLink, watchPath } from '../paths.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRequest, PageRoute } from '../route.ts';
import { explanations } from './explanations.ts';
import { facts } from './facts.ts';
import { pollTable } from './polls.ts';

export function watchPage({ watch }: Pick<PageQueries, 'watch'>): PageRoute {
  return {
    path: '/watches/:name',
    role: 'viewer',
    nav: null,
    async show(request) {
      const name = request.parameter('name');
      const found = await watch(name);
      if (found === null) return errorPage(404, 'No watch has this name, and the journal knows none.');
      if ('history' in found) return gonePage(name, found, request);
      return { title: name, main: content(found, request) };
    },
  };
}

function content(found: WatchExplanation, request: PageRequest): Html {
  const { watch, of, pause } = found;
  const where = of === null ? NOTHING : html` at <b>${of.name ?? of.address}</b>`;
  return html`<div>
      <p class="crumbs"><a href="/watches">Watches</a> / ${watch.kind}</p>
      <h1>${watch.name}</h1>
      <p class="lead">
        ${watch.kind}${where} on ${watch.explorer}, polled every ${duration(watch.interval_ms)}.
        ${plural(found.alerts.length, 'alert')}.
      </p>
      ${notes(found, request)}
    </div>
    <section class="two">
      <div class="stack">
        <div>${valueHead(found, request)}</div>
        ${explanations(found, request)} ${pollTable(found, request)}
      </div>
      <aside class="stack" aria-label="Facts">
        ${request.role === 'operator' ? actions(watch.name, pause !== null) : NOTHING} ${facts(found, request)}
      </aside>
    </section>`;
}

function notes({ pause, remarks, watch }: WatchExplanation, moment: Moment): Html {
  const paused =
    pause === null
      ? []
      : [html`Paused until ${timeTag(pause.until, moment)} by ${pause.actor}: <q>${pause.comment}</q>`];
  const blind =
    watch.blind === null ? [] : [html`Blind since ${timeTag(watch.blind.since, moment)}: ${watch.blind.cause}`];
  const all = [...paused, ...blind, ...remarks];
  if (all.length === 0) return NOTHING;
  return html`<div class="note"><div>${all.map((note) => html`<p>${note}</p>`)}</div></div>`;
}

function valueHead({ measure, previous }: WatchExplanation, moment: Moment): Html {
  if (measure === null) return NOTHING;
  const age = measure.at === null ? NOTHING : html`${ageTag(measure.at, moment)} old`;
  const before = previous === null ? NOTHING : html` · before ${amountTag(previous)}`;
  return html`<div class="head">
      <h2>${measure.is_stale ? 'was ' : null}${valueTag(measure)}</h2>
      <span class="quiet small">${age}${before}</span>
    </div>
    <p>${againstTag(measure)}</p>`;
}

const PAUSE_FIELDS = { for: '1h' };

function actions(watch: string, isPaused: boolean): Html {
  const path = watchPath(watch);
  const button = isPaused
    ? buttonForm({ action: `${path}/resume`, label: 'Resume' })
    : buttonForm({ action: `${path}/pause`, label: 'Pause for 1 h', fields: PAUSE_FIELDS });
  return html`<div class="acts wide">${silenceLink({ watch, alert: null })}${button}</div>`;
}
