// The pages, in the order of the navigation. Every route states the least role that it needs.
import { aboutPage } from './daemon/about.ts';
import { accountPage } from './account.ts';
import { accountsPage } from './accounts.ts';
import { explorersPage } from './daemon/explorers.ts';
import { rulesPage } from './daemon/rules.ts';
import { sourcePage } from './daemon/source.ts';
import { samplesRoute } from './watch/samples.ts';
import { deliveriesPage } from './deliveries.ts';
import { historyPage } from './history.ts';
import { alertPage } from './alert/page.ts';
import { silencesPage } from './silences/page.ts';
import { watchPage } from './watch/page.ts';
import { nowPage } from './now/page.ts';
import type { PageQueries } from './queries.ts';
import type { PageRoute } from './route.ts';
import { watchesPage } from './watches.ts';

export function pageRoutes(queries: PageQueries): readonly PageRoute[] {
  return [
    nowPage(queries),
    accountsPage(queries),
    accountPage(queries),
    watchesPage(queries),
    watchPage(queries),
    samplesRoute(queries),
    historyPage(queries),
    alertPage(queries),
    silencesPage(queries),
    deliveriesPage(queries),
    explorersPage(queries),
    rulesPage(queries),
    sourcePage(queries),
    aboutPage(queries),
  ];
}
