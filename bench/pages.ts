// What pages cost with many watches, as the web server answers them, compressed, and without sockets: CPU milliseconds of
// the first page after all watches were polled, of one after a fiftieth of them was polled again, and of the same page
// within the second in which it was made. Run by `node bench/pages.ts`; nothing is asserted.
import { loadConfig } from '../src/config/config.ts';
import { formatProblems } from '../src/config/problem.ts';
import type { Read } from '../src/core/model/watch/question.ts';
import type { Watch } from '../src/core/model/watch/watch.ts';
import { createPoller, type Poller } from '../src/engine/polling/poller.ts';
import { createBlindWatches } from '../src/engine/reporting/blind-watches.ts';
import { AddressDetails } from '../src/explorer/reading/resources/address.ts';
import type { Clock } from '../src/lib/clock.ts';
import { notifiers } from '../src/notifiers/index.ts';
import { createQueries } from '../src/query/queries.ts';
import type { QueryContext } from '../src/query/view.ts';
import { loadRules } from '../src/rules/load.ts';
import { openVolatileStore } from '../src/store/sqlite/open.ts';
import { kinds } from '../src/watches/index.ts';
import { createWebApp } from '../src/web/app.ts';
import { polledRuntime } from '../test/support/web/runtime-view.ts';
import { ownershipOf } from '../test/support/store/fences.ts';
import { NO_CALLERS, testWebOptions } from '../test/support/web/web.ts';

const WATCHES = Number(process.argv[2] ?? 10_000);
const RULES = 100;
const POLLED_AGAIN = 50;
const EVERY_MS = 300_000;
const TIMES = Number(process.argv[3] ?? 20);
/** As far as it is looked at. */
const BINDINGS: object = { incoming: { socket: { localAddress: '127.0.0.1', remoteAddress: '127.0.0.1' } } };

let now = Date.UTC(2026, 0, 1);
let [edition, monotonic] = [0, 0];
const clock: Clock = { now: () => now, monotonic: () => performance.now(), sleep: () => Promise.resolve() };
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

let polled: { readonly poller: Poller; readonly watches: readonly Watch[] } | null = null;

const callers = { ...NO_CALLERS, isOpen: true };

const app = createWebApp(
  testWebOptions({
    queries: createQueries(await viewOfMany(), () => Promise.resolve(String(edition))),
    pages: {
      timeZone: 'UTC',
      clock,
      daemon: () => ({ version: '0', startedAt: now, loadedAt: now, heartbeatAt: null }),
    },
    api: { ...testWebOptions({}).api, callers: () => callers, monotonic: () => monotonic },
  }),
);
await measure('/', 50);
for (const path of ['/watches', '/watches?sort=closest', '/accounts', '/rules', '/history', '/deliveries'])
  await measure(path, 20);

function ignore(): void {
  // Nothing is logged here.
}

async function measure(path: string, goalMs: number): Promise<void> {
  const first = await fresh(path);
  const cold: number[] = [];
  for (let i = 0; i < TIMES; i += 1) {
    await pollSome(i);
    cold.push(await fresh(path));
  }
  const cached: number[] = [];
  for (let i = 0; i < TIMES; i += 1) cached.push(await cpuOf(path));
  console.log(
    `${path.padEnd(22)} first ${first.toFixed(1)} ms, then ${spread(cold)} (goal ${goalMs}), cached ${spread(cached)} (goal 2)`,
  );
}

function spread(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  return `${(sorted[TIMES / 2] ?? 0).toFixed(1)}, at most ${(sorted.at(-1) ?? 0).toFixed(1)} ms`;
}

/** In a second of its own, with another edition. */
function fresh(path: string): Promise<number> {
  edition += 1;
  monotonic += 1000;
  return cpuOf(path);
}

async function cpuOf(path: string): Promise<number> {
  const before = process.cpuUsage();
  const headers = { host: '127.0.0.1', 'accept-encoding': 'gzip' };
  const answer = await app.request(`http://127.0.0.1${path}`, { headers }, BINDINGS);
  await answer.arrayBuffer();
  const { user, system } = process.cpuUsage(before);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return (user + system) / 1000;
}

async function viewOfMany(): Promise<() => Promise<QueryContext>> {
  const loaded = loadConfig('config.yaml', { env: {}, readFile: () => configText(), notifiers });
  const { config } = loaded;
  if (config === null) throw new Error(formatProblems(loaded.problems));
  const { watches, problems } = loadRules(config, [{ file: 'rules.yaml', text: rulesText() }], { kinds });
  if (problems.length > 0) throw new Error(formatProblems(problems));
  const store = await openVolatileStore();
  const nothing = {
    onForks: ignore,
    onIdentity: ignore,
    onRecalled: ignore,
    onDamaged: ignore,
    onSkipped: ignore,
    onTransitions: ignore,
  };
  const poller = createPoller({
    store,
    ownership: ownershipOf(store),
    clock,
    log,
    readerOf: () => ({
      tickReader,
      head: () => null,
      blocks: () => null,
      blocksFrom: () => Promise.reject(new Error()),
    }),
    ...nothing,
    onPolled: (watch, observation) => {
      blind.polled(watch, observation);
    },
  });
  const blind = createBlindWatches({
    clock,
    memoryOf: poller.readings.memoryOf,
    pausedUntil: () => null,
    storage: () => 'works',
  });
  (await poller.prepare(watches)).commit();
  blind.adopt(watches);
  polled = { poller, watches };
  await pollAll(watches);
  const reader = await store.reader();
  const runtime = polledRuntime({ config, watches: () => watches, poller, blindWatches: blind, startedAt: now, clock });
  return () => {
    const health = runtime.health();
    return Promise.resolve({ store: reader, runtime: { ...runtime, health: () => health }, now });
  };
}

async function pollSome(turn: number): Promise<void> {
  const part = polled?.watches.filter((_watch, i) => i % POLLED_AGAIN === turn % POLLED_AGAIN) ?? [];
  await pollAll(part);
}

async function pollAll(some: readonly Watch[]): Promise<void> {
  now += EVERY_MS / POLLED_AGAIN;
  await polled?.poller.poll(some, new AbortController().signal);
}

function configText(): string {
  const addresses = Array.from({ length: WATCHES / RULES }, (_, i) => `  a${i}: '${addressOf(i)}'`);
  const group = Array.from({ length: WATCHES / RULES }, (_, i) => `a${i}`);
  return `
explorers: { chain: { form: instance, instance_url: 'https://explorer.invalid' } }
addresses:
${addresses.join('\n')}
  everyone: [${group.join(', ')}]
channels: { screen: { type: log } }
rules: [rules.yaml]
`;
}

/** One watch in a hundred is below its limit. */
function rulesText(): string {
  const rules = Array.from({ length: RULES }, (_, i) => {
    const alerts = `[{ id: low, while: balance < ${i + 1}, severity: warning, notify: [screen] }]`;
    return `  - { id: r${i}, kind: balance, of: everyone, every: ${EVERY_MS / 60_000}m, alerts: ${alerts} }`;
  });
  return `watches:\n${rules.join('\n')}\n`;
}

function addressOf(i: number): string {
  return `0x${(i + 1).toString(16).padStart(40, '0')}`;
}

function tickReader(): Read {
  return {
    async one({ path }) {
      const index = parseInt(path.split('/').at(-1) ?? '', 16);
      const coins = BigInt(index === 1 ? 50 : 1000 + (Math.floor(now / 60_000) % 7));
      return AddressDetails.read({ coin_balance: (coins * 10n ** 18n).toString() }, { coin: 18 }) as never;
    },
    page: () => Promise.reject(new Error('not asked for')),
    pageAgain: () => Promise.reject(new Error('not asked for')),
  };
}
