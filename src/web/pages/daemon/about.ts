// The daemon itself, and the errors of its API.
import { sharedOut } from '../../../query/daemon/cluster.ts';
import type { About } from '../../../query/shapes/daemon.ts';
import type { ClusterShape } from '../../../query/shapes/overview.ts';
import { PROBLEMS } from '../../problem.ts';
import { counted, plural } from '../../parts/amount.ts';
import { html, NOTHING, type HtmlContent, type Html } from '../../parts/html.ts';
import { clockTime, duration, type Moment } from '../../parts/time.ts';
import type { PageQueries } from '../queries.ts';
import { buttonForm } from '../frame/fill.ts';
import type { PageRequest, PageRoute } from '../route.ts';

export function aboutPage({ about }: Pick<PageQueries, 'about'>): PageRoute {
  return {
    path: '/about',
    role: 'viewer',
    nav: null,
    async show(request) {
      return { title: 'About this daemon', main: content(await about(), request) };
    },
  };
}

function content(found: About, request: PageRequest): Html {
  return html`<div>
      <h1>About this daemon</h1>
      <p class="lead">Chainwarden ${found.version}.</p>
    </div>
    <section class="three" aria-label="Facts">
      <div class="card">
        <h2>Runs</h2>
        ${facts(runs(found, request))}
      </div>
    </section>
    ${found.cluster === null ? NOTHING : replicas(found.cluster)} ${request.role === 'operator' ? sessions() : NOTHING}
    <section>
      <div class="head">
        <h2 id="api">API</h2>
      </div>
      <p>
        <a href="/api/v1/openapi.json">/api/v1/openapi.json</a> describes every call. Where the page takes a token,
        calls take one too: <code>Authorization: Bearer TOKEN</code>.
      </p>
    </section>
    <section>
      <div class="head">
        <h2>Errors of the API</h2>
        <span class="quiet small">the end of <code>type</code> in an answer</span>
      </div>
      <div class="card">
        ${facts(Object.entries(PROBLEMS).map(([name, { status, title }]) => [html`<span id="${name}" class="mono">${name}</span>`, `${status}: ${title}.`]))}
      </div>
    </section>`;
}

function sessions(): Html {
  return html`<section>
    <div class="head">
      <h2 id="sessions">Sessions</h2>
    </div>
    <p>
      After this everybody who entered, you too, is asked for a token again. Tokens stay valid: to take one away, change
      it in the config.
    </p>
    ${buttonForm({ action: '/sessions/end', label: 'End all sessions', class: 'small' })}
  </section>`;
}

const ENGINES = { sqlite: 'SQLite', postgresql: 'PostgreSQL' } as const;

/** Lists the replicas and their shards. If a replica ends, others claim its shards within the time of a lease. */
function replicas(cluster: ClusterShape): Html {
  const { replicas: all, free } = sharedOut(cluster);
  const rows = all.map(({ name, isSelf, shards, isOutvoted }): readonly [HtmlContent, HtmlContent] => {
    const other = isOutvoted ? ' Runs another config than most, and claims nothing.' : '';
    return [isSelf ? `${name} (this one)` : name, `${shards.length === 0 ? 'nothing' : shards.join(', ')}${other}`];
  });
  return html`<section>
    <div class="head">
      <h2>Replicas</h2>
      <span class="quiet small">and what each works on</span>
    </div>
    <div class="card">${facts(free.length === 0 ? rows : [...rows, ['Nobody works on', free.join(', ')]])}</div>
  </section>`;
}

function facts(rows: readonly (readonly [HtmlContent, HtmlContent])[]): Html {
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

function runs(
  { started_at: started, up_ms: up, reloaded_at: loaded, storage, heartbeat, watches, rules }: About,
  moment: Moment,
): (readonly [string, HtmlContent])[] {
  const beat = heartbeat?.accepted_at ?? null;
  return [
    ['Started', started === null ? 'not known' : `${clockTime(started, moment)}, ${duration(up ?? 0)} ago`],
    ['Rules loaded', loaded === null ? 'not known' : clockTime(loaded, moment)],
    ['Watches', `${counted(watches)}, by ${plural(rules, 'rule')}`],
    [
      'State',
      `${ENGINES[storage.engine]}, ${storage.state ?? 'not known'}${storage.max_bytes === null ? '' : `, at most ${counted(storage.max_bytes / 2 ** 20)} MiB`}`,
    ],
    [
      'Heartbeat',
      heartbeat === null ? 'none is set' : beat === null ? 'not accepted yet' : `accepted ${clockTime(beat, moment)}`,
    ],
  ];
}
