// What a PostgreSQL that waits for the disk takes from one replica: decisions, coverage, deliveries, and what a takeover
// reads, beside what watches need of which each is polled once a minute and one poll in ten finds something. Run by
// `node bench/postgres.ts`; takes three minutes. The server runs beside it on the same machine. Nothing is asserted.
import { loadavg } from 'node:os';
import { systemClock } from '../src/lib/clock.ts';
import { openPostgresStore } from '../src/store/postgres/open.ts';
import type { Store } from '../src/store/contract/store.ts';
import { aDecision, aDelivery, NOON } from '../test/store/builders.ts';
import { openPostgres } from '../test/support/store/postgres-server.ts';
import { databaseAt } from '../test/support/store/story-state.ts';
import { claimAll } from '../test/support/store/fences.ts';
import { claim, commit, cover, owe, settle } from '../test/support/store/store-calls.ts';

const SIZES = [1000, 10_000, 100_000];
const INTERVAL_S = 60;
const FINDS = 0.1;
const AT_ONCE = 1000;
const TIMES = 9;
/** Nobody else is there to take anything over. */
const LEASE_MS = 3_600_000;
const LONE = 200;
const DELIVERIES = 2000;
const IN_FLIGHT = 4;

console.log(`load ${loadavg()[0]?.toFixed(1) ?? ''} before`);
await using server = await openPostgres({ fsync: 'on' });
await using store = await openPostgresStore({
  place: databaseAt(await server.database()),
  owner: 'the bench',
  leaseMs: LEASE_MS,
});
await claimAll(store, ['service:test', 'channel:ops']);

/** By watch; the next decision expects them. */
const versions: number[] = [];

for (const size of SIZES) {
  while (versions.length < size) await decide(Array.from({ length: AT_ONCE }, (_, n) => versions.length + n));
  const polls = size / INTERVAL_S;
  const some = { count: AT_ONCE, times: TIMES };
  await measure(`${size} watches: decisions, ${AT_ONCE} at once`, { ...some, needed: polls * FINDS }, () =>
    decide(drawn(size)),
  );
  await measure(`${size} watches: rows of coverage, ${AT_ONCE} at once`, { ...some, needed: polls }, () =>
    cover(store, new Map(drawn(size).map((n) => [nameOf(n), { until: systemClock.now() }]))),
  );
  const ids = Array.from({ length: size }, (_, n) => nameOf(n));
  await measure(`${size} watches: memories recalled`, { count: size, times: 3 }, () => store.recall(ids));
}
await measure('decisions, one after the other', { count: LONE, times: 3 }, async () => {
  for (const n of drawn(SIZES[0] ?? AT_ONCE).slice(0, LONE)) await decide([n]);
});
await send(store);

async function decide(watches: readonly number[]): Promise<void> {
  const decisions = watches.map((n) => aDecision(nameOf(n), { expects: versions[n] ?? 0 }));
  const ends = await commit(store, decisions, NOON);
  if (ends.some((end) => end !== 'kept')) throw new Error(`a decision was ${ends.join(', ')}`);
  for (const n of watches) versions[n] = (versions[n] ?? 0) + 1;
}

function nameOf(n: number): string {
  return `balances-${Math.floor(n / 100)}[wallet_${n}]/ethereum/0x${n.toString(16).padStart(40, '0')}/coin`;
}

/** As many different ones, spread over all. */
function drawn(size: number): number[] {
  const from = Math.floor(Math.random() * size);
  const step = Math.floor(size / AT_ONCE);
  return Array.from({ length: AT_ONCE }, (_, n) => (from + n * step) % size);
}

/** Each is claimed, and settled as sent, by one sender with so many in flight. */
async function send(on: Store): Promise<void> {
  for (let n = 0; n < DELIVERIES; n += AT_ONCE) {
    const deliveries = Array.from({ length: AT_ONCE }, (_, i) => aDelivery({ id: `d${n + i}`, key: `k${n + i}` }));
    await owe(on, `told-${n}`, deliveries, NOON);
  }
  const began = performance.now();
  let sent = 0;
  for (let claimed = await claim(on, 'ops', IN_FLIGHT, NOON); claimed.length > 0;) {
    const outcome = { state: 'sent', outcome: { type: 'sent', answer: '204' } } as const;
    await Promise.all(claimed.map(({ delivery }) => settle(on, delivery.id, outcome, NOON)));
    sent += claimed.length;
    claimed = await claim(on, 'ops', IN_FLIGHT, NOON);
  }
  say(`deliveries claimed by ${IN_FLIGHT} and settled`, sent, [performance.now() - began]);
}

interface Figure {
  /** Of what is done in one go. */
  readonly count: number;
  readonly times: number;
  /** A second. */
  readonly needed?: number;
}

async function measure(what: string, { count, times, needed }: Figure, work: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  say(what, count, took, needed);
}

function say(what: string, count: number, took: readonly number[], needed?: number): void {
  const sorted = took.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const taken = `${median.toFixed(0).padStart(6)} ms, ${Math.round((count * 1000) / median)} a second`;
  console.log(`${what.padEnd(50)} ${taken}${needed === undefined ? '' : `, needed: ${needed.toFixed(0)}`}`);
}
