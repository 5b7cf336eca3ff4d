// Shards that change hands when a test says so, as they do between replicas over one database.
import type { ClusterView, Follower, Ownership } from '../../../src/cluster/ownership.ts';
import type { Fence, Shard } from '../../../src/store/contract/fence.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { fenceOf } from '../store/fences.ts';

/** What the replicas have between them. */
export interface Shards {
  /** One that holds nothing at first. */
  replica(name?: string): MovingOwnership;
  /** The same store, which refuses what is written under a claim that is over. */
  guard(store: Store): Store;
}

export interface MovingOwnership extends Ownership {
  lost(shard: Shard): void;
  /** This replica has them from now on, whoever had them before: that one hears of it when it writes. */
  claim(...shards: readonly Shard[]): Promise<void>;
  /** Gives them back, as a replica does that stops. */
  release(...shards: readonly Shard[]): Promise<void>;
  /** Its lease ends soon: nothing may be asked any more, but it is still held. */
  endLease(shard: Shard): void;
  /** Whether all replicas run the same config. */
  agrees: boolean;
}

export const EXPLORER_SHARD: Shard = 'explorer:chain';

export function createShards(): Shards {
  const claimByShard = new Map<string, Fence>();
  let epoch = 0;

  const isOver = ({ key, epoch: written }: Fence): boolean => claimByShard.get(key)?.epoch !== written;

  return {
    replica: (name = 'one') =>
      movingOwnership((shard) => {
        epoch += 1;
        const fence = { key: shard, slot: 0, owner: name, epoch };
        claimByShard.set(shard, fence);
        return fence;
      }),
    guard: (store) => ({
      ...store,
      commit: async (decisions, at, fence) =>
        isOver(fence) ? decisions.map(() => 'fenced') : store.commit(decisions, at, fenceOf(store, 'service:test')),
      cover: async (coverage, fence) =>
        isOver(fence) ? 'fenced' : store.cover(coverage, fenceOf(store, 'service:test')),
      keepPlans: async (kept, at, fence) =>
        isOver(fence) ? 'fenced' : store.keepPlans(kept, at, fenceOf(store, 'service:test')),
    }),
  };
}

function movingOwnership(claimNow: (shard: Shard) => Fence): MovingOwnership {
  const heldByShard = new Map<Shard, Fence>();
  const resting = new Set<Shard>();
  const followers: Follower[] = [];

  function drop(shard: Shard): void {
    heldByShard.delete(shard);
    resting.delete(shard);
  }

  const ownership: MovingOwnership = {
    isShared: true,
    agrees: true,
    fenceOf: (shard) => heldByShard.get(shard) ?? null,
    mayWork: (shard) => heldByShard.has(shard) && !resting.has(shard),
    holds: (shard) => heldByShard.has(shard) && !resting.has(shard),
    declare: () => undefined,
    follow(follower) {
      followers.push(follower);
    },
    lost(shard) {
      drop(shard);
      for (const follower of followers) follower.lost(shard);
    },
    avoid: () => false,
    consult: () => undefined,
    view: () => NO_CLUSTER,
    mayRetire: () => ownership.agrees,
    setBackAt: () => null,
    allHeld: () => Promise.resolve(true),
    run: () => Promise.resolve(),
    async claim(...shards) {
      for (const shard of shards) {
        heldByShard.set(shard, claimNow(shard));
        for (const follower of followers) await follower.claimed(shard, false);
      }
    },
    async release(...shards) {
      for (const shard of shards) {
        resting.add(shard);
        for (const follower of followers) await follower.releasing(shard);
        drop(shard);
      }
    },
    endLease(shard) {
      resting.add(shard);
    },
  };
  return ownership;
}

const NO_CLUSTER: ClusterView = {
  replicas: [],
  shards: [],
  configInForce: null,
  counts: { leasesLost: 0, takeovers: 0, fencedCommits: 0 },
};
