// What a test holds of the store that it opened: everything.
import { createSoleOwnership, type Ownership } from '../../../src/cluster/ownership.ts';
import type { Fence, Shard } from '../../../src/store/fence.ts';
import type { Store } from '../../../src/store/store.ts';

export function ownershipOf({ cluster }: Pick<Store, 'cluster'>): Ownership {
  return createSoleOwnership(cluster);
}

export function fenceOf(store: Pick<Store, 'cluster'>, shard: Shard): Fence {
  const fence = ownershipOf(store).fenceOf(shard);
  if (fence === null) throw new Error(`${shard} is not held`);
  return fence;
}
