// The last 24 hours, in half hours, of watches with something to show.
import type { Overview } from '../../../query/shapes/overview.ts';
import { plural } from '../../parts/amount.ts';
import { barsOf } from '../../parts/drawings.ts';
import { html, NOTHING, trusted, type Html } from '../../parts/html.ts';
import { ageTag, type Moment } from '../../parts/time.ts';
import { watchPath } from '../paths.ts';

const LEGEND = trusted(
  '<ul class="legend"><li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="b-ok" width="12" height="12" rx="2"/></svg>quiet</li><li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="b-fire" width="12" height="12" rx="2"/></svg>critical</li><li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="b-warn" width="12" height="12" rx="2"/></svg>warning</li><li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="b-blind" width="12" height="12" rx="2"/><rect width="12" height="12" fill="url(#hatch)"/></svg>not known</li><li><svg viewBox="0 0 12 12" aria-hidden="true"><path class="b-tick" d="M2 3h8L6 9z"/></svg>notified</li></ul>',
);

export function daySection({ bars, more_bars: more, of_watches: all }: Overview, moment: Moment): Html {
  if (bars.length === 0) return NOTHING;
  const quiet = Math.max(0, all - bars.length - more);
  const rest = [
    ...(more === 0 ? [] : [`${plural(more, 'more watch', 'more watches')} with something to show`]),
    ...(quiet === 0 ? [] : [`${plural(quiet, 'watch', 'watches')} with nothing to show`]),
  ];
  return html`<section>
    <div class="head">
      <h2>The last 24 hours</h2>
      ${LEGEND}
    </div>
    <div class="card day">
      ${bars.map((one) => oneDay(one, moment))}
      <div class="axis-pad"></div>
      <div class="axis"><span>24 h ago</span><span>12 h ago</span><span>now</span></div>
      <div class="axis-pad"></div>
    </div>
    ${rest.length === 0 ? NOTHING : html`<p class="small quiet"><a href="/watches">and ${rest.join(', ')}</a></p>`}
  </section>`;
}

function oneDay({ watch, state, since, bars }: Overview['bars'][number], moment: Moment): Html {
  return html`<div><a class="strong" href="${watchPath(watch)}">${watch}</a></div>
    <div class="bars-cell">${barsOf(bars)}</div>
    <div class="small quiet num">${WORDS[state]} ${ageTag(since, moment)}</div>`;
}

const WORDS = { critical: 'critical', warning: 'warning', unknown: 'not known', quiet: 'quiet' } as const;
