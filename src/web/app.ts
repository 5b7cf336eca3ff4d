// The web server: three paths for Prometheus and supervisors, the API, and the pages for people. Any other path is 404,
// any other method 405. Details of failures are in the log only.
import { randomUUID } from 'node:crypto';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { except } from 'hono/combine';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { nextTurn } from '../lib/clock.ts';
import { remembered } from '../lib/remembered.ts';
import type { Queries } from '../query/queries.ts';
import type { Log } from '../telemetry/log.ts';
import { answerAsset, ASSETS_PATH } from './assets.ts';
import { createApiApp, type ApiOptions, type WebEnv } from './api/app.ts';
import { API_ROOT } from './api/routes.ts';
import { LINKS_ROOT } from './guard/ack-links.ts';
import { createHosts, ownNameOf } from './guard/hosts.ts';
import { GZIP_HEADERS, gzipped, takesGzip } from './gzip.ts';
import { headerPolicy } from './headers.ts';
import { plainAddress } from './guard/addresses.ts';
import { createIdentify, isReachable, type Callers } from './guard/identity.ts';
import { createLinksApp, type LinksOptions } from './links/app.ts';
import { metering, type Answered } from './metering.ts';
import { createPagesApp, type PagesOptions } from './pages/app.ts';
import { errorPage, failurePage } from './pages/frame/errors.ts';
import { bare } from './pages/frame/layout.ts';
import { problemResponse } from './problem.ts';

export interface WebAppOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** The daemon's URL for other machines. */
  readonly publicUrl: string | null;
  readonly metricsText: () => Promise<Buffer<ArrayBuffer>>;
  /** True while the loops run. */
  readonly isAlive: () => boolean;
  readonly readiness: () => Readiness;
  readonly api: ApiOptions;
  /** The daemon's version. */
  readonly version: string;
  /** The data of the pages and the API. */
  readonly queries: Queries;
  /** Links in messages. */
  readonly links: LinksOptions;
  /** Null: no pages are served. */
  readonly pages: PagesOptions | null;
  readonly log?: Pick<Log, 'warn'>;
  /** Called when a connection beyond the limit, a request for a foreign host name, or a wrong token is refused. */
  readonly onRejected?: (reason: 'sockets' | 'host' | 'token') => void;
  readonly onAnswered?: (answered: Answered) => void;
  /** Called with the number of open pages that are kept current. */
  readonly onStreams?: (open: number) => void;
  /**
   * True if the server listens on both loopback addresses. Only then does it answer to its own name below `localhost`,
   * since a browser may choose either address for that name.
   */
  readonly isOnBothLoopbacks?: () => boolean;
}

export interface Readiness {
  /** True if the config is loaded, the state is usable, and every watch was polled once. */
  readonly isReady: boolean;
  /** Notes for people, whether it is ready or not. They contain only names of the config and words of fixed lists. */
  readonly lines: readonly string[];
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function createWebApp(options: WebAppOptions): Hono<WebEnv> {
  const { host, version, queries, metricsText, isAlive, readiness, log } = options;
  const { onRejected = () => undefined, onAnswered = () => undefined, onStreams = () => undefined } = options;
  const ownName = (): string | null => {
    const { localToken } = options.api.callers();
    return options.isOnBothLoopbacks?.() === true && localToken !== null ? ownNameOf(localToken) : null;
  };
  const hosts = createHosts({ ...options, ownName });
  const app = new Hono<WebEnv>();
  const metered = metering({ monotonic: options.api.monotonic, onAnswered });
  // A supervisor must not wait for pages that many people load.
  app.use(except('/healthz', onePerTurn()), metered, headerPolicy, async (c, next) => {
    await next();
    if (!c.res.headers.has('cache-control')) c.header('Cache-Control', 'no-store');
  });
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.route(API_ROOT, createApiApp({ ...options.api, queries, version, host, hosts, log, onRejected }));
  const onlyKnownHosts: MiddlewareHandler = async (c, next) => {
    if (hosts.isKnown(c.req.header('host'))) return next();
    onRejected('host');
    return c.text('misdirected request', 421);
  };
  // All scrapes of one rendering share one compressed body, which is kept once even if clients read slowly.
  const metricsGzipped = remembered((text: Buffer<ArrayBuffer>) => gzipped(text));
  const isReader = readersOf(options.api.callers, onRejected);
  app.get('/metrics', onlyKnownHosts, async (c) => {
    if (!isReader(c)) return c.text(WHICH_TOKEN, 401, { 'WWW-Authenticate': 'Bearer' });
    const text = await metricsText();
    if (!takesGzip(c)) return c.body(text, 200, { 'Content-Type': METRICS_TYPE });
    return c.body(await metricsGzipped(text), 200, { 'Content-Type': METRICS_TYPE, ...GZIP_HEADERS });
  });
  app.get('/healthz', onlyKnownHosts, (c) => (isAlive() ? c.text('ok') : c.text('stuck', 503)));
  app.get('/readyz', onlyKnownHosts, (c) => {
    const { isReady, lines } = readiness();
    const shown = isReader(c) ? lines : [];
    return c.text([isReady ? 'ready' : 'waiting', ...shown].join('\n'), isReady ? 200 : 503);
  });
  const links = { ...options.links, ...options.api, queries, hosts, onRejected };
  app.route(LINKS_ROOT, createLinksApp(links));
  const { pages } = options;
  const onFailed = (error: unknown): void => {
    log?.warn('web:failed', { error, effect: 'the page shows the last overview' });
  };
  const arePages = pages !== null && isReachable(host, options.api.callers());
  if (arePages) {
    app.get(ASSETS_PATH, onlyKnownHosts, answerAsset);
    app.route('/', createPagesApp({ ...options, ...options.api, ...pages, hosts, onRejected, onStreams, onFailed }));
  }
  app.use(onlyKnownHosts);
  app.notFound((c) => c.text('not found', 404));
  app.onError((error, c) => {
    const instance = randomUUID();
    log?.warn('web:failed', { error, instance });
    if (!c.req.path.startsWith(API_ROOT))
      return arePages ? c.html(bare(failurePage(instance)).toString(), 500) : c.text('error', 500);
    const detail = `The log has the details, under ${instance}.`;
    return problemResponse({ problem: 'internal-error', detail }, instance);
  });
  return app;
}

/**
 * Answers requests that arrive together in their order, each in its own turn of the event loop. This lets due polls run
 * between requests, since all open pages load again at the same moment.
 */
export function onePerTurn(): MiddlewareHandler {
  let last = Promise.resolve();
  return async (_c, next) => {
    last = last.then(nextTurn);
    await last;
    await next();
  };
}

const WHICH_TOKEN = 'Send `Authorization: Bearer TOKEN`: the token of an operator or a viewer (http.operators).\n';

/**
 * Metrics contain balances; the lines of readiness contain names and who paused something. If there are operators, both
 * are shown only to callers who may read pages. Without operators a scraper has no token to send, so they are shown to
 * all.
 */
function readersOf(
  callers: Callers,
  onRejected: (reason: 'token') => void,
): (c: Pick<Context<WebEnv>, 'env' | 'req'>) => boolean {
  const identify = createIdentify(callers);
  return ({ env, req }) => {
    if (callers().operators.length === 0) return true;
    const peer = plainAddress(env.incoming.socket.remoteAddress);
    const found = identify({ peer, header: (name) => req.header(name) });
    if ('name' in found) return true;
    if (found.isGuess) onRejected('token');
    return false;
  };
}

function onMethodNotAllowed(c: Context<WebEnv>, methods: readonly string[]): Response {
  const Allow = methods.join(', ');
  const detail = `It takes ${Allow} only.`;
  if (!c.req.path.startsWith(API_ROOT)) return c.html(bare(errorPage(405, detail)).toString(), 405, { Allow });
  const refused = problemResponse({ problem: 'wrong-method', detail });
  refused.headers.set('Allow', Allow);
  return refused;
}
