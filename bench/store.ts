// What the state costs, on both engines: claim and settle, commits of 1 and of 32 decisions, lines of the journal, and when
// something is due next. With `--beside FOLDER`, another checkout with its packages installed, the same calls of that
// one's store take turns with these in one process, and the ratio is printed. CPU time of the thread on
// SQLite, as the mean, since the system counts it in steps of milliseconds; elapsed time on PostgreSQL, as the median. Nothing
// is asserted.
import { allOf } from '../test/support/store/store-calls.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Store } from '../src/store/contract/store.ts';
import { hasPostgres, openPostgres } from '../test/support/store/postgres-server.ts';
import { databaseAt } from '../test/support/store/story-state.ts';

const { values: options } = parseArgs({
  options: { beside: { type: 'string' }, rounds: { type: 'string', default: '40' } },
});
const ROUNDS = Number(options.rounds);
const AT = Date.UTC(2026, 0, 1, 12);
const LEASE_MS = 3_600_000;
/** More than all rounds take, so that a claim looks through as many as in a storm. */
const OWED = 100 * (ROUNDS + 1);
const OWED_AT_ONCE = 500;
const SENT = { state: 'sent', outcome: { type: 'sent', answer: '204' } } as const;

type Engine = 'SQLite' | 'PostgreSQL';

/** The modules of one checkout. */
interface Checkout {
  readonly sqlite: typeof import('../src/store/sqlite/open.ts');
  readonly postgres: typeof import('../src/store/postgres/open.ts');
  readonly builders: typeof import('../test/store/builders.ts');
  readonly calls: typeof import('../test/support/store/store-calls.ts');
  readonly fences: typeof import('../test/support/store/fences.ts');
}

interface Subject {
  readonly of: Checkout;
  readonly store: Store;
  /** By watch; the next decision expects them. */
  readonly versions: Map<string, number>;
}

interface Measure {
  readonly name: string;
  /** Of what is done in one round. */
  readonly count: number;
  readonly work: (subject: Subject) => Promise<unknown>;
}

const MEASURES: readonly Measure[] = [
  { name: 'claim + settle, per delivery', count: 20, work: sendSome },
  { name: 'commit of 1', count: 20, work: (subject) => inTurn(20, (n) => decide(subject, [`one-${n}`])) },
  { name: 'commit of 32, per decision', count: 32, work: (subject) => decide(subject, watches('many', 32)) },
  { name: 'append a line', count: 20, work: ({ store }) => inTurn(20, () => store.record([LINE])) },
  {
    name: 'next due time',
    count: 50,
    work: ({ store }) => inTurn(50, () => store.nextDue({ ...allOf('ops'), perRule: 2 })),
  },
];
const LINE = { at: AT, kind: 'start', subject: 'daemon', actor: 'daemon', data: { version: '0.1.0' } } as const;

const checkouts = await Promise.all(['.', ...(options.beside === undefined ? [] : [options.beside])].map(load));
console.log(`load ${loadavg()[0]?.toFixed(1) ?? ''} before, ${ROUNDS} rounds`);
await onSqlite();
if (hasPostgres) await onPostgres();
else console.log('PostgreSQL is not here: not measured');

async function load(folder: string): Promise<Checkout> {
  const at = <T>(path: string): Promise<T> => import(join(resolve(folder), path)) as Promise<T>;
  return {
    sqlite: await at<Checkout['sqlite']>('src/store/sqlite/open.ts'),
    postgres: await at<Checkout['postgres']>('src/store/postgres/open.ts'),
    builders: await at<Checkout['builders']>('test/store/builders.ts'),
    calls: await at<Checkout['calls']>('test/support/store/store-calls.ts'),
    fences: await at<Checkout['fences']>('test/support/store/fences.ts'),
  };
}

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bench-'));
  await using closing = new AsyncDisposableStack();
  closing.defer(() => {
    rmSync(folder, { recursive: true });
  });
  const subjects: Subject[] = [];
  for (const [n, of] of checkouts.entries()) {
    const store = closing.use(await of.sqlite.openSqliteStore({ file: join(folder, `state-${n}.db`) }));
    subjects.push({ of, store, versions: new Map() });
  }
  await measureAll('SQLite', subjects);
}

async function onPostgres(): Promise<void> {
  await using server = await openPostgres();
  await using closing = new AsyncDisposableStack();
  const subjects: Subject[] = [];
  for (const of of checkouts) {
    const options = { place: databaseAt(await server.database()), owner: 'the bench', leaseMs: LEASE_MS };
    const store = closing.use(await of.postgres.openPostgresStore(options));
    await of.fences.claimAll(store, ['service:test', 'channel:ops']);
    subjects.push({ of, store, versions: new Map() });
  }
  await measureAll('PostgreSQL', subjects);
}

async function measureAll(engine: Engine, subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) await oweMany(subject);
  for (const measure of MEASURES) print(engine, measure, await inRounds(engine, subjects, measure));
}

/** Microseconds of one, by subject and round. The subjects take turns, and the first one of a round is not always the same. */
async function inRounds(engine: Engine, subjects: readonly Subject[], { count, work }: Measure): Promise<number[][]> {
  const took = subjects.map((): number[] => []);
  for (let round = -1; round < ROUNDS; round += 1)
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const place = (turn + round + 1) % subjects.length;
      const subject = subjects[place];
      if (subject === undefined) continue;
      const began = microseconds(engine);
      await work(subject);
      const each = (microseconds(engine) - began) / count;
      // The first round compiles.
      if (round >= 0) took[place]?.push(each);
    }
  return took;
}

function microseconds(engine: Engine): number {
  if (engine === 'PostgreSQL') return performance.now() * 1000;
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function print(engine: Engine, { name }: Measure, took: readonly (readonly number[])[]): void {
  const [own = 0, other] = took.map(engine === 'SQLite' ? meanOf : medianOf);
  const beside = other === undefined ? '' : `, beside ${other.toFixed(1)} µs: ${(own / other).toFixed(2)}`;
  console.log(`${engine.padEnd(11)} ${name.padEnd(29)} ${own.toFixed(1).padStart(8)} µs${beside}`);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function oweMany({ of: { builders, calls }, store }: Subject): Promise<void> {
  for (let n = 0; n < OWED; n += OWED_AT_ONCE) {
    const deliveries = Array.from({ length: OWED_AT_ONCE }, (_, i) =>
      builders.aDelivery({ id: `d${n + i}`, key: `k${n + i}` }),
    );
    await calls.owe(store, `owing-${n}`, deliveries, AT);
  }
}

async function sendSome({ of: { calls }, store }: Subject): Promise<void> {
  for (let sent = 0; sent < 20; sent += 4)
    for (const { delivery } of await calls.claim(store, 'ops', 4, AT)) await calls.settle(store, delivery.id, SENT, AT);
}

async function decide({ of: { builders, calls }, store, versions }: Subject, ids: readonly string[]): Promise<void> {
  const decisions = ids.map((id) => builders.aDecision(id, { expects: versions.get(id) ?? 0 }));
  const ends = await calls.commit(store, decisions, AT);
  if (ends.some((end) => end !== 'kept')) throw new Error(`a decision was ${ends.join(', ')}`);
  for (const id of ids) versions.set(id, (versions.get(id) ?? 0) + 1);
}

function watches(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name}-${n}`);
}

async function inTurn(times: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n += 1) await work(n);
}
