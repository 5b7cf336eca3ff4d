// The daemon's web server: three routes to read, for Prometheus and for supervisors. Every other path is 404. Answers
// hold names of the config and words of fixed lists only; details are in the log.
import { createServer, type Server } from 'node:http';
import { isIP, type AddressInfo, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { hostNameOf, isLoopback, LOOPBACK_NAMES } from '../lib/loopback.ts';
import type { Log } from '../telemetry/log.ts';

export interface WebOptions {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly metricsText: () => Promise<string>;
  /** Whether the loops run. */
  readonly isAlive: () => boolean;
  readonly readiness: () => Readiness;
  readonly log?: Pick<Log, 'warn'>;
  /** A connection beyond the limit, or a request for a foreign host name, was refused. */
  readonly onRejected?: (reason: 'sockets' | 'host') => void;
}

export interface Readiness {
  /** Config loaded, state file usable, every watch polled once. */
  readonly isReady: boolean;
  /** Notes for people, ready or not: names of the config and words of fixed lists. */
  readonly lines: readonly string[];
}

export interface Web {
  /** Without a slash at its end: `http://127.0.0.1:9797`. */
  readonly url: string;
  /** Ends the open connections too. Safe to call twice. */
  close(): Promise<void>;
}

/** The address cannot be listened on. Says which, why, and what to change. */
export class WebError extends Error {
  override readonly name = 'WebError';
}

/** Resolves once it listens; rejects with a `WebError` when it cannot. */
export async function serveWeb(options: WebOptions): Promise<Web> {
  const server = createHardenedServer(options);
  const { port } = await listen(server, options);
  return { url: `http://${inUrl(options.host)}:${port}`, close: () => close(server) };
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

function createApp({ host, metricsText, isAlive, readiness, log, onRejected }: WebOptions): Hono {
  const app = new Hono();
  app.use(
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
    onlyKnownHosts(host, onRejected),
  );
  app.get('/metrics', async (c) => c.body(await metricsText(), 200, { 'Content-Type': METRICS_TYPE }));
  app.get('/healthz', (c) => (isAlive() ? c.text('ok') : c.text('stuck', 503)));
  app.get('/readyz', (c) => {
    const { isReady, lines } = readiness();
    return c.text([isReady ? 'ready' : 'waiting', ...lines].join('\n'), isReady ? 200 : 503);
  });
  app.notFound((c) => c.text('not found', 404));
  app.onError((error, c) => {
    log?.warn('web:failed', { error });
    return c.text('error', 500);
  });
  return app;
}

/**
 * On the loopback a page in a browser could reach us under a host name of its own (DNS rebinding); it is told 421.
 * Bound to an address of the network, whoever scrapes a container may call it by any name, and the three routes are all
 * that there is to see.
 */
function onlyKnownHosts(host: string, onRejected: WebOptions['onRejected']): MiddlewareHandler {
  const known = new Set([...LOOPBACK_NAMES, inUrl(host).toLowerCase()]);
  return async (c, next) => {
    if (!isLoopback(host) || known.has(hostNameOf(c.req.header('host')))) return next();
    onRejected?.('host');
    return c.text('misdirected request', 421);
  };
}

function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

// Bounds what slow or many clients can cost.
const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  // How often Node looks for late clients; its default of 30 s would turn 5 s into 35.
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8_192,
};
/** Connections that wait for a request, or for the rest of one. */
const MOST_WAITING = 64;
const MOST_SOCKETS = 2 * MOST_WAITING;
const IDLE_MS = 10_000;

function createHardenedServer(options: WebOptions): Server {
  const app = createApp(options);
  // HTTP/1.0 probes send no Host header. Request and Response of the process are not replaced.
  const answer = getRequestListener(app.fetch, { hostname: inUrl(options.host), overrideGlobalObjects: false });
  const waiting = createWaitingRoom(options.onRejected);
  const server = createServer(LIMITS, (request, response) => {
    waiting.leave(request.socket);
    response.once('close', () => {
      waiting.enter(request.socket);
    });
    void answer(request, response);
  });
  server.maxConnections = MOST_SOCKETS;
  server.on('connection', (socket) => {
    socket.once('close', () => {
      waiting.leave(socket);
    });
    waiting.enter(socket);
  });
  // Also for a client that sends a request and does not read the answer.
  server.timeout = IDLE_MS;
  server.on('drop', () => options.onRejected?.('sockets'));
  return server;
}

interface WaitingRoom {
  enter(socket: Socket): void;
  leave(socket: Socket): void;
}

/**
 * When the server is full, a new connection replaces the one that has waited longest, so that idle connections, however
 * many, cannot keep a supervisor from its answer.
 */
function createWaitingRoom(onRejected: WebOptions['onRejected']): WaitingRoom {
  const waiting = new Set<Socket>();
  return {
    enter(socket) {
      if (socket.destroyed) return;
      waiting.add(socket);
      const [oldest] = waiting;
      if (waiting.size <= MOST_WAITING || oldest === undefined) return;
      waiting.delete(oldest);
      oldest.destroy();
      onRejected?.('sockets');
    },
    leave(socket) {
      waiting.delete(socket);
    },
  };
}

function listen(server: Server, { host, port, log }: WebOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new WebError(explain(error, `${inUrl(host)}:${port}`), { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      // From now on an error of the listening socket must not end the daemon.
      server.on('error', (error) => log?.warn('web:failed', { error }));
      resolve(server.address() as AddressInfo);
    });
  });
}

const HINT = 'choose another address with `http: { listen: … }` in the config or with CHAINWARDEN_LISTEN';

function explain({ code, message }: NodeJS.ErrnoException, address: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `cannot listen on ${address}: another program does, perhaps another daemon; stop it, or ${HINT}`;
    case 'EACCES':
      return `cannot listen on ${address}: not permitted (ports below 1024 are reserved); ${HINT}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `cannot listen on ${address}: this machine has no such address; ${HINT}`;
    default:
      return `cannot listen on ${address}: ${message}; ${HINT}`;
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The callback's error only says that it was closed before.
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
