// What the queries behind the pages cost with many watches: CPU milliseconds, the first time after all watches were
// polled, and again when a fiftieth of them was polled since. Run by `node bench/queries.ts`; nothing is asserted.
import { DatabaseSync } from 'node:sqlite';
import { loadConfig } from '../src/config/config.ts';
import { formatProblems } from '../src/config/problem.ts';
import type { Read } from '../src/core/model/watch/question.ts';
import type { Watch } from '../src/core/model/watch/watch.ts';
import { createPoller, type Poller } from '../src/engine/polling/poller.ts';
import { createBlindWatches } from '../src/engine/reporting/blind-watches.ts';
import { AddressDetails } from '../src/explorer/reading/resources/address.ts';
import type { Clock } from '../src/lib/clock.ts';
import { notifiers } from '../src/notifiers/index.ts';
import { accounts } from '../src/query/watches/accounts.ts';
import { overview } from '../src/query/overview/overview.ts';
import { ListFilter } from '../src/query/shapes.ts';
import type { View } from '../src/query/view.ts';
import { watches as listWatches } from '../src/query/watches/watches.ts';
import { loadRules } from '../src/rules/load.ts';
import { migrate } from '../src/store/sqlite/migrations.ts';
import { createSqliteStore } from '../src/store/sqlite/store.ts';
import { kinds } from '../src/watches/index.ts';
import { polledRuntime } from '../test/support/web/runtime-view.ts';
import { ownershipOf } from '../test/support/store/fences.ts';

const WATCHES = Number(process.argv[2] ?? 10_000);
const RULES = 100;
const POLLED_AGAIN = 50;
const TIMES = 20;

let now = Date.UTC(2026, 0, 1);
const clock: Clock = { now: () => now, monotonic: () => performance.now(), sleep: () => Promise.resolve() };
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

let polled: { readonly poller: Poller; readonly watches: readonly Watch[] } | null = null;

const view = await viewOfMany();
await measure('/ (overview)', 50, () => overview(view()));
await measure('/watches, problems first', 20, () => listWatches(view(), ListFilter.parse({})));
await measure('/watches, closest first', 20, () => listWatches(view(), ListFilter.parse({ sort: 'closest' })));
await measure('/accounts', 20, () => accounts(view(), ListFilter.parse({})));

function ignore(): void {
  // Nothing is logged here.
}

/** `goalMs`: of the page, of which the query is the larger part. */
async function measure(what: string, goalMs: number, query: () => Promise<unknown>): Promise<void> {
  const cold = await cpuOf(query);
  const warm: number[] = [];
  for (let i = 0; i < TIMES; i += 1) {
    await pollSome(i);
    warm.push(await cpuOf(query));
  }
  const sorted = warm.toSorted((a, b) => a - b);
  console.log(
    `${what.padEnd(26)} first ${cold.toFixed(1)} ms, then median ${(sorted[TIMES / 2] ?? 0).toFixed(1)}, ` +
      `most ${(sorted.at(-1) ?? 0).toFixed(1)} ms of CPU (goal ${goalMs})`,
  );
}

async function cpuOf(query: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await query();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function viewOfMany(): Promise<() => View> {
  const loaded = loadConfig('config.yaml', { env: {}, readFile: () => configText(), notifiers });
  const { config } = loaded;
  if (config === null) throw new Error(formatProblems(loaded.problems));
  const { watches, problems } = loadRules(config, [{ file: 'rules.yaml', text: rulesText() }], { kinds });
  if (problems.length > 0) throw new Error(formatProblems(problems));
  const db = new DatabaseSync(':memory:');
  migrate(db, 'memory');
  const store = createSqliteStore(db, { file: 'memory' });
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
    memoryOf: (id) => poller.memoryOf(id),
    pausedUntil: () => null,
    storage: () => 'works',
  });
  (await poller.prepare(watches)).commit();
  blind.adopt(watches);
  polled = { poller, watches };
  await pollAll(watches);
  const reader = await store.reader();
  const runtime = polledRuntime({ config, watches: () => watches, poller, blind, startedAt: now });
  return () => ({ store: reader, runtime, now });
}

async function pollSome(turn: number): Promise<void> {
  const part = polled?.watches.filter((_watch, i) => i % POLLED_AGAIN === turn % POLLED_AGAIN) ?? [];
  await pollAll(part);
}

async function pollAll(some: readonly Watch[]): Promise<void> {
  now += 60_000;
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
    return `  - { id: r${i}, kind: balance, of: everyone, every: 5m, alerts: ${alerts} }`;
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
      const coins = BigInt(index === 1 ? 50 : 1000 + ((now / 60_000) % 7));
      return AddressDetails.read({ coin_balance: (coins * 10n ** 18n).toString() }, { coin: 18 }) as never;
    },
    page: () => Promise.reject(new Error('not asked for')),
    pageAgain: () => Promise.reject(new Error('not asked for')),
  };
}
