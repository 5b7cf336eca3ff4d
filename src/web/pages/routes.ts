// The pages, in the order of the navigation, and the forms in them. Each states the least role that it takes: there is no
// route without one.
import { nowPage } from './now/page.ts';
import type { PageQueries } from './queries.ts';
import type { PageRoute } from './route.ts';

export function pageRoutes(queries: PageQueries): readonly PageRoute[] {
  return [nowPage(queries)];
}
