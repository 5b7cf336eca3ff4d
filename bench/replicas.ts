// Three replicas that share a PostgreSQL, with watches of six explorers: does every poll come in its time, and what does a
// replica cost? Run by `npm run build && node bench/replicas.ts [WATCHES]`: 10,000 watches, each polled once a minute, take
// three minutes; of more, as many are polled in a minute. Needs Linux. The database, the explorers and the replicas run on one machine. Nothing is asserted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../src/config/config.ts';
import { formatProblems } from '../src/config/problem.ts';
import { phaseOf } from '../src/core/model/watch/schedule.ts';
import { notifiers } from '../src/notifiers/index.ts';
import { loadRules, type RuleFile } from '../src/rules/load.ts';
import { kinds } from '../src/watches/index.ts';
import { freePort } from '../test/support/free-port.ts';
import { execute, openPostgres } from '../test/support/store/postgres-server.ts';
import { cpuSecondsOf, peakRssMbOf, startDaemon, startServer, type Daemon } from './processes.ts';
import { CONCURRENCY, type Due } from './protocol.ts';

const REPLICAS = 3;
const EXPLORERS = 6;
const WATCHES = Number(process.argv[2] ?? 10_000);
/** 167 polls a second, however many watches there are. */
const INTERVAL_MS = 6 * WATCHES;
const RULES_PER_FILE = 500;
const SECRET = Buffer.alloc(32).toString('base64');
/** Of the answers. */
const CHANGED = 0.1;
/** Until each watch was polled for the first time, and each replica has been given its share, one shard after another. */
const BEGIN_MS = 50_000 + INTERVAL_MS;
const MEASURED_MS = 45_000;
/** Polls that were due in the end may come this much later. */
const SETTLE_MS = 1000;

interface Replica {
  readonly origin: string;
  readonly daemon: Daemon;
}

await using opened = new AsyncDisposableStack();
console.log(`load ${loadavg()[0]?.toFixed(1) ?? ''} before`);
const server = await startServer();
opened.defer(() => {
  server.stop();
});
const postgres = opened.use(await openPostgres({ fsync: 'on' }));
const databaseUrl = await postgres.database();
const rules = ruleFiles();
const dues = duesOf();
await server.send({ type: 'lists', intervalMs: INTERVAL_MS, dues });
await server.send({ type: 'changes', share: CHANGED, isTold: false });
const replicas: Replica[] = [];
for (let n = 0; n < REPLICAS; n += 1) replicas.push(await startReplica());
await sleep(BEGIN_MS);
await measure();

async function startReplica(): Promise<Replica> {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bench-'));
  opened.defer(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const listen = await freePort();
  mkdirSync(join(folder, 'rules'));
  writeFileSync(join(folder, 'config.yaml'), configText(listen), { mode: 0o600 });
  writeFileSync(join(folder, 'database-url'), databaseUrl, { mode: 0o600 });
  for (const { file, text } of rules) writeFileSync(join(folder, file), text);
  const origin = `http://127.0.0.1:${listen}`;
  const daemon = await startDaemon(folder, origin, []);
  opened.defer(() => daemon.stop());
  return { origin, daemon };
}

async function measure(): Promise<void> {
  const from = Date.now();
  const before = replicas.map(({ daemon }) => cpuSecondsOf(daemon.pid));
  const written = await writtenBy();
  await sleep(MEASURED_MS);
  const to = from + MEASURED_MS;
  const cores = replicas.map(({ daemon }, n) => ((cpuSecondsOf(daemon.pid) - (before[n] ?? 0)) * 1000) / MEASURED_MS);
  const end = await writtenBy();
  await sleep(SETTLE_MS);
  const { polls, late } = await server.send({ type: 'report', from, to });
  console.log(
    `${polls.daemon} polls of ${dueBetween(from, to)} due in ${MEASURED_MS / 1000} s, load ${loadavg()[0]?.toFixed(1) ?? ''}`,
  );
  const perPoll = (amount: number): string => (amount / polls.daemon).toFixed(2);
  console.log(
    `a poll: ${perPoll(end.transactions - written.transactions)} transactions, ${perPoll(end.wal - written.wal)} bytes of WAL`,
  );
  console.log(`late: p50 ${late.p50?.toFixed(0) ?? '-'} ms, p99 ${late.p99?.toFixed(0) ?? '-'} ms`);
  for (const [n, { origin, daemon }] of replicas.entries()) {
    // Minutes after the last call: a connection that was kept may be closed by then.
    const asked = cpuSecondsOf(daemon.pid);
    const text = await (await fetch(`${origin}/metrics`, { headers: { connection: 'close' } })).text();
    const metrics = `/metrics ${Math.round(text.length / 1000)} kB in ${Math.round((cpuSecondsOf(daemon.pid) - asked) * 1000)} ms of CPU`;
    const held = sumOf(text, /^chainwarden_shards_held\S* (\d+)$/gm);
    const skipped = sumOf(text, /^chainwarden_scheduler_skipped_total\S* (\d+)$/gm);
    const cost = `${(cores[n] ?? 0).toFixed(2)} cores, peak RSS ${peakRssMbOf(daemon.pid).toFixed(0)} MB, ${metrics}`;
    console.log(`replica ${n + 1}: ${held} shards, ${skipped} ticks skipped since the start, ${cost}`);
  }
}

/** What the database has done since it was made; by all replicas together. */
async function writtenBy(): Promise<{ readonly transactions: number; readonly wal: number }> {
  const [row] = await execute(
    databaseUrl,
    `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions,
      pg_current_wal_lsn() - '0/0' AS wal`,
  );
  return { transactions: Number(row?.['transactions']), wal: Number(row?.['wal']) };
}

function sumOf(metrics: string, figure: RegExp): number {
  return [...metrics.matchAll(figure)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Explorers with a key of their own are a plan of their own, and so a shard. */
function configText(listen: number): string {
  const url = `http://127.0.0.1:${server.port}`;
  const explorers = Array.from(
    { length: EXPLORERS },
    (_, n) =>
      `  plan-${n}: { form: instance, instance_url: '${url}/daemon', api_key: 'key-${n}', concurrency: ${CONCURRENCY} }\n`,
  );
  return `
explorers:
${explorers.join('')}
channels: { hook: { type: webhook, url: '${url}/hook', secret: whsec_${SECRET}, allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:${listen} }
state: { postgres: { file: database-url, name: bench } }
rules: [rules/*.yaml]
`;
}

function ruleFiles(): RuleFile[] {
  const watches = Array.from({ length: WATCHES }, (_, n) => {
    const token = `0x${n.toString(16).padStart(40, '0')}`;
    const alert = `{ id: minted, on: changed, if: total_supply > 1_000_000_000_000 }`;
    return `  - { id: token-${n}, explorer: plan-${n % EXPLORERS}, kind: token, token: '${token}', alerts: [${alert}] }`;
  });
  return Array.from({ length: Math.ceil(watches.length / RULES_PER_FILE) }, (_, n) => {
    const some = watches.slice(n * RULES_PER_FILE, (n + 1) * RULES_PER_FILE);
    const text = `defaults: { every: ${INTERVAL_MS / 1000}s, notify: [hook] }\nwatches:\n${some.join('\n')}\n`;
    return { file: `rules/${n}.yaml`, text };
  });
}

/** When what is due, as the daemons reckon, from the same files. */
function duesOf(): Due[] {
  const readFile = (path: string): string => (path.endsWith('database-url') ? databaseUrl : configText(0));
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const loaded = loadRules(config, rules, { kinds });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  return loaded.watches.map((watch) => ({
    path: watch.kind.question(watch.target).path,
    list: 'token',
    phaseMs: phaseOf(watch),
  }));
}

function dueBetween(from: number, to: number): number {
  const before = (at: number, phaseMs: number): number => Math.ceil((at - phaseMs) / INTERVAL_MS);
  return dues.reduce((sum, { phaseMs }) => sum + before(to, phaseMs) - before(from, phaseMs), 0);
}
