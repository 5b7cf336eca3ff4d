// The pages. A request passes these gates in turn, and the first one that is shut answers:
//
//   exposure   off the loopback there are pages only where operators or a proxy are configured; else 404
//   host       it was called by a name of its own; else 421
//   size       the address has at most 2 KiB; else 414
//   visitor    it may look; else 401 and the form to enter
//   role       the visitor may do this; else 403
//   form       a page of ours sent it, and it holds the proof of that; else 403
//
// A change that came through answers 303, so that a page that is loaded again repeats nothing.
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { ApiOptions } from '../api/app.ts';
import { createAttempts } from '../guard/attempts.ts';
import type { Hosts } from '../guard/hosts.ts';
import { COOKIE, COOKIE_MS, createVisitors } from '../guard/visitors.ts';
import { enterPage, NOT_ENTERED } from './enter.ts';
import { errorPage } from './errors.ts';
import { filled } from './fill.ts';
import {
  callerOf,
  fieldOf,
  onlyOwnForms,
  onlyOwnHosts,
  onlyProvenForms,
  onlyRole,
  onlyShortUrls,
  onlyVisitors,
  type PageContext,
  type PageEnv,
} from './gates.ts';
import { bare, layout, type Page } from './layout.ts';
import { createRendering } from './rendering.ts';
import type { DaemonFacts, PageQueries } from './queries.ts';
import type { PageRequest, PageRoute } from './route.ts';
import { pageRoutes } from './routes.ts';

export interface PagesOptions {
  /** Whoever reaches the pages may read them. */
  readonly isOpen: boolean;
  readonly timeZone: string;
  readonly now: () => number;
  readonly daemon: () => DaemonFacts;
}

interface Tools extends PagesOptions, ApiOptions {
  readonly queries: PageQueries;
  readonly hosts: Hosts;
  readonly publicUrl: string | null;
  readonly onRejected: (reason: 'host' | 'token') => void;
}

const LARGEST_BODY = 16 * 1024;

/** To be mounted at the root, behind everything else. */
export function createPagesApp(tools: Tools): Hono<PageEnv> {
  const { hosts, publicUrl, now, onRejected, queries, timeZone, daemon } = tools;
  const pages = pageRoutes(queries);
  const app = new Hono<PageEnv>();
  const visitors = createVisitors(tools);
  const rendering = createRendering(tools.monotonic);
  const attempts = createAttempts(tools.monotonic);

  const unknown = (c: PageContext): Response => c.html(bare(enterPage('', NOT_ENTERED)).toString(), 401);
  const refuse = (c: PageContext, status: 400 | 403, why: string): Response => send(c, errorPage(status, why), null);

  function framed(page: Page, here: string | null): string {
    const moment = { now: now(), zone: timeZone };
    const links = pages.flatMap(({ path, nav }) => (nav === null ? [] : [{ path, name: nav }]));
    return layout(page, { ...daemon(), ...moment, here, links }).toString();
  }

  function send(c: PageContext, page: Page, here: string | null): Response {
    return c.html(filled(framed(page, here), c.get('visitor'), now()), page.status ?? 200);
  }

  async function show(c: PageContext, route: PageRoute): Promise<Response> {
    const visitor = c.get('visitor');
    const { status, text } = await rendering.of(c.req.url, visitor.role, async () => {
      const page = await route.show(requestOf(c));
      return { status: page.status ?? 200, text: framed(page, route.path) };
    });
    return c.html(filled(text, visitor, now()), status as 200);
  }

  function requestOf(c: PageContext): PageRequest {
    return {
      now: now(),
      zone: timeZone,
      role: c.get('visitor').role,
      parameter: (name) => c.req.param(name) ?? '',
      query: (name) => c.req.query(name) ?? '',
    };
  }

  async function enter(c: PageContext): Promise<Response> {
    const caller = callerOf(c, now());
    const code = await fieldOf(c, 'code');
    const cookie = code === '' ? visitors.enter(await fieldOf(c, 'token'), caller) : visitors.enterByCode(code, caller);
    if (cookie !== null) {
      setCookie(c, COOKIE, cookie, { ...cookieOptions, maxAge: COOKIE_MS / 1000 });
      return c.redirect('/', 303);
    }
    onRejected('token');
    const { waitMs } = attempts.failed(caller.peer);
    if (waitMs === null) return c.html(bare(enterPage('', wrong(code))).toString(), 401);
    c.header('Retry-After', String(Math.ceil(waitMs / 1000)));
    return c.html(bare(enterPage('', 'There were too many wrong tokens. Wait a minute.')).toString(), 429);
  }

  const cookieOptions = {
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
    secure: publicUrl?.startsWith('https:') ?? false,
  } as const;

  const ownForms = onlyOwnForms(publicUrl, (c, _status, why) => c.html(bare(errorPage(403, why)).toString(), 403));
  const body = bodyLimit({ maxSize: LARGEST_BODY, onError: (c) => c.text('the form is too large', 413) });
  app.use(onlyOwnHosts(hosts, onRejected), onlyShortUrls, compress());
  app.get('/enter', (c) => c.html(bare(enterPage(c.req.query('code') ?? '', null)).toString()));
  app.post('/enter', ownForms, body, enter);
  app.use(onlyVisitors(visitors, now, unknown));
  for (const route of pages) app.get(route.path, onlyRole(route.role, refuse), (c) => show(c, route));
  app.post('/leave', ownForms, body, onlyProvenForms(now, refuse), (c) => {
    deleteCookie(c, COOKIE, cookieOptions);
    return c.redirect('/enter', 303);
  });
  app.all('*', (c) => send(c, errorPage(404, 'Look in the navigation above for what there is.'), null));
  return app;
}

function wrong(code: string): string {
  return code === ''
    ? 'Nobody has this token. On the machine of the daemon, `chainwarden open` prints a link that enters.'
    : 'This link was used before, or is too old. `chainwarden open` prints a new one.';
}
