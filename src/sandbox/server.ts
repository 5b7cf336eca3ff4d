// Serves the sandbox over HTTP. It uses node:http directly, so that a connection can be cut in the middle of an answer.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, replyOf, type SandboxAnswer, type SandboxReply } from './answer.ts';
import type { ApiAnswer, ApiRequest } from './api.ts';
import { answerControl, CONTROL_PATH } from './control/http.ts';
import { spoil } from './faults/content.ts';
import { isContentFault, isWireFault, type SandboxFault } from './faults/fault.ts';
import { failWithStatus } from './faults/status.ts';
import { failOnWire } from './faults/wire.ts';
import { parseRoute } from './routes.ts';
import type { Sandbox } from './sandbox.ts';

export interface SandboxServer extends AsyncDisposable {
  /** `http://127.0.0.1:1234`: the base URL of the per-instance and of the multichain form. */
  readonly url: string;
  /** Closes every connection. Safe to call twice. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const MOST_CONNECTIONS = 1000;
const KEEP_ALIVE_MS = 120_000;

/** Serves the sandbox on the loopback address. `port` 0 means any free port. Rejects if the port is taken. */
export async function serveSandbox(sandbox: Sandbox, port = 0): Promise<SandboxServer> {
  const server = createServer((request, response) => void handle(sandbox, request, response));
  server.maxConnections = MOST_CONNECTIONS;
  // The timeout is longer than any client is idle. A connection that closes just as it is reused looks like an outage.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('clientError', (_error, socket) => socket.destroy());
  // A connection may fail for lack of file descriptors. The client sees this, and the next connection may succeed.
  server.on('error', () => undefined);
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;
  const stop = (): Promise<void> => close(server);
  return { url: `http://${HOST}:${bound}`, close: stop, [Symbol.asyncDispose]: stop };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

async function handle(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A client that disconnects in the middle is no error.
  response.on('error', () => undefined);
  try {
    const target = request.url ?? '/';
    if (sandbox.hasControl && target.startsWith(CONTROL_PATH)) say(response, await answerControl(sandbox, request));
    else await serve(sandbox, request, response);
  } catch {
    if (response.headersSent) response.destroy();
    else say(response, answer(500, 'Internal server error'));
  }
}

async function serve(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = parseRoute(request.url ?? '/');
  const methods = route?.operation === 'eth-rpc' ? ['POST'] : ['GET', 'HEAD'];
  if (!methods.includes(request.method ?? '')) {
    request.resume();
    say(response, answer(405, { message: 'Method Not Allowed' }, { allow: methods.join(', ') }));
    return;
  }
  const body = await readBody(request);
  if (route === undefined || body === null) {
    say(response, route === undefined ? answer(404, { message: 'Not found' }) : answer(413, { error: 'too large' }));
    return;
  }
  const { authorization } = request.headers;
  const asked: ApiRequest = { route, authorization, showScam: asksForScam(request), body };
  const right = sandbox.ask(asked);
  const fault = sandbox.takeFault(asked, right.status);
  if (fault === undefined) send(response, right);
  else await fail(sandbox, { asked, right, fault }, response);
}

const MOST_BODY = 65_536;

/** The body as text; null if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= MOST_BODY) pieces.push(piece);
  }
  return size > MOST_BODY ? null : Buffer.concat(pieces).toString('utf8');
}

/** Real explorers hide scam tokens unless this header or this cookie is sent. */
function asksForScam({ headers }: IncomingMessage): boolean {
  if (headers['show-scam-tokens'] === 'true') return true;
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.includes('show_scam_tokens=true');
}

interface Failing {
  readonly asked: ApiRequest;
  readonly right: ApiAnswer;
  readonly fault: SandboxFault;
}

async function fail(sandbox: Sandbox, { asked, right, fault }: Failing, response: ServerResponse): Promise<void> {
  const { fault: name } = fault;
  if (isContentFault(name)) {
    const { params } = asked.route;
    const firstPage = (): ApiAnswer =>
      sandbox.ask({ ...asked, route: { ...asked.route, params: onlyFilters(params) } });
    send(response, spoil(name, { right, params, firstPage }));
  } else if (isWireFault(name)) {
    const gone = new AbortController();
    response.on('close', () => {
      gone.abort();
    });
    const { status, text } = right;
    const { clock } = sandbox;
    await failOnWire(name, fault, { response, status, headers: headersOf(right), text, clock, signal: gone.signal });
  } else {
    send(response, failWithStatus(name, fault, right));
  }
}

const FILTERS = ['filter', 'type', 'token', 'topic', 'method', 'apikey', 'key'];

function onlyFilters(params: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...params].filter(([name]) => FILTERS.includes(name)));
}

function say(response: ServerResponse, said: SandboxAnswer): void {
  send(response, replyOf(said));
}

function send(response: ServerResponse, reply: SandboxReply): void {
  const bytes = Buffer.from(reply.text);
  response.writeHead(reply.status, { ...headersOf(reply), 'content-length': bytes.length });
  response.end(bytes);
}

function headersOf({ headers }: SandboxReply): Record<string, string> {
  return { 'content-type': 'application/json; charset=utf-8', ...headers };
}
