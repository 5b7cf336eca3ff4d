// The first page: whether a person has to act now, and whether the data can be trusted.
import { OverviewFilter } from '../../../query/shapes.ts';
import type { Overview } from '../../../query/shapes/overview.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { clockTime } from '../../parts/time.ts';
import { NEWS, part } from '../frame/parts.ts';
import { labelLine, nothingWith } from '../labels.ts';
import { askedIn, NO_SUCH_FILTER } from '../lists.ts';
import { OLD_MS, type PageQueries } from '../queries.ts';
import type { PageRequest, PageRoute } from '../route.ts';
import { banner } from './banner.ts';
import { blindTable } from './blind.ts';
import { cardSection } from './cards.ts';
import { daySection } from './day.ts';
import { eventTable } from './events.ts';
import { recentTable } from './recent.ts';
import { handledTable } from './handled.ts';
import { trustStrip } from './trust.ts';

const REFRESH_S = 30;

export function nowPage({ overview }: Pick<PageQueries, 'overview'>): PageRoute {
  return {
    path: '/',
    role: 'viewer',
    nav: 'Now',
    async show(request) {
      const asked = askedIn(OverviewFilter, request);
      if (asked === null) return NO_SUCH_FILTER;
      const found = await overview(asked.filter);
      return {
        title: found.headline,
        banner: part(`${NEWS}banner`, html`${banner(found, request)}${asOf(found, request)}`),
        main: content(found, asked.filter.label, request),
        refreshS: REFRESH_S,
      };
    },
  };
}

function content(found: Overview, label: readonly string[], request: PageRequest): Html {
  const { trust } = found;
  const shown = { ...request, label };
  return html`${[
    part(`${NEWS}labels`, labelSection(found, label)),
    cardSection(found, shown),
    part('trust', trustStrip(found, request)),
    part('blind', blindTable(trust, request)),
    part('handled', handledTable(found, shown)),
    part('events', eventTable(found.events, shown)),
    part('recent', recentTable(found.recent, shown)),
    part('day', daySection(found, request)),
  ]}`;
}

/**
 * The line about the filter for labels. The headline above covers all alerts, so a note is added if only alerts outside
 * of the filter are open.
 */
function labelSection({ cards, unhandled, handled, events, recent }: Overview, label: readonly string[]): Html {
  if (label.length === 0) return NOTHING;
  const isAnything = [cards, handled, events, recent].some(({ length }) => length > 0);
  const words = isAnything ? '' : nothingWith(label, '');
  const others = unhandled > 0 && cards.length === 0 ? 'The alerts of the headline have other labels.' : '';
  return html`${labelLine('/', {}, label)}${words + others === '' ? NOTHING : html`<p class="card">${words} ${others}</p>`}`;
}

/** The note that an old overview is shown, because the state does not answer. */
function asOf({ as_of: at }: Overview, request: PageRequest): Html {
  if (request.now - Date.parse(at) < OLD_MS) return NOTHING;
  return html`<section class="banner blind" aria-label="Old">
    <div class="banner-in">
      <p>Below is the state of <b>${clockTime(at, request)}</b>: the state does not answer now.</p>
    </div>
  </section>`;
}
