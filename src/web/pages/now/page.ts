// The first page: whether somebody has to get up, and whether the answer can be trusted.
import type { Overview } from '../../../query/shapes/overview.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { clockTime } from '../../parts/time.ts';
import { NEWS, part } from '../frame/parts.ts';
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
      const found = await overview();
      return {
        title: found.headline,
        banner: part(`${NEWS}banner`, html`${banner(found, request)}${asOf(found, request)}`),
        main: content(found, request),
        refreshS: REFRESH_S,
      };
    },
  };
}

function content(found: Overview, request: PageRequest): Html {
  const { trust, events } = found;
  return html`${[
    cardSection(found, request),
    part('trust', trustStrip(found, request)),
    part('blind', blindTable(trust, request)),
    part('handled', handledTable(found, request)),
    part('events', eventTable(events, request)),
    part('recent', recentTable(found.recent, request)),
    part('day', daySection(found, request)),
  ]}`;
}

/** Where the state does not answer, the last overview is shown. */
function asOf({ as_of: at }: Overview, request: PageRequest): Html {
  if (request.now - Date.parse(at) < OLD_MS) return NOTHING;
  return html`<section class="banner blind" aria-label="Old">
    <div class="banner-in">
      <p>Below is the state of <b>${clockTime(at, request)}</b>: the state does not answer now.</p>
    </div>
  </section>`;
}
