// One run: replicas at work on a real database, the faults of a seed, and what became of it.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openReader } from '../../src/store/open.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { createTally } from '../support/crash/tally.ts';
import { execute, openPostgres } from '../support/store/postgres-server.ts';
import { databaseAt, INSTALLATION } from '../support/store/story-state.ts';
import type { Edit } from '../simulation/bugs/bug.ts';
import { copyEdited } from '../simulation/bugs/copies.ts';
import { openChain, rulesOf } from './chain.ts';
import { holderOf, keepLog, readLog } from './database.ts';
import type { Asked, Opened } from './explorer.ts';
import { startExplorer } from './explorer-process.ts';
import { drawRounds, faultOf, type FaultName, type Planned, type Round } from './faults/catalogue.ts';
import { makeClockMovable } from './faults/of-databases.ts';
import { figuresOf, findingsOf, type Figures, type Happened, type Noted, type Span } from './judge.ts';
import { judgePeople } from '../simulation/people/judge.ts';
import { CALLS, CARE, ROUTES } from './people/config.ts';
import { peopleLogOf, type LostRecord } from './people/log.ts';
import { createOperators } from './people/operators.ts';
import { readPeople, recordPeople } from './people/recorded.ts';
import { startReplica, type Replica } from './replica.ts';
import { openSinks } from './sinks.ts';

export interface RunOptions {
  readonly seed: number;
  readonly faults: number;
  readonly kinds: readonly FaultName[];
  /** How long what is owed in the end is waited for; left out: longer than any machine takes. */
  readonly lastMs?: number;
  /** Into the copy of the sources that runs, beside the shorter lease. */
  readonly edits?: readonly Edit[];
  readonly print: (line: string) => void;
  /** Told in the end what each replica printed, and what the oracle for people was told. */
  readonly onLog?: (replica: string, log: string) => void;
}

export interface Report {
  /** What must not have happened. */
  readonly findings: readonly string[];
  readonly figures: Figures & ToldFigures;
}

interface ToldFigures {
  readonly blocks: number;
  readonly told: number;
  readonly copies: number;
  readonly repeats: number;
  /** Of those who are called when nobody answers. */
  readonly calls: number;
  /** What operators did. */
  readonly operated: number;
  /** Decided, and on no record in the end. */
  readonly forgotten: number;
}

const REPLICAS = 3;
const PLANS = 4;
const LEASE_MS = 4000;
/** Heads, purses, those that are cared for, and a spare one. */
const WATCHES = 2 * PLANS + 13;
/** Nothing takes so long. */
const BEGIN_MS = 120_000;
/** Between two faults, for the replicas to be whole again. After an outage they wait for former owners as well. */
const REST_MS = 2000;
/** So short that what no config names may be retired between two faults. */
const AGREED_MS = 2000;
/** Nothing takes so long: what was not told by then is lost. */
const LAST_MS = 300_000;
/** For so long a message may be on its way, or its outcome. */
const UNDER_WAY_MS = 1000;
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
    file: 'src/core/model/quality/reachability.ts',
    find: 'const CUT_OFF_MS = 30_000;',
    replace: 'const CUT_OFF_MS = 5000;',
  },
  { file: 'src/cluster/avoidance.ts', find: 'const AVOIDED_MS = 120_000;', replace: 'const AVOIDED_MS = 20_000;' },
  { file: 'src/cluster/avoidance.ts', find: 'const PROBED_MS = 4000;', replace: 'const PROBED_MS = 1000;' },
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

export async function run({
  seed,
  faults,
  kinds,
  lastMs = LAST_MS,
  edits = [],
  print,
  onLog,
}: RunOptions): Promise<Report> {
  await using opened = new AsyncDisposableStack();
  const sources = opened.use(copyEdited('short times', [...SHORT_TIMES, ...edits]));
  const former = opened.use(copyEdited('a release before', [...SHORT_TIMES, ...edits, ...FORMER]));
  const postgres = opened.use(
    await openPostgres({ fsync: 'on', log_min_duration_statement: '1000', log_lock_waits: 'on', wal_keep_size: '1GB' }),
  );
  const url = await postgres.database();
  await (await openPostgresStore({ place: databaseAt(url), owner: 'the tables' }))[Symbol.asyncDispose]();
  await keepLog(url);
  await recordPeople(url);
  await makeClockMovable(url);
  const asked: Asked[] = [];
  const explorer = opened.use(await startExplorer(PLANS, seed, (one) => asked.push(one)));
  const sinks = opened.use(await openSinks(PLANS, [CARE, CALLS]));
  const lost: LostRecord[] = [];
  const noted: Noted = {
    outages: [],
    forgotten: [],
    clockMoves: [],
    async readLost(former) {
      lost.push({ at: Date.now(), recorded: await readPeople(former.urlOf(new URL(url).pathname.slice(1))) });
    },
    woken: [],
    barred: [],
    findings: [],
  };
  const tally = createTally(sinks.told.all, ({ at }) => noted.forgotten.some((span) => isUnderWay(span, at)));
  const chain = await openChain({ control: explorer.opened.control, plans: PLANS, seed, tally });
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

  const crowded: Span[] = [];
  const isOver = new AbortController();
  const begun = Date.now();
  const operators = createOperators({ seed, url, plans: PLANS, replicas });
  const happening = Promise.all([
    untilOver(isOver.signal, () => chain.step()),
    untilOver(isOver.signal, () => operators.act()),
  ]);
  const beside = {
    all: replicas,
    postgres,
    url,
    explorer,
    sinks,
    files,
    main,
    leaseMs: LEASE_MS,
    agreedMs: AGREED_MS,
    formerMain: join(former.folder, 'src/main.ts'),
    noted,
  };
  async function replicaOf(wanted: Planned['replica']): Promise<Replica> {
    if (typeof wanted === 'number') return found(replicas[wanted]);
    const address = wanted === 'who asked last' ? asked.at(-1)?.asker : await holderOf(url, wanted);
    // Another installation may have asked last.
    return found(replicas.find((one) => one.address === address) ?? replicas[0]);
  }

  /** Another one for each fault of a round. */
  async function victimsOf(round: Round): Promise<Replica[]> {
    const victims: Replica[] = [];
    for (const { replica, roll } of round) {
      const wanted = await replicaOf(replica);
      const free = replicas.filter((one) => !victims.includes(one));
      victims.push(free.includes(wanted) ? wanted : found(free[roll % free.length]));
    }
    return victims;
  }

  async function strike({ name, roll, afterMs }: Planned, victim: Replica): Promise<void> {
    await pause(afterMs);
    const fault = faultOf(name);
    const from = Date.now();
    print(`${timeOf(from)} ${name}${fault.isOfAll === true ? '' : `, ${victim.name}`}`);
    await fault.strike({ victim, roll, ...beside });
    if (fault.isOfAll === true) noted.outages.push({ from, to: Date.now() });
  }

  await pause(REST_MS);
  for (const round of drawRounds(seed, faults, kinds, REPLICAS)) {
    const from = Date.now();
    const victims = await victimsOf(round);
    await Promise.all(round.map((planned, n) => strike(planned, found(victims[n]))));
    if (round.length > 1) crowded.push({ from, to: Date.now() });
    await pause(round.some(({ name }) => faultOf(name).room === 'database') ? REST_MS + LEASE_MS : REST_MS);
  }
  isOver.abort();
  await happening;
  const isOwed = async (): Promise<boolean> => !tally.isAllTold() || (await hasWaiting(url));
  for (const end = Date.now() + lastMs; Date.now() < end && (await isOwed());) await pause(200);
  const stoppedAt = Date.now();
  for (const replica of replicas) await replica.stop();
  for (const replica of replicas) onLog?.(replica.name, replica.said());
  onLog?.('postgres', postgres.said());

  const happened: Happened = { ...noted, asked, log: await readLog(url), crowded, leaseMs: LEASE_MS };
  const people = peopleLogOf({
    span: { from: begun, to: Date.now() },
    plans: PLANS,
    recorded: await readPeople(url),
    lost,
    tries: sinks.tries,
    jumps: noted.clockMoves,
    outages: noted.outages,
  });
  onLog?.('people', JSON.stringify(people, null, 1));
  return {
    findings: [
      ...noted.findings,
      ...judgePeople(people).map(({ check, at, what }) => `${check} at ${timeOf(at)}: ${what}`),
      ...tally.faults(),
      ...findingsOf(happened),
      ...(await unsound(url, stoppedAt)),
    ],
    figures: {
      ...figuresOf(happened),
      blocks: chain.blocks(),
      told: sinks.told.all.length,
      copies: tally.copies(),
      repeats: people.tries.filter(({ kind }) => kind === 'repeat').length,
      calls: people.tries.filter(({ target }) => target.channel === CALLS).length,
      operated: people.actions.length,
      forgotten: people.transitions.filter(({ at, fromMemoryAt }) => at === null && fromMemoryAt !== null).length,
    },
  };
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

async function untilOver(signal: AbortSignal, step: () => Promise<void>): Promise<void> {
  while (!signal.aborted) await step();
}

/** Told then, or on its way. */
function isUnderWay({ from, to }: Span, at: number): boolean {
  return from - UNDER_WAY_MS <= at && at <= to + UNDER_WAY_MS;
}

function found(replica: Replica | undefined): Replica {
  if (replica === undefined) throw new Error('there is no such replica');
  return replica;
}

const configOf = ({ plans }: Opened, addresses: string, channels: string): string => `
explorers:
${plans.map((url, plan) => `  plan-${plan}: { form: instance, instance_url: '${url}' }\n`).join('')}
addresses: ${addresses}
${channels.replaceAll(', allow:', `, secret: '${SECRET}', allow:`)}
${ROUTES}self: none
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

/** True while some deliveries wait: a receiver that answers slowly has a queue for a while. */
async function hasWaiting(url: string): Promise<boolean> {
  return (await execute(url, "SELECT FROM deliveries WHERE state IN ('due', 'sending') LIMIT 1")).length > 0;
}

/** The journal is whole, nothing is given up, and nothing that was decided before `stoppedAt` is owed. */
async function unsound(url: string, stoppedAt: number): Promise<string[]> {
  await using reader = await openReader({ file: '', postgres: databaseAt(url) });
  const [verdict, { outbox, dead }] = [await reader.verifyJournal(null), await reader.survey()];
  const owed = outbox.filter(({ rows, oldest }) => rows > 0 && oldest < stoppedAt);
  return verdict.type === 'intact' && owed.length === 0 && dead === 0
    ? []
    : [`the state holds ${JSON.stringify({ verdict, owed, dead })}`];
}
