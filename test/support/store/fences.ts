// What a test holds of a store that it opened.
import { createSoleOwnership, type Ownership } from '../../../src/cluster/ownership.ts';
import type { Fence, Shard } from '../../../src/store/contract/fence.ts';
import type { Store } from '../../../src/store/contract/store.ts';

type Held = Pick<Store, 'cluster'>;

/** Of stores that replicas share, what was claimed for the test. */
const claimed = new WeakMap<Store['cluster'], ReadonlyMap<Shard, Fence>>();

/** Takes these shards, whoever has them, until the test is over. */
export async function claimAll({ cluster }: Held, shards: readonly Shard[]): Promise<void> {
  if (!cluster.isShared) return;
  await cluster.renew({ checksum: 'a test', counts: true, avoids: [], unreached: [], reaches: [] });
  await cluster.addShards(shards.map((shard) => ({ shard, windowMs: 0 })));
  const held = new Map<Shard, Fence>();
  for (const family of ['explorer', 'channel', 'service'])
    for (const { shard, fence } of await cluster.claim(family, shards.length)) held.set(shard, fence);
  claimed.set(cluster, held);
}

export function ownershipOf({ cluster }: Held): Ownership {
  if (cluster.isShared) throw new Error('one of several replicas');
  return createSoleOwnership(cluster);
}

export function fenceOf(store: Held, shard: Shard): Fence {
  const fence = store.cluster.isShared ? claimed.get(store.cluster)?.get(shard) : ownershipOf(store).fenceOf(shard);
  if (fence === undefined || fence === null) throw new Error(`${shard} is not held`);
  return fence;
}
