// Replicas whose loops run on a database that is not real, by a clock that is not.
import type { Follower, Ownership } from '../../../src/cluster/ownership.ts';
import { createSharedOwnership } from '../../../src/cluster/shared-ownership.ts';
import type { Shard } from '../../../src/store/contract/fence.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createRecordingLog, type RecordingLog } from '../recording-log.ts';
import { MemoryCluster } from './memory-cluster.ts';

export const LEASE_MS = 15_000;
export const SHARDS: readonly Shard[] = [
  'explorer:a',
  'explorer:b',
  'channel:mail',
  'service:dispatch',
  'service:journal',
];

export interface Replica {
  readonly ownership: Ownership;
  readonly told: string[];
  readonly lines: string[];
  readonly log: RecordingLog;
  /** The way to the database is cut. */
  isCut: boolean;
  /** What the follower does before it answers. */
  slow: (what: string) => Promise<void>;
  held(): Shard[];
  working(): Shard[];
  stop(): Promise<void>;
  /** Rejects when it ends by itself. */
  readonly running: Promise<void>;
  /** It ends without a word. */
  kill(): void;
}

interface World {
  readonly shards: readonly Shard[];
  readonly clock: FakeClock;
  readonly cluster: MemoryCluster;
}

export function someReplicas(shards: readonly Shard[] = SHARDS) {
  const clock = createFakeClock();
  const cluster = new MemoryCluster(() => clock.now());
  const world = { shards, clock, cluster };
  return { ...world, join: (name: string, watches = ['w']) => join(name, world, watches) };
}

function join(name: string, { shards, clock, cluster }: World, watches: readonly string[]): Replica {
  const told: string[] = [];
  const lines: string[] = [];
  const log = createRecordingLog();
  const stop = new AbortController();
  const own = cluster.replica(name, LEASE_MS, () => replica.isCut);
  const ownership = createSharedOwnership({
    cluster: own,
    clock,
    log,
    onTime: () => undefined,
    record: async (entries) => {
      lines.push(...entries.map(({ kind }) => kind));
    },
  });
  const follower: Follower = {
    claimed: async (shard) => {
      await replica.slow('claimed');
      told.push(`claimed ${shard}`);
    },
    releasing: async (shard) => {
      await replica.slow('releasing');
      told.push(`releasing ${shard}`);
    },
    lost: (shard) => {
      told.push(`lost ${shard}`);
    },
  };
  ownership.follow(follower);
  ownership.declare({
    checksum: `config of ${watches.join()}`,
    watches,
    shards: shards.map((shard) => ({ shard, windowMs: 1000 })),
  });
  const running = ownership.run(stop.signal);
  // Whether it ends so is asked for by one story.
  running.catch(() => undefined);
  const replica: Replica = {
    ownership,
    running,
    told,
    lines,
    log,
    isCut: false,
    slow: () => Promise.resolve(),
    held: () => shards.filter((shard) => ownership.fenceOf(shard) !== null),
    working: () => shards.filter((shard) => ownership.mayWork(shard)),
    async stop() {
      stop.abort();
      await running;
    },
    kill() {
      replica.isCut = true;
      stop.abort();
    },
  };
  return replica;
}
