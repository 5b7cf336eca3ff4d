// What the web server answers: three paths to read, for Prometheus and for supervisors, and the API. Every other path is
// 404. Answers hold names of the config, what operators wrote and words of fixed lists; details of failures are in the log.
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Queries } from '../query/queries.ts';
import type { Log } from '../telemetry/log.ts';
import { createApiApp, type ApiOptions, type WebEnv } from './api/app.ts';
import { API_ROOT } from './api/routes.ts';
import { createHosts } from './guard/hosts.ts';
import { metering, type Answered } from './metering.ts';
import { problemResponse } from './problem.ts';

export interface WebAppOptions {
  /** That is listened on. */
  readonly host: string;
  /** How the daemon is called from elsewhere. */
  readonly publicUrl: string | null;
  readonly metricsText: () => Promise<string>;
  /** Whether the loops run. */
  readonly isAlive: () => boolean;
  readonly readiness: () => Readiness;
  readonly api: ApiOptions;
  /** What pages and the API show. */
  readonly queries: Queries;
  readonly log?: Pick<Log, 'warn'>;
  /** A connection beyond the limit, a request for a foreign host name, or a wrong token was refused. */
  readonly onRejected?: (reason: 'sockets' | 'host' | 'token') => void;
  readonly onAnswered?: (answered: Answered) => void;
}

export interface Readiness {
  /** Config loaded, state file usable, every watch polled once. */
  readonly isReady: boolean;
  /** Notes for people, ready or not: names of the config and words of fixed lists. */
  readonly lines: readonly string[];
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function createWebApp(options: WebAppOptions): Hono<WebEnv> {
  const { host, metricsText, isAlive, readiness, log } = options;
  const { onRejected = () => undefined, onAnswered = () => undefined } = options;
  const hosts = createHosts(options);
  const app = new Hono<WebEnv>();
  app.use(
    metering({ monotonic: options.api.monotonic, onAnswered }),
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      xFrameOptions: 'DENY',
      // Plain HTTP: HSTS would be ignored here or, behind a proxy, is the proxy's to set.
      strictTransportSecurity: false,
    }),
    async (c, next) => {
      await next();
      c.header('Cache-Control', 'no-store');
    },
  );
  app.route(API_ROOT, createApiApp({ ...options.api, host, hosts, log, onRejected }));
  app.use(async (c, next) => {
    if (hosts.isKnown(c.req.header('host'))) return next();
    onRejected('host');
    return c.text('misdirected request', 421);
  });
  app.get('/metrics', async (c) => c.body(await metricsText(), 200, { 'Content-Type': METRICS_TYPE }));
  app.get('/healthz', (c) => (isAlive() ? c.text('ok') : c.text('stuck', 503)));
  app.get('/readyz', (c) => {
    const { isReady, lines } = readiness();
    return c.text([isReady ? 'ready' : 'waiting', ...lines].join('\n'), isReady ? 200 : 503);
  });
  app.notFound((c) => c.text('not found', 404));
  app.onError((error, c) => {
    const instance = randomUUID();
    log?.warn('web:failed', { error, instance });
    if (!c.req.path.startsWith(API_ROOT)) return c.text('error', 500);
    const detail = `The log has the details, under ${instance}.`;
    return problemResponse({ problem: 'internal-error', detail }, instance);
  });
  return app;
}
