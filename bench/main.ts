// What a poll costs, as ratios within one run. Absolute figures move with the machine; nothing here is asserted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import got from 'got';
import { loadConfig } from '../src/config/config.ts';
import { formatProblems } from '../src/config/problem.ts';
import type { Watch } from '../src/core/model.ts';
import { createPoller } from '../src/engine/poller.ts';
import { createBudget } from '../src/explorer/budget.ts';
import { createExplorer } from '../src/explorer/explorer.ts';
import { systemClock as clock } from '../src/lib/clock.ts';
import { notifiers } from '../src/notifiers/index.ts';
import { loadRules } from '../src/rules/load.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { kinds } from '../src/watches/index.ts';
import { measureLoading } from './load.ts';

const ROUNDS = 400;
const SIZES = [100, 1000, 10_000];
const CONCURRENCY = 8;
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const server = fork(new URL('server.ts', import.meta.url), { stdio: 'inherit' });
const [port] = (await once(server, 'message')) as [number];
const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bench-'));
console.log(`Node ${process.version}; CPU of this process only; ${ROUNDS} polls each, after as many to warm up\n`);

const table: Record<string, Record<string, string>> = {};
for (const [list, kind] of [
  ['blocks', 'kind: blocks'],
  ['internal-transactions', 'kind: internal-transactions, of: a0'],
  ['tokens', 'kind: holdings, of: a0'],
] as const) {
  const bare = await bareCost(list);
  const same = await pipelineCost('same', kind);
  const changed = await pipelineCost('changed', kind);
  table[list] = {
    'bare got + JSON.parse': ms(bare),
    unchanged: ms(same),
    'unchanged / bare': (same / bare).toFixed(2),
    changed: ms(changed),
    'changed / bare': (changed / bare).toFixed(2),
  };
}
console.table(table);

const growth: Record<string, Record<string, string>> = {};
for (const size of SIZES) growth[`${size} watches`] = await growthOf(size);
console.table(growth);

measureLoading();

server.disconnect();
rmSync(folder, { recursive: true, force: true });

/** CPU milliseconds of one run of `work`. */
async function cpuOf(times: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

async function bareCost(list: string): Promise<number> {
  const agent = { http: new Agent({ keepAlive: true }) };
  const path = list === 'blocks' ? 'blocks' : `addresses/0x1/${list}`;
  const url = `http://127.0.0.1:${port}/changed/api/v2/${path}`;
  const ask = async (): Promise<void> => {
    JSON.parse((await got(url, { agent, retry: { limit: 0 } })).body);
  };
  await cpuOf(ROUNDS, ask);
  return cpuOf(ROUNDS, ask);
}

async function pipelineCost(mode: 'same' | 'changed', kind: string): Promise<number> {
  const watches = watchesOf(
    `- { id: w, ${kind}, every: 1s, alerts: [{ id: x, on: ${eventOf(kind)}, if: '${ifOf(kind)}' }] }`,
    1,
  );
  await using daemon = await open(mode);
  await daemon.poller.adopt(watches);
  const poll = (): Promise<void> => daemon.poller.poll(watches, new AbortController().signal);
  await cpuOf(ROUNDS, poll);
  return await cpuOf(ROUNDS, poll);
}

async function growthOf(size: number): Promise<Record<string, string>> {
  const rule = `- { id: w, kind: internal-transactions, of: everyone, every: 10s, alerts: [{ id: x, on: new, if: success == false }] }`;
  const before = process.cpuUsage();
  const watches = watchesOf(rule, size);
  const load = process.cpuUsage(before);
  await using daemon = await open('same');
  await daemon.poller.adopt(watches);
  const poll = (): Promise<void> => daemon.poller.poll(watches, new AbortController().signal);
  await poll();
  const cost = await cpuOf(size < 1000 ? 20 : 2, poll);
  globalThis.gc?.();
  return {
    'CPU s per 1,000 polls': (cost / size).toFixed(2),
    'load, CPU ms': ((load.user + load.system) / 1000).toFixed(0),
    'RSS MB': (process.memoryUsage.rss() / 2 ** 20).toFixed(0),
  };
}

function eventOf(kind: string): string {
  return kind.includes('holdings') ? 'changed' : 'new';
}

function ifOf(kind: string): string {
  if (kind.includes('holdings')) return 'token.symbol == "never"';
  return kind.includes('blocks') ? 'gas_used > 99999999999' : 'error == "never"';
}

function watchesOf(rule: string, addresses: number): readonly Watch[] {
  const names = Array.from({ length: addresses }, (_, i) => `a${i}: 0x${i.toString(16).padStart(40, '0')}`);
  const text = `
explorers: { bench: { form: instance, instance_url: 'http://127.0.0.1:${port}/same' } }
addresses: { ${names.join(', ')}, everyone: [${names.map((name) => name.split(':')[0]).join(', ')}] }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => text, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const loaded = loadRules(config, [{ file: 'rules.yaml', text: `watches:\n  ${rule}\n` }], { kinds });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  return loaded.watches;
}

async function open(mode: 'same' | 'changed') {
  const stop = new AbortController();
  const store = await openSqliteStore({ file: join(folder, `${mode}-${clock.now()}.db`) });
  const explorer = createExplorer({
    name: 'bench',
    baseUrl: `http://127.0.0.1:${port}/${mode}`,
    auth: { type: 'none' },
    coin: { symbol: 'ETH', decimals: 18 },
    userAgent: 'chainwarden/bench',
    budget: createBudget({ clock, requestsPerSecond: null, concurrency: CONCURRENCY }),
    clock,
    log: QUIET,
    signal: stop.signal,
  });
  const poller = createPoller({
    store,
    readerOf: () => explorer,
    clock,
    log: QUIET,
    onPolled: () => undefined,
    onSkipped: () => undefined,
    onOwed: () => undefined,
  });
  return {
    poller,
    async [Symbol.asyncDispose]() {
      await explorer[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
