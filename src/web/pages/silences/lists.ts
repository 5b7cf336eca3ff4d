// The lists of present and past silences.
import type { SilenceRow } from '../../../query/shapes/operators.ts';
import { plural } from '../../parts/amount.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { clockTime, duration, type Moment } from '../../parts/time.ts';
import { buttonForm } from '../frame/fill.ts';
import type { PageRequest } from '../route.ts';

export function activeSilences(rows: readonly SilenceRow[], request: PageRequest): Html {
  const cards = rows.map((row) => card(row, request));
  return html`<div>
    <div class="head"><h2>Active</h2></div>
    <div class="stack tight">${rows.length === 0 ? html`<p class="quiet">No silence is active.</p>` : cards}</div>
  </div>`;
}

function card(row: SilenceRow, request: PageRequest): Html {
  const { until, actor, comment, held, until_resolved: untilResolved } = row;
  const left = duration(Date.parse(until) - request.now);
  const begin = row.state === 'scheduled' ? `from ${clockTime(row.from, request)} ` : '';
  const sooner = untilResolved ? ', or when all is resolved' : '';
  const kept =
    held === null
      ? NOTHING
      : html`<p class="small">
          ${held === 0 ? 'none held back' : `${plural(held, 'notification')} held back so far`}
        </p>`;
  return html`<div class="card">
    <h3>${row.kind === 'pause' ? 'Pause: ' : null}${matcherWords(row)}</h3>
    <p class="small quiet">${begin}until ${clockTime(until, request)}, in ${left}${sooner} · by ${actor}</p>
    <p>${comment}</p>
    ${kept}${request.role === 'operator' && row.kind === 'silence' ? buttons(row) : NOTHING}
  </div>`;
}

const HOUR = { for: '1h' };

function buttons({ id }: SilenceRow): Html {
  const path = `/silences/${encodeURIComponent(id)}`;
  return html`<div class="acts">
    ${buttonForm({ action: `${path}/end`, label: 'End now', class: 'small' })}${buttonForm({ action: `${path}/extend`, label: '1 h longer', fields: HOUR, class: 'small' })}
  </div>`;
}

function matcherWords({ matchers }: SilenceRow): string {
  const words = Object.entries(matchers).map(([label, patterns]) => `${label}=${[patterns].flat().join(',')}`);
  return words.join(' ');
}

export function endedSilences(rows: readonly SilenceRow[], moment: Moment): Html {
  if (rows.length === 0) return NOTHING;
  const lines = rows.map(
    (row) =>
      html`<dt>${clockTime(row.until, moment)}</dt>
        <dd>
          ${matcherWords(row)}, ${duration(Date.parse(row.until) - Date.parse(row.from))},
          ${row.actor}${row.held === null ? null : `: ${plural(row.held, 'notification')} held back`}
        </dd>`,
  );
  return html`<div>
    <div class="head"><h2>Ended</h2></div>
    <dl class="facts">${lines}</dl>
  </div>`;
}
