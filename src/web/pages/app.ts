// The pages. A request passes these gates in turn, and the first one that refuses it answers:
//
//   exposure   on a network address, there are pages only if operators or a proxy are configured; else 404
//   host       the request names one of the daemon's own host names; else 421
//   size       the address has at most 2 KiB; else 414
//   visitor    the visitor may read pages; else 401 with the form to enter
//   role       the visitor may do this; else 403
//   form       a page of ours sent the form, which contains a valid proof; else 403
import { Hono } from 'hono';
import type { Queries } from '../../query/queries.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ApiOptions } from '../api/app.ts';
import type { Hosts } from '../guard/hosts.ts';
import { createEndedPasses, rememberedPasses, type KeptPasses } from '../guard/ended-passes.ts';
import { createVisitors } from '../guard/visitors.ts';
import { enterPage, NOT_DONE, NOT_ENTERED, ownPath } from './entry/enter.ts';
import { createEntering, type OnEntry } from './entry/entering.ts';
import { errorPage } from './frame/errors.ts';
import { createAudience, createEvents } from './events.ts';
import {
  onlyOwnForms,
  onlyOwnHosts,
  onlyProvenForms,
  onlyRole,
  onlyShortForms,
  onlyShortUrls,
  onlyVisitors,
  type PageContext,
  type PageEnv,
  type Refuse,
} from './entry/gates.ts';
import { compressed } from '../gzip.ts';
import { bare, type HtmlPage } from './frame/layout.ts';
import { createPresenter } from './frame/presenter.ts';
import { withSharedOverview, type PageFacts } from './queries.ts';
import { createPeriods } from './frame/rendering.ts';
import { formRoutes } from './operators/forms.ts';
import { pageRoutes } from './routes.ts';
import { submit } from './operators/submitting.ts';

export interface PagesOptions {
  readonly timeZone: string;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly daemon: () => PageFacts;
  readonly sessions?: KeptPasses;
  readonly onEntry?: OnEntry;
}

interface Tools extends PagesOptions, ApiOptions {
  readonly log?: Pick<Log, 'warn'>;
  readonly queries: Queries;
  readonly hosts: Hosts;
  readonly publicUrl: string | null;
  readonly onRejected: (reason: 'host' | 'token') => void;
  /** Called with the number of pages that are kept current. */
  readonly onStreams: (open: number) => void;
  /** Called when a page shows old data because the state does not answer. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * A button pressed after the session ended has no effect. After entering, the visitor is led back to the page with that
 * button.
 */
function askToEnter(c: PageContext): HtmlPage {
  const isPress = c.req.method === 'POST';
  const from = isPress ? (c.req.header('referer') ?? '') : c.req.url;
  if (!URL.canParse(from)) return enterPage({ wrong: isPress ? NOT_DONE : NOT_ENTERED });
  // Only the path of the address is used, so it always leads to a page of ours.
  const { pathname, search } = new URL(from);
  return enterPage({ to: ownPath(pathname + search), wrong: isPress ? NOT_DONE : NOT_ENTERED });
}

/** The caller mounts it at the root, behind everything else. */
export function createPagesApp(tools: Tools): Hono<PageEnv> {
  const { hosts, publicUrl, clock, onRejected } = tools;
  const now = (): number => clock.now();
  const audience = createAudience(tools.onStreams);
  const periods = createPeriods(tools.monotonic, audience.pauseMs);
  const queries = withSharedOverview(tools.queries, { ...tools, periods });
  const pages = pageRoutes(queries);
  const visitors = createVisitors({
    ...tools,
    endedPasses: createEndedPasses(tools.sessions ?? rememberedPasses(), tools.log),
  });
  const areMetricsOpen = (): boolean => tools.callers().operators.length === 0;
  const presenter = createPresenter({ ...tools, now, queries, pages, periods, areMetricsOpen });
  const news = (c: PageContext): Promise<string> => presenter.news(c.get('visitor').role, c.req.queries('label') ?? []);
  const entering = createEntering({ ...tools, now, visitors });
  const refuse: Refuse = (c, status, why) => presenter.send(c, errorPage(status, why));

  const app = new Hono<PageEnv>();
  app.use(onlyOwnHosts(hosts, onRejected), onlyShortUrls, compressed);
  const isOwnForm = onlyOwnForms(publicUrl, (c, _status, why) => c.html(bare(errorPage(403, why)).toString(), 403));
  const form = [isOwnForm, onlyShortForms] as const;
  app.get('/enter', (c) => entering.ask(c));
  app.post('/enter', ...form, (c) => entering.enter(c));
  app.use(onlyVisitors(visitors, now, (c) => c.html(bare(askToEnter(c)).toString(), 401)));
  app.get('/events', createEvents({ clock, edition: queries.edition, news, audience, onChanged: periods.end }));
  for (const route of pages) app.get(route.path, onlyRole(route.role, refuse), (c) => presenter.show(c, route));
  const proven = [...form, onlyProvenForms(now, refuse)] as const;
  app.post('/leave', ...proven, (c) => entering.leave(c));
  for (const route of formRoutes(tools.perform, queries))
    app.post(route.path, onlyRole(route.role, refuse), ...proven, (c) =>
      submit(c, route, { ...tools, now, presenter, periods }),
    );
  app.all('*', (c) => presenter.send(c, errorPage(404, 'Look in the navigation above for what there is.')));
  return app;
}
