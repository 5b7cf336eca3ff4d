// What all measurements share: CPU time of this process, the daemon's parts put together, and a table with goals.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Requests under way at a time, ours and those of the bare client. */
export const CONCURRENCY = 8;
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** CPU milliseconds of this process, threads included. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** `watchesOf('- { id: w, kind: blocks, ... }', 20, port)`: `everyone` is that many addresses. */
export function watchesOf(rule: string, addresses: number, port: number): readonly Watch[] {
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

export interface Daemon extends AsyncDisposable {
  /** One tick. */
  poll(watches: readonly Watch[]): Promise<void>;
  /** What the daemon does every ten seconds. */
  flush(): Promise<void>;
}

/** Client, core and a state file on disk; what would be told goes nowhere. */
export async function openDaemon(watches: readonly Watch[], baseUrl: string): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bench-'));
  const { signal } = new AbortController();
  const store = await openSqliteStore({ file: join(folder, 'state.db') });
  const explorer = createExplorer({
    name: 'bench',
    baseUrl,
    auth: { type: 'none' },
    coin: { symbol: 'ETH', decimals: 18 },
    userAgent: 'chainwarden/bench',
    budget: createBudget({ clock, requestsPerSecond: null, concurrency: CONCURRENCY }),
    clock,
    log: QUIET,
    signal,
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
  await poller.adopt(watches);
  return {
    poll: (due) => poller.poll(due, signal),
    flush: () => poller.flush(),
    async [Symbol.asyncDispose]() {
      await explorer[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Measured {
  readonly goal: string;
  readonly what: string;
  readonly measured: number;
  /** Not more than this. */
  readonly target: number;
}

export function printGoals(rows: readonly Measured[]): void {
  console.table(
    rows.map(({ goal, what, measured, target }) => ({
      goal,
      what,
      measured: Number(measured.toFixed(2)),
      'at most': target,
      met: measured <= target ? 'yes' : 'NO',
    })),
  );
}
