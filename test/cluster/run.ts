// One run: replicas at work on a real database, the faults of a seed, and what became of it.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Shard } from '../../src/store/contract/fence.ts';
import { openReader } from '../../src/store/open.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { createTally } from '../support/crash/tally.ts';
import { openPostgres } from '../support/store/postgres-server.ts';
import { databaseAt, INSTALLATION } from '../support/store/story-state.ts';
import type { Edit } from '../simulation/bugs/bug.ts';
import { copyEdited } from '../simulation/bugs/copies.ts';
import { openChain, rulesOf } from './chain.ts';
import { holderOf, keepLog, readLog } from './database.ts';
import type { Asked, Opened } from './explorer.ts';
import { startExplorer } from './explorer-process.ts';
import { drawFaults, FAULTS, type FaultName } from './faults.ts';
import { figuresOf, findingsOf, type Figures, type Happened, type Span } from './judge.ts';
import { startReplica, type Replica } from './replica.ts';
import { openSinks } from './sinks.ts';

export interface RunOptions {
  readonly seed: number;
  readonly faults: number;
  readonly kinds: readonly FaultName[];
  /** Into the copy of the sources that runs, beside the shorter lease. */
  readonly edits?: readonly Edit[];
  readonly print: (line: string) => void;
  /** Told in the end what each replica printed. */
  readonly onLog?: (replica: string, log: string) => void;
}

export interface Report {
  /** What must not have happened. */
  readonly findings: readonly string[];
  readonly figures: Figures & { readonly blocks: number; readonly told: number; readonly copies: number };
}

const REPLICAS = 3;
const PLANS = 4;
const LEASE_MS = 4000;
/** Heads, and purses. */
const WATCHES = PLANS + 12;
/** Nothing takes so long. */
const BEGIN_MS = 120_000;
/** Between two faults, for the replicas to be whole again. */
const REST_MS = 2000;
/** So short that what no config names may be retired between two faults. */
const AGREED_MS = 2000;
/** Nothing takes so long: what was not told by then is lost. */
const LAST_MS = 40_000;
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes long').toString('base64')}`;

/** Short times make short runs. What is frozen within a transaction holds its locks for less than a lease then too. */
export const SHORT_TIMES: readonly Edit[] = [
  {
    file: 'src/store/postgres/cluster.ts',
    find: 'export const LEASE_MS = 15_000;',
    replace: `export const LEASE_MS = ${LEASE_MS};`,
  },
  {
    file: 'src/store/postgres/driver.ts',
    find: "idle_in_transaction_session_timeout = '10s'",
    replace: "idle_in_transaction_session_timeout = '2s'",
  },
  {
    file: 'src/cluster/round.ts',
    find: 'const AGREED_MS = 30_000;',
    replace: `const AGREED_MS = ${AGREED_MS};`,
  },
  {
    file: 'src/engine/upkeep/retirement.ts',
    find: 'const DISAGREED_MS = 10_000;',
    replace: 'const DISAGREED_MS = 1000;',
  },
];

/** A release before: what it reads of the same files is not the same, as when a default was changed. */
export const FORMER: readonly Edit[] = [
  {
    file: 'src/app/runtime/shards.ts',
    find: "createHash('sha256')",
    replace: "createHash('sha512')",
  },
];

export async function run({ seed, faults, kinds, edits = [], print, onLog }: RunOptions): Promise<Report> {
  await using opened = new AsyncDisposableStack();
  const sources = opened.use(copyEdited('short times', [...SHORT_TIMES, ...edits]));
  const former = opened.use(copyEdited('a release before', [...SHORT_TIMES, ...edits, ...FORMER]));
  const postgres = opened.use(
    await openPostgres({ fsync: 'on', log_min_duration_statement: '1000', log_lock_waits: 'on' }),
  );
  const url = await postgres.database();
  await (await openPostgresStore({ place: databaseAt(url), owner: 'the tables' }))[Symbol.asyncDispose]();
  await keepLog(url);
  const asked: Asked[] = [];
  const explorer = opened.use(await startExplorer(PLANS, seed, (one) => asked.push(one)));
  const sinks = opened.use(await openSinks(PLANS));
  const tally = createTally(sinks.told.all);
  const chain = await openChain(explorer.opened.control, PLANS, tally);
  const files = {
    'rules.yaml': rulesOf(PLANS),
    'config.yaml': configOf(explorer.opened, chain.addresses, sinks.yaml),
  };
  const database = {
    port: postgres.port,
    urlAt: (port: number) => url.replace(`:${postgres.port}/`, `:${port}/`),
  };
  const main = join(sources.folder, 'src/main.ts');
  const replicas: Replica[] = [];
  for (let number = 1; number <= REPLICAS; number += 1)
    replicas.push(opened.use(await startReplica({ number, main, files, database })));
  await everyWatchBegan(replicas);

  const [outages, woken]: [Span[], { address: string; at: number }[]] = [[], []];
  const isOver = new AbortController();
  const happening = (async () => {
    while (!isOver.signal.aborted) await chain.step();
  })();
  const beside = {
    all: replicas,
    sinks,
    leaseMs: LEASE_MS,
    agreedMs: AGREED_MS,
    formerMain: join(former.folder, 'src/main.ts'),
  };
  async function whoever(wanted: 'who asked last' | Shard): Promise<Replica | undefined> {
    const address = wanted === 'who asked last' ? asked.at(-1)?.asker : await holderOf(url, wanted);
    return replicas.find((one) => one.address === address);
  }

  await pause(REST_MS);
  for (const { name, replica } of drawFaults(seed, faults, kinds, REPLICAS)) {
    const victim = typeof replica === 'number' ? replicas[replica] : await whoever(replica);
    if (victim === undefined) throw new Error(`there is no such replica: ${replica}`);
    const from = Date.now();
    const fault = FAULTS[name];
    print(`${new Date(from).toISOString().slice(11, 23)} ${name}${'isOfAll' in fault ? '' : `, ${victim.name}`}`);
    await fault.strike({ victim, postgres, files, ...beside });
    const to = Date.now();
    if ('isOfAll' in fault) outages.push({ from, to });
    if (name === 'freeze') woken.push({ address: victim.address, at: to });
    await pause(REST_MS);
  }
  isOver.abort();
  await happening;
  for (const end = Date.now() + LAST_MS; Date.now() < end && !tally.isAllTold();) await pause(200);
  for (const replica of replicas) await replica.stop();
  for (const replica of replicas) onLog?.(replica.name, replica.said());
  onLog?.('postgres', postgres.said());

  const happened: Happened = { asked, log: await readLog(url), outages, woken, leaseMs: LEASE_MS };
  return {
    findings: [...tally.faults(), ...findingsOf(happened), ...(await unsound(url))],
    figures: {
      ...figuresOf(happened),
      blocks: chain.blocks(),
      told: sinks.told.all.length,
      copies: tally.copies(),
    },
  };
}

const configOf = ({ plans }: Opened, addresses: string, channels: string): string => `
explorers:
${plans.map((url, plan) => `  plan-${plan}: { form: instance, instance_url: '${url}' }\n`).join('')}
addresses: ${addresses}
${channels.replaceAll(', allow:', `, secret: '${SECRET}', allow:`)}
routes: [{ group_interval: 0s, repeat: off }]
self: none
state: { postgres: { env: DATABASE_URL, name: ${INSTALLATION} } }
rules: [rules.yaml]
`;

/** Only what happens after the first poll of a watch is told. */
async function everyWatchBegan(replicas: readonly Replica[]): Promise<void> {
  const began = (): number => replicas.flatMap((replica) => replica.said().match(/watch:baseline/g) ?? []).length;
  const end = Date.now() + BEGIN_MS;
  while (began() < WATCHES) {
    if (Date.now() > end)
      throw new Error(`not every watch began:\n${replicas.map((one) => one.said().slice(-3000)).join('\n\n')}`);
    await pause(100);
  }
}

/** The journal is whole, and nothing is owed or given up. */
async function unsound(url: string): Promise<string[]> {
  await using reader = await openReader({ file: '', postgres: databaseAt(url) });
  const [verdict, { outbox, dead }] = [await reader.verifyJournal(null), await reader.survey()];
  const owed = outbox.filter(({ rows }) => rows > 0);
  return verdict.type === 'intact' && owed.length === 0 && dead === 0
    ? []
    : [`the state holds ${JSON.stringify({ verdict, owed, dead })}`];
}
