// Daemons as replicas on a PostgreSQL of their own, a chain that they watch, and a receiver of all that they tell.
import http from 'node:http';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { systemClock } from '../../../src/lib/clock.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { createFolder, start, type Folder, type Process } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { createInbox, createWebhookSink, untilSo, type Arrivals, type WebhookCall } from '../sinks.ts';
import { execute, hasPostgres, startPostgres } from '../store/postgres.ts';
import { openPostgres, type PostgresServer } from '../store/postgres-server.ts';
import { INSTALLATION } from '../store/story-state.ts';

export interface ReplicaScene extends AsyncDisposable {
  readonly postgres: PostgresServer;
  /** Subjects of what the receiver has taken. */
  readonly told: Arrivals<string>;
  /** All calls of the receiver, those of the heartbeat and those that it refused included. */
  readonly calls: Arrivals<WebhookCall>;
  /** Bodies of the calls of the heartbeat at /fail. */
  readonly fails: Arrivals<string>;
  /** While it refuses, nothing counts as told. */
  readonly setRefusing: (isRefusing: boolean) => void;
  /** From these addresses the explorer cannot be reached. */
  readonly barred: Set<string>;
  /** Sets the balance of a purse. */
  readonly fill: (purse: number, coins: number) => Promise<void>;
  readonly sql: (statement: string) => Promise<readonly Record<string, unknown>[]>;
  /** Asks at once, and again after each request of a daemon to the explorer or the receiver. Resolves when it is so. */
  readonly until: (isSo: () => Promise<boolean>) => Promise<void>;
  /** Resolves when every watch has been polled. */
  begun(): Promise<void>;
  replica(options?: ReplicaOptions): Promise<Replica>;
}

export interface ReplicaOptions {
  readonly rules?: string;
  readonly installation?: string;
  readonly self?: string;
  /** Where its line to the database begins; at the server when it is left out. */
  readonly databasePort?: number;
  /** From which it asks: 127.0.0.N */
  readonly address?: string;
  /** The file of another program; the sources of this repository when it is left out. */
  readonly main?: string;
  /** Another one than that of the scene. */
  readonly url?: string;
}

export interface Replica extends Pick<Process, 'err' | 'says' | 'kill' | 'ended' | 'pid'> {
  readonly folder: Folder;
  page(path: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Ends it as a supervisor does. */
  stop(): Promise<void>;
  /** Runs a command beside it, on the same files; resolves with what it printed. */
  command(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
}

export const PURSES = [0, 1, 2] as const;
const purseOf = (n: number): string => `0x${String(n + 16).repeat(20)}`;
export const RULES = `
watches:
${PURSES.map((n) => `  - { id: coins-${n}, explorer: chain, kind: balance, of: purse_${n}, every: 1s, notify: [hook], alerts: [{ id: low, while: balance < 1, severity: critical }] }\n`).join('')}`;

/** One for all scenes of a test file. */
const shared = hasPostgres ? await startPostgres() : null;

/** With settings it has a server of its own, which may be stopped. */
export async function openReplicaScene(settings?: Readonly<Record<string, string>>): Promise<ReplicaScene> {
  await using opened = new AsyncDisposableStack();
  const postgres = settings === undefined ? shared : opened.use(await openPostgres(settings));
  if (postgres === null) throw new Error('PostgreSQL is not here');
  const url = await postgres.database();
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: systemClock, quiet: true, control: true });
  const served = opened.use(await serveSandbox(sandbox));
  const barred = new Set<string>();
  const [told, fails, requests] = [createInbox<string>(), createInbox<string>(), createInbox<string>()];
  const front = opened.use(
    await openFront(served.url, barred, (path) => {
      requests.push(path);
    }),
  );
  let isRefusing = false;
  const sink = opened.use(
    await createWebhookSink((response, { path, body }) => {
      if (path === '/beats/fail') fails.push(body);
      else if (path === '/hook' && !isRefusing)
        told.push((JSON.parse(body) as { data: { subject: string } }).data.subject);
      response.writeHead(path === '/hook' && isRefusing ? 503 : 204).end();
      requests.push(path);
    }),
  );
  const fill = async (purse: number, coins: number): Promise<void> => {
    const answer = await fetch(`${served.url}/control/set-balance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: purseOf(purse), value: String(BigInt(coins) * 10n ** 18n) }),
    });
    expect(answer.ok).toBe(true);
  };
  for (const purse of PURSES) await fill(purse, 5);
  const configOf = ({ installation = INSTALLATION, self = 'none' }: ReplicaOptions): string => `
explorers: { chain: { form: instance, instance_url: '${front.url}' } }
addresses: { ${PURSES.map((n) => `purse_${n}: '${purseOf(n)}'`).join(', ')} }
channels: { hook: { type: webhook, url: '${sink.origin}/hook', allow: [127.0.0.0/8] } }
routes: [{ group_interval: 0s, repeat: off }]
self: ${self}
heartbeat: { url: '${sink.origin}/beats', every: 1s, allow: [127.0.0.0/8] }
state: { postgres: { env: DATABASE_URL, name: ${installation} } }
rules: [rules.yaml]
`;
  const sql = (statement: string): ReturnType<typeof execute> => execute(url, statement);
  const until = (isSo: () => Promise<boolean>): Promise<void> => untilSo(requests, isSo);
  const all = opened.move();
  return {
    postgres,
    told,
    calls: sink.calls,
    fails,
    barred,
    setRefusing(value) {
      isRefusing = value;
    },
    fill,
    sql,
    until,
    begun: () => until(async () => (await sql('SELECT FROM memory')).length >= PURSES.length),
    async replica(options = {}) {
      const files = { 'rules.yaml': options.rules ?? RULES, 'config.yaml': configOf(options) };
      const folder = all.use(createFolder(files));
      const { databasePort = postgres.port } = options;
      return startReplica(all, folder, options, {
        DATABASE_URL: (options.url ?? url).replace(`:${postgres.port}/`, `:${databasePort}/`),
      });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Resolves once it has started, or has ended. */
async function startReplica(
  all: AsyncDisposableStack,
  folder: Folder,
  { address, main }: ReplicaOptions,
  env: Readonly<Record<string, string>>,
): Promise<Replica> {
  const port = await freePort();
  const from = address === undefined ? {} : { NEMESIS_ADDRESS: address, NODE_OPTIONS: `--import=${SKEW}` };
  const own = { ...env, ...from, CHAINWARDEN_LISTEN: `127.0.0.1:${port}` };
  const process = all.use(start(['run'], folder.path, own, main));
  await process.says('daemon:started').catch(() => process.ended);
  return {
    ...process,
    folder,
    async page(path) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, body: await answer.text() };
    },
    async stop() {
      process.kill('SIGTERM');
      expect(await process.ended).toEqual({ code: 0, signal: null });
    },
    async command(args, other = {}) {
      const command = all.use(start(args, folder.path, { ...env, ...other }, main));
      await command.ended;
      return `${command.out()}${command.err()}`;
    },
  };
}

const SKEW = join(import.meta.dirname, '../../cluster/skew.ts');

interface Front extends AsyncDisposable {
  readonly url: string;
}

/** Passes requests on to the explorer, and resets those that come from a barred address. */
async function openFront(to: string, barred: ReadonlySet<string>, onRequest: (path: string) => void): Promise<Front> {
  const server = http.createServer((request, response) => {
    onRequest(request.url ?? '');
    if (barred.has(request.socket.remoteAddress ?? '')) {
      request.socket.resetAndDestroy();
      return;
    }
    const { host: _host, ...headers } = request.headers;
    const passed = http.request(`${to}${request.url ?? ''}`, { headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    passed.end();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
