// The other side, in a process of its own, so that its CPU is not the daemon's: an explorer that answers from memory and
// counts who came when, and a webhook receiver that knows when the answer behind each alert had left.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createListMaker, type ServedList } from './bodies.ts';
import { CLIENTS, type Client, type Due, type Order, type Report } from './protocol.ts';
import { createSamples, percentilesOf } from './samples.ts';

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'max-age=0, private, must-revalidate',
  'access-control-allow-origin': '*',
  'x-request-id': 'GGxkpTxSUKlVYRkAAAAB',
};

/** What one client asks for at one path, and when it is due. */
interface Served {
  readonly list: ServedList;
  readonly phaseMs: number;
  wasServed: boolean;
}

const makeList = await createListMaker();
const servedByPath = new Map<string, Served>();
const lateness = { daemon: createSamples(), bare: createSamples() };
const answerToWebhook = createSamples();
/** When the answer that calls for an alert had left, by the hash of its transaction. */
const awaited = new Map<string, number>();
let intervalMs = 0;
let changes = { share: 0, isTold: false };

function open(dues: readonly Due[]): void {
  servedByPath.clear();
  for (const client of CLIENTS)
    for (const { path, list, phaseMs } of dues)
      servedByPath.set(`/${client}/api/v2/${path}`, { list: makeList(list, path), phaseMs, wasServed: false });
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url?.split('?')[0] ?? '';
  const served = servedByPath.get(path);
  if (served === undefined) {
    response.writeHead(404, HEADERS).end('{"message":"Not found"}');
    return;
  }
  const client: Client = path.startsWith('/bare/') ? 'bare' : 'daemon';
  count(client, served, Date.now());
  const isTold = changes.isTold && client === 'daemon';
  // What stands in a first answer was there before the watch, and is no news: no webhook will come for it.
  const hash = served.wasServed && Math.random() < changes.share ? served.list.change(isTold) : null;
  served.wasServed = true;
  const body = served.list.body();
  response.writeHead(200, { ...HEADERS, 'content-length': body.length });
  response.end(body, () => {
    if (isTold && hash !== null) awaited.set(hash, Date.now());
  });
}

/** A poll belongs to the last time at which its path was due. */
function count(client: Client, { phaseMs }: Served, now: number): void {
  const due = Math.floor((now - phaseMs) / intervalMs) * intervalMs + phaseMs;
  lateness[client].add(due, now - due);
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedAt = Date.now();
  let text = '';
  for await (const chunk of request) text += String(chunk);
  response.writeHead(204).end();
  const { data } = JSON.parse(text) as { data: { fields: { transaction_hash?: string } } };
  const hash = data.fields.transaction_hash ?? '';
  const answeredAt = awaited.get(hash);
  if (answeredAt !== undefined) answerToWebhook.add(answeredAt, arrivedAt - answeredAt);
  awaited.delete(hash);
}

function report(from: number, to: number): Report {
  return {
    port: (server.address() as AddressInfo).port,
    polls: {
      daemon: lateness.daemon.between(from, to).length,
      bare: lateness.bare.between(from, to).length,
    },
    late: percentilesOf(lateness.daemon.between(from, to)),
    answerToWebhook: percentilesOf(answerToWebhook.between(from, to)),
    untold: [...awaited.values()].filter((at) => at >= from && at < to).length,
  };
}

// A busy machine may take longer than the five seconds after which Node shuts an idle connection, just as the next call
// leaves on it.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  if (request.method === 'POST') void receive(request, response);
  else answer(request, response);
});
server.listen(0, '127.0.0.1', () => process.send?.(report(0, 0)));
process.on('message', (order: Order) => {
  if (order.type === 'lists') {
    ({ intervalMs } = order);
    open(order.dues);
  } else if (order.type === 'changes') changes = order;
  process.send?.(order.type === 'report' ? report(order.from, order.to) : report(0, 0));
});
process.on('disconnect', () => process.exit(0));
