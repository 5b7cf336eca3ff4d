// Bodies of the sizes that real explorers send, from memory. A process of its own, so that its CPU is not ours.
// `/changed/...` puts a new row at the head of the list each time; `/same/...` never changes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../src/lib/clock.ts';
import { createSandbox } from '../src/sandbox/sandbox.ts';
import { serveSandbox } from '../src/sandbox/server.ts';

const sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: systemClock, startBlock: 10_000 });
const served = await serveSandbox(sandbox);
const PATHS = {
  blocks: 'blocks',
  'internal-transactions': `addresses/${sandbox.addresses.vault}/internal-transactions`,
  tokens: `addresses/${sandbox.addresses.collector}/tokens`,
};

interface List {
  readonly items: Record<string, unknown>[];
  next_page_params: unknown;
}

const listByName = new Map<string, List>();
for (const [name, path] of Object.entries(PATHS)) {
  const list = (await (await fetch(`${served.url}/api/v2/${path}`)).json()) as List;
  list.next_page_params = null;
  listByName.set(name, list);
}
await served.close();

const sameByName = new Map([...listByName].map(([name, list]) => [name, Buffer.from(JSON.stringify(list))]));
let counter = 0;

/** One row is new: another hash and a higher block, as after one event. */
function changed(list: List): Buffer {
  counter += 1;
  const [first, ...rest] = list.items;
  const height = Number(first?.['height'] ?? first?.['block_number'] ?? 0) + counter;
  const hash = `0x${counter.toString(16).padStart(64, '0')}`;
  const head = { ...first, hash, transaction_hash: hash, height, block_number: height, value: String(counter) };
  return Buffer.from(JSON.stringify({ ...list, items: [head, ...rest] }));
}

// On a busy machine a round takes longer than the five seconds after which Node shuts an idle connection, just as the
// next call leaves on it.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const [, mode, , , ...path] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
  const name = path.at(-1) ?? '';
  const list = listByName.get(name);
  const body = list === undefined ? undefined : mode === 'changed' ? changed(list) : sameByName.get(name);
  if (body === undefined) response.writeHead(404).end('{"message":"Not found"}');
  else response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit(0));
