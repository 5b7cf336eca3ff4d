// Replicas that come, go, stand still, are cut off and run other configs, over a thousand histories. Only what a round
// decides is real; time and the database are in memory.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FIRST_ROUND, mayRetire, planRound, roundMs, type RoundState } from '../../../src/cluster/round.ts';
import type { HeldShard } from '../../../src/store/contract/cluster.ts';
import type { Shard } from '../../../src/store/contract/fence.ts';
import { MemoryCluster } from '../../support/cluster/memory-cluster.ts';

const LEASE_MS = 15_000;
const LOOK_MS = 1000;
const SETTLED_MS = LEASE_MS + 5000;
const CALM_MS = 180_000;
const AGREED_MS = 30_000;
const KNOWN_AFTER_MS = LEASE_MS - roundMs(LEASE_MS);

const SHARDS: readonly Shard[] = [
  ...['a', 'b', 'c', 'd', 'e'].map((name): Shard => `explorer:${name}`),
  ...['mail', 'chat'].map((name): Shard => `channel:${name}`),
  'service:dispatch',
  'service:journal',
];
const DECLARED = SHARDS.map((shard) => ({ shard, windowMs: 1000 }));

interface Time {
  now: number;
}

class Replica {
  readonly id: string;
  readonly #time: Time;
  readonly #cluster: MemoryCluster;
  checksum = 'old';
  /** What the others know of it. */
  announced = 'old';
  aliveUntil = 0;
  wakesAt = 0;
  #roundAt = 0;
  #state: RoundState = FIRST_ROUND;
  #held = new Map<Shard, { readonly held: HeldShard; deadline: number }>();
  claims = 0;

  constructor(id: string, { time, cluster }: { readonly time: Time; readonly cluster: MemoryCluster }) {
    this.id = id;
    this.#time = time;
    this.#cluster = cluster;
    this.wakesAt = time.now;
  }

  /** What it may ask for now. */
  working(): Shard[] {
    return [...this.#held].filter(([, { deadline }]) => this.#time.now < deadline).map(([shard]) => shard);
  }

  mayRetire(): boolean {
    return mayRetire(this.#state, this.#time.now, LEASE_MS);
  }

  look(isDown: boolean): void {
    const { now } = this.#time;
    this.wakesAt = now + LOOK_MS;
    if (isDown || (now < this.#roundAt && !this.#cluster.hasFree())) return;
    this.#roundAt = now + roundMs(LEASE_MS);
    this.#round(now);
  }

  stop(): void {
    for (const { held } of this.#held.values()) this.#cluster.release(held.fence, 1000);
    this.#cluster.leave(this.id);
  }

  #round(sentAt: number): void {
    const { id, checksum } = this;
    const renewed = this.#cluster.renew(
      id,
      { checksum, counts: true, avoids: [], unreached: [], reaches: [] },
      LEASE_MS,
    );
    this.announced = checksum;
    this.aliveUntil = sentAt + LEASE_MS;
    const held = [...this.#held.values()].map((one) => one.held);
    const plan = planRound(this.#state, { id, renewed, checksum, held, sentAt, leaseMs: LEASE_MS });
    this.#state = plan.state;
    this.#held = new Map(renewed.mine.map((one) => [one.shard, { held: one, deadline: plan.deadline }]));
    if (plan.inForce !== null && plan.inForce !== renewed.config) this.#cluster.agree(plan.inForce, renewed.config);
    if (plan.inForce === checksum) this.#cluster.addShards(DECLARED);
    for (const shard of plan.releases) this.#release(shard);
    for (const claim of plan.claims)
      for (const claimed of this.#cluster.claim(id, claim, LEASE_MS)) {
        this.#held.set(claimed.shard, { held: claimed, deadline: plan.deadline });
        this.claims += 1;
      }
  }

  #release(shard: Shard): void {
    const found = this.#held.get(shard);
    if (found !== undefined) this.#cluster.release(found.held.fence, 1000);
    this.#held.delete(shard);
  }
}

const anEvent = fc.record({
  afterMs: fc.nat(40_000),
  what: fc.constantFrom('kill', 'stop', 'start', 'pause', 'outage', 'config'),
  which: fc.nat(4),
  forMs: fc.nat(40_000),
});

type Event = Readonly<{ afterMs: number; what: string; which: number; forMs: number }>;

class World {
  readonly time: Time = { now: 0 };
  readonly cluster = new MemoryCluster(() => this.time.now);
  replicas: Replica[] = [];
  #started = 0;
  #downUntil = 0;

  start(): void {
    if (this.replicas.length < 4)
      this.replicas.push(new Replica(`replica-${++this.#started}`, { time: this.time, cluster: this.cluster }));
  }

  happen({ what, which, forMs }: Event): void {
    const one = this.replicas[which % Math.max(this.replicas.length, 1)];
    if (what === 'start') this.start();
    if (what === 'outage') this.#downUntil = this.time.now + forMs;
    if (one === undefined) return;
    if (what === 'pause') one.wakesAt = this.time.now + forMs;
    if (what === 'config') one.checksum = one.checksum === 'old' ? 'new' : 'old';
    if (what === 'stop' && this.time.now >= this.#downUntil) one.stop();
    if (what === 'kill' || what === 'stop') this.replicas = this.replicas.filter((other) => other !== one);
  }

  /** Lets time pass; after each look of a replica, `check` is called. */
  pass(ms: number, check: () => void): void {
    const end = this.time.now + ms;
    for (;;) {
      const at = Math.min(...this.replicas.map(({ wakesAt }) => wakesAt));
      const next = this.replicas.find(({ wakesAt }) => wakesAt === at);
      if (next === undefined || at > end) break;
      this.time.now = Math.max(this.time.now, next.wakesAt);
      next.look(this.time.now < this.#downUntil);
      check();
    }
    this.time.now = end;
  }

  /** From now on nothing happens. */
  calm(): void {
    this.#downUntil = 0;
    for (const one of this.replicas) one.wakesAt = Math.min(one.wakesAt, this.time.now + LOOK_MS);
  }

  working(): Shard[] {
    return this.replicas.flatMap((one) => one.working());
  }
}

test('no two replicas work on one shard, each shard gets a replica, and none moves for ever', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 12 }), (events) => {
      const world = new World();
      const neverTwo = (): void => {
        const working = world.working();
        if (new Set(working).size < working.length) throw new Error(`two ask for one of ${working.join(' ')}`);
      };
      world.start();
      for (const event of events) {
        world.pass(event.afterMs, neverTwo);
        world.happen(event);
      }
      world.start();
      world.calm();
      world.pass(CALM_MS, neverTwo);
      expect(world.working().toSorted()).toEqual(SHARDS.toSorted());
      const claims = world.replicas.map((one) => one.claims);
      world.pass(CALM_MS, neverTwo);
      expect(world.replicas.map((one) => one.claims)).toEqual(claims);
    }),
    { numRuns: 1000 },
  );
});

test('after a kill some shards were not worked on for longer than the lease and five seconds', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 4 }),
      fc.nat(3),
      fc.array(fc.nat(20_000), { minLength: 4, maxLength: 4 }),
      (replicas, which, starts) => {
        const world = new World();
        for (let n = 0; n < replicas; n += 1) {
          world.start();
          world.pass(starts[n] ?? 0, () => undefined);
        }
        world.happen({ afterMs: 0, what: 'kill', which, forMs: 0 });
        world.pass(SETTLED_MS, () => undefined);
        expect(world.working().toSorted()).toEqual(SHARDS.toSorted());
      },
    ),
    { numRuns: 1000 },
  );
});

test('three replicas divide each family of shards, and a fourth one gets its share', () => {
  const world = new World();
  for (let n = 0; n < 3; n += 1) world.start();
  world.pass(60_000, () => undefined);
  const counts = (): number[] =>
    world.replicas.map((one) => one.working().filter((s) => s.startsWith('explorer:')).length);
  expect(Math.max(...counts())).toBe(2);
  world.start();
  world.pass(60_000, () => undefined);
  expect(Math.max(...counts())).toBe(2);
  expect(world.working()).toHaveLength(SHARDS.length);
});

test('alerts of watches that another config still named were ended', () => {
  let retirements = 0;
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 12 }), (events) => {
      const world = new World();
      for (let n = 0; n < 3; n += 1) world.start();
      const disagreedAt: number[] = [];
      const look = (): void => {
        const { now } = world.time;
        const live = world.replicas.filter(({ aliveUntil }) => aliveUntil > now);
        if (new Set(live.map(({ announced }) => announced)).size > 1) disagreedAt.push(now);
        if (!live.some((one) => one.mayRetire())) return;
        retirements += 1;
        // What a replica knows of the others may be as old as its last answer.
        const known = disagreedAt.filter((at) => at > now - AGREED_MS && at <= now - KNOWN_AFTER_MS);
        if (known.length > 0) throw new Error(`at ${now} what disagreed at ${known.join(' ')} was ended`);
      };
      // One that stops is no longer asked, also when it ran another config just before.
      for (const event of events.filter(({ what }) => what !== 'stop')) {
        world.pass(event.afterMs, look);
        world.happen(event);
      }
    }),
    { numRuns: 1000 },
  );
  expect(retirements).toBeGreaterThan(1000);
});
