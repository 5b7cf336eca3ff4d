// The explorer of a run, in a process of its own: a sandbox chain behind several addresses, each of which is a plan. Every
// request is reported to the parent when it has been answered.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { systemClock } from '../../src/lib/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';

/** Times are of the machine's clock. */
export interface Asked {
  readonly plan: number;
  /** The address from which it came: each replica has its own. */
  readonly asker: string;
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** From that address the explorer cannot be reached, or it can again. */
export interface Barring {
  readonly address: string;
  readonly isBarred: boolean;
}

export interface Opened {
  readonly control: string;
  readonly plans: readonly string[];
}

/** As long as an answer takes in life, so that two who ask at once are seen. */
const ANSWER_MS = 20;

const barred = new Set<string>();

if (process.send !== undefined) await serve(Number(process.argv[2]), process.argv.slice(3).map(String));

async function serve(count: number, [first = '']: readonly string[]): Promise<void> {
  const sandbox = createSandbox({
    seed: Number(first),
    blockTimeMs: 'manual',
    clock: systemClock,
    quiet: true,
    control: true,
  });
  const { url } = await serveSandbox(sandbox);
  const plans: string[] = [];
  for (let plan = 0; plan < count; plan += 1) plans.push(await servePlan(plan, url));
  process.on('message', (message) => {
    const { address, isBarred } = message as Barring;
    if (isBarred) barred.add(address);
    else barred.delete(address);
  });
  const opened: Opened = { control: url, plans };
  process.send?.(opened);
}

async function servePlan(plan: number, target: string): Promise<string> {
  const server = http.createServer((request, response) => {
    const { url: path = '', socket } = request;
    const from = Date.now();
    const asker = socket.remoteAddress ?? '';
    if (barred.has(asker)) {
      socket.resetAndDestroy();
      return;
    }
    response.on('close', () => {
      const asked: Asked = { plan, asker, path, from, to: Date.now() };
      process.send?.(asked);
    });
    setTimeout(() => {
      const { host: _host, ...headers } = request.headers;
      const passed = http.request(`${target}${path}`, { headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      passed.end();
    }, ANSWER_MS);
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
