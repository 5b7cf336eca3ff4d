// What polls of single kinds cost, with the sandbox as the explorer: its answers of `logs`, `contract`, `transfers` and `read`
// fit each other. It runs in this process, so that its CPU is not the daemon's.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../src/lib/clock.ts';
import { createSandbox, type Sandbox } from '../src/sandbox/sandbox.ts';
import { serveSandbox } from '../src/sandbox/server.ts';
import { freePort } from '../test/support/free-port.ts';
import { cpuSecondsOf, rssMbOf, startDaemon } from './processes.ts';
import type { Goal } from './report.ts';

export interface KindsOptions {
  readonly watches: number;
  readonly every: string;
  /** Measured, after as long again without. */
  readonly seconds: number;
  readonly nodeOptions: readonly string[];
}

/** What is watched of so many addresses that the watches of one share its requests. */
type Rules = (options: KindsOptions) => readonly string[];

interface Scene {
  readonly name: string;
  readonly rules: Rules;
  /** Rows of each list that are there before the first poll. */
  readonly rows: number;
  /** Rows that are added each second. */
  readonly news: number;
}

const CONTRACTS = 100;

/** New rows in the mix: about one answer in fifty, where 1,000 watches poll every ten seconds. */
const NEWS = 2;

const SCENES: readonly Scene[] = [
  ...[0, 20].flatMap((rows): Scene[] => [
    { name: `transactions, ${rows} known rows`, rules: transactionRules, rows, news: 0 },
    { name: `logs, ${rows} known rows`, rules: logRules, rows, news: 0 },
  ]),
  { name: 'mix of logs, contract, transfers, read', rules: mixedRules, rows: 20, news: NEWS },
];

interface MeasuredKind {
  readonly scene: string;
  /** Milliseconds. */
  readonly cpuPerPoll: number;
  readonly polls: number;
  readonly rssMb: number;
}

/** The most that a poll of `logs` may cost, beside one of `transactions` with as many rows. */
const MOST_RATIO = 1.3;

export async function measureKinds(options: KindsOptions): Promise<readonly Goal[]> {
  const measured: MeasuredKind[] = [];
  for (const scene of SCENES) measured.push(await measure(scene, options));
  console.table(
    Object.fromEntries(
      measured.map(({ scene, cpuPerPoll, polls, rssMb }) => [
        scene,
        { 'CPU ms/poll': cpuPerPoll.toFixed(3), polls, 'RSS MB': rssMb.toFixed(0) },
      ]),
    ),
  );
  const costOf = (name: string): number => measured.find(({ scene }) => scene === name)?.cpuPerPoll ?? NaN;
  return [0, 20].map((rows) => ({
    what: `logs / transactions, ${rows} known rows`,
    measured: costOf(`logs, ${rows} known rows`) / costOf(`transactions, ${rows} known rows`),
    target: MOST_RATIO,
  }));
}

async function measure(scene: Scene, options: KindsOptions): Promise<MeasuredKind> {
  await using opened = new AsyncDisposableStack();
  const limits = { requestsPerSecond: 1_000_000 };
  const sandbox = createSandbox({
    seed: 7,
    blockTimeMs: 'manual',
    clock: systemClock,
    startBlock: 1000,
    quiet: true,
    limits,
  });
  for (const address of addresses()) addRows(sandbox, address, scene.rows);
  sandbox.mine();
  const served = opened.use(await serveSandbox(sandbox));
  const listen = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bench-'));
  opened.defer(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  writeFiles(folder, { url: served.url, listen, rules: scene.rules(options) });
  const origin = `http://127.0.0.1:${listen}`;
  const daemon = await startDaemon(folder, origin, options.nodeOptions);
  opened.defer(() => daemon.stop());
  await live(sandbox, scene, options.seconds);
  const before = { cpu: cpuSecondsOf(daemon.pid), polls: await pollsOf(origin) };
  await live(sandbox, scene, options.seconds);
  const cpu = cpuSecondsOf(daemon.pid) - before.cpu;
  const polls = (await pollsOf(origin)) - before.polls;
  return { scene: scene.name, cpuPerPoll: (cpu / polls) * 1000, polls, rssMb: rssMbOf(daemon.pid) };
}

async function live(sandbox: Sandbox, { news }: Scene, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1000);
    if (news === 0) continue;
    sandbox.mine();
    for (let n = 0; n < news; n += 1) addRows(sandbox, addresses()[(second * news + n) % CONTRACTS] ?? '', 1);
  }
}

function addRows(sandbox: Sandbox, address: string, rows: number): void {
  if (rows > 0) sandbox.emit({ address, event: 'Paused(address account)', args: ['treasury'], times: rows });
  for (let n = 0; n < rows; n += 1) sandbox.addTransaction({ to: address, value: 1n });
  if (rows > 0) sandbox.transferToken({ token: 'USDC', to: address, value: 1_000_000n, times: rows });
}

/** Polls of all watches since the start. Throws if one of them failed: a failure costs less. */
async function pollsOf(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('chainwarden_watch_polls_total{'));
  const failed = lines.filter((line) => !/outcome="(?:complete|unchanged)"/.test(line) && !line.endsWith(' 0'));
  if (failed.length > 0) throw new Error(`polls failed: ${failed.slice(0, 3).join('; ')}`);
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

interface Written {
  readonly url: string;
  readonly listen: number;
  readonly rules: readonly string[];
}

function writeFiles(folder: string, { url, listen, rules }: Written): void {
  const config = `
explorers: { bench: { form: instance, instance_url: '${url}', concurrency: 8, rpc: true } }
addresses: { treasury: '0x${'11'.repeat(20)}', vault: '0xca55518dF8A55440f3834CE64D573ABa5E458550' }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:${listen} }
state: { file: ./state.db }
rules: [rules/*.yaml]
`;
  mkdirSync(join(folder, 'rules'));
  writeFileSync(join(folder, 'config.yaml'), config, { mode: 0o600 });
  writeFileSync(join(folder, 'rules/all.yaml'), rules.join('\n'));
}

function addresses(): readonly string[] {
  return Array.from({ length: CONTRACTS }, (_, i) => `0x${(i + 1).toString(16).padStart(40, 'a')}`);
}

/** Rules of `lines`, each of every address, as many as make so many watches. */
function rulesOf(count: number, kind: string, lines: string): string[] {
  return Array.from({ length: Math.ceil(count / CONTRACTS) }, (_, n) => {
    const of = addresses()
      .slice(0, count - n * CONTRACTS)
      .join(', ');
    return `  - { id: ${kind}-${n}, kind: ${kind}, of: [${of}], ${lines} }`;
  });
}

function written({ every }: KindsOptions, rules: readonly string[]): string[] {
  return [`defaults: { every: ${every}, notify: [screen] }`, 'watches:', ...rules, ''];
}

function transactionRules(options: KindsOptions): string[] {
  const failed = 'alerts: [{ id: failed, on: new, if: status == "error" }]';
  return written(options, rulesOf(options.watches, 'transactions', failed));
}

const LOGS =
  'events: [Paused, OwnershipTransferred], alerts: [{ id: owner, on: new, if: event == "OwnershipTransferred" }]';

function logRules(options: KindsOptions): string[] {
  return written(options, rulesOf(options.watches, 'logs', LOGS));
}

/** A quarter each. All reads of one moment are one request, and so is the code of one contract. */
function mixedRules(options: KindsOptions): string[] {
  const share = Math.floor(options.watches / 4);
  const ofVault = (kind: string, lines: string): string[] =>
    Array.from({ length: share }, (_, n) => `  - { id: ${kind}-${n}, kind: ${kind}, of: vault, ${lines} }`);
  return written(options, [
    ...rulesOf(share, 'logs', LOGS),
    ...rulesOf(share, 'transfers', 'alerts: [{ id: large, on: new, if: amount > 1000000 }]'),
    ...ofVault('contract', 'alerts: [{ id: upgraded, on: changed, if: implementations != before.implementations }]'),
    ...ofVault('read', `read: { held: { call: '${HELD}' } }, alerts: [{ id: low, while: held < 1 }]`),
  ]);
}

const HELD = 'totalAssets() view returns (uint256)';
