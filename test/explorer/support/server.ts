import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { certificate, certificateKey } from '../../support/certificate.ts';

export interface SeenRequest {
  readonly method: string;
  /** Empty for a GET. */
  readonly body: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  /** In the order they came. */
  readonly requests: readonly SeenRequest[];
  readonly connections: number;
  /** Resolves when `count` requests have come. */
  whenAsked(count: number): Promise<void>;
  /** Resolves when no connection is open. */
  whenClosed(): Promise<void>;
}

export type Handler = (request: SeenRequest, response: http.ServerResponse, index: number) => void;

/** A real server on the loopback. */
export async function startServer(handler: Handler, scheme: 'http' | 'https' = 'http'): Promise<Server> {
  const requests: SeenRequest[] = [];
  const watchers = new Set<() => void>();
  let connections = 0;
  let open = 0;
  const take = (request: http.IncomingMessage, response: http.ServerResponse, body: string): void => {
    const url = new URL(request.url ?? '/', 'http://host');
    const seen = {
      method: request.method ?? '',
      body,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      url: request.url ?? '/',
      headers: request.headers,
    };
    requests.push(seen);
    for (const look of watchers) look();
    handler(seen, response, requests.length - 1);
  };
  const server = listenerOf(scheme, (request, response) => {
    if (request.method === 'POST')
      void text(request).then((body) => {
        take(request, response, body);
      });
    else take(request, response, '');
  });
  server.on('connection', (socket) => {
    connections += 1;
    open += 1;
    socket.once('close', () => {
      open -= 1;
      for (const look of watchers) look();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  function when(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isTrue()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
    });
  }

  return {
    url: `${scheme}://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    whenAsked: (count) => when(() => requests.length >= count),
    whenClosed: () => when(() => open === 0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function listenerOf(scheme: 'http' | 'https', onRequest: http.RequestListener): http.Server {
  return scheme === 'http'
    ? http.createServer(onRequest)
    : https.createServer({ cert: certificate, key: certificateKey }, onRequest);
}

export interface Reply {
  readonly status?: number;
  readonly headers?: http.OutgoingHttpHeaders;
}

export function sendText(response: http.ServerResponse, text: string | Buffer, reply: Reply = {}): void {
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json; charset=utf-8', ...reply.headers });
  response.end(text);
}

export function sendJson(response: http.ServerResponse, value: unknown, reply: Reply = {}): void {
  sendText(response, JSON.stringify(value), reply);
}

/** Answers the n-th request with the n-th of `replies`, and the last one from then on. */
export function inTurn(
  ...replies: readonly ((response: http.ServerResponse, request: SeenRequest) => void)[]
): Handler {
  return (request, response, index) => {
    replies[Math.min(index, replies.length - 1)]?.(response, request);
  };
}
