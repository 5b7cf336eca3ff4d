// The daemon's web server as a network service: its address, and limits on slow or many clients. The answers are in
// app.ts.
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createWebApp, type WebAppOptions } from './app.ts';
import { boundExchanges } from './exchanges.ts';
import { inUrl } from './guard/hosts.ts';

export interface WebOptions extends WebAppOptions {
  /** 0: any free port. */
  readonly port: number;
}

export interface Web {
  /** Without a slash at its end: `http://127.0.0.1:9797`. */
  readonly url: string;
  /** Ends the open connections too. Safe to call twice. */
  close(): Promise<void>;
}

/** The address cannot be used for listening. The text names the address, the reason, and the correction. */
export class WebError extends Error {
  override readonly name = 'WebError';
}

/** Resolves when the server listens. Rejects with a `WebError` if it cannot listen. */
export async function serveWeb(options: WebOptions): Promise<Web> {
  let second: SocketServer | null = null;
  const server = createHardenedServer({ ...options, isOnBothLoopbacks: () => second !== null });
  const { address, port } = await listen(server, options);
  second = await listenOnOtherLoopback(server, { address, port });
  return {
    url: `http://${inUrl(options.host)}:${port}`,
    async close() {
      second?.close();
      await close(server);
    },
  };
}

const OTHER_LOOPBACK: Readonly<Record<string, string>> = { '127.0.0.1': '::1', '::1': '127.0.0.1' };

/**
 * Listens on the other loopback address as well. Resolves with null if `address` is no loopback address, if the machine
 * has no other one, or if another program listens there.
 */
function listenOnOtherLoopback(
  server: Server,
  { address, port }: Pick<AddressInfo, 'address' | 'port'>,
): Promise<SocketServer | null> {
  const host = OTHER_LOOPBACK[address];
  if (host === undefined) return Promise.resolve(null);
  const other = createSocketServer((socket) => server.emit('connection', socket));
  other.maxConnections = server.maxConnections;
  return new Promise((resolve) => {
    other.once('error', () => {
      resolve(null);
    });
    other.listen({ port, host, ipv6Only: true }, () => {
      other.removeAllListeners('error');
      other.on('error', () => undefined);
      resolve(other);
    });
  });
}

// Limits on slow or many clients.
const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  // The interval at which Node checks for late clients; its default of 30 s would make a limit of 5 s up to 35 s long.
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8_192,
};
const IDLE_MS = 10_000;

function createHardenedServer(options: WebOptions): Server {
  const app = createWebApp(options);
  // `hostname` is used for HTTP/1.0 probes, which send no Host header. The global Request and Response are not
  // replaced.
  const answer = getRequestListener(app.fetch, { hostname: inUrl(options.host), overrideGlobalObjects: false });
  const server = createServer(LIMITS);
  boundExchanges(
    server,
    (request, response) => void answer(request, response),
    () => options.onRejected?.('sockets'),
  );
  // Also limits a client that sends a request and does not read the answer.
  server.timeout = IDLE_MS;
  return server;
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
      return `cannot listen on ${address}: another program uses this address, perhaps another daemon; stop it, or ${HINT}`;
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
    // An error in the callback only means that the server was closed before.
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
