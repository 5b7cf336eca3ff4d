// The pages, in the order of the navigation, and the forms in them. Each states the least role that it takes: there is no
// route without one.
import type { Interventions } from '../api/operation.ts';
import { aboutPage } from './daemon/about.ts';
import { accountsPage } from './accounts.ts';
import { explorersPage } from './daemon/explorers.ts';
import { rulesPage } from './daemon/rules.ts';
import { sourcePage } from './daemon/source.ts';
import { samplesRoute } from './watch/samples.ts';
import { ackForms } from './operators/acks.ts';
import { deliveriesPage, deliveryForms } from './deliveries.ts';
import { historyPage } from './history.ts';
import { alertPage } from './alert/page.ts';
import { pauseForms } from './operators/pauses.ts';
import { silenceForms } from './silences/forms.ts';
import { silencesPage } from './silences/page.ts';
import { watchPage } from './watch/page.ts';
import { nowPage } from './now/page.ts';
import type { PageQueries } from './queries.ts';
import type { FormRoute, PageRoute } from './route.ts';
import { watchesPage } from './watches.ts';

export function pageRoutes(queries: PageQueries): readonly PageRoute[] {
  return [
    nowPage(queries),
    accountsPage(queries),
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

export function formRoutes(
  interventions: Interventions,
  { silences }: Pick<PageQueries, 'silences'>,
): readonly FormRoute[] {
  return [
    ...ackForms(interventions),
    ...pauseForms(interventions),
    ...silenceForms({ interventions, silences }),
    ...deliveryForms(interventions),
  ];
}
