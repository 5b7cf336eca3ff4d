// The replicas that share the state.
import type { ClusterShape } from '../shapes/overview.ts';
import type { RuntimeView } from '../view.ts';

/** Null: one process uses the state alone. */
export function clusterOf({ cluster }: Pick<RuntimeView, 'cluster'>): ClusterShape | null {
  const view = cluster();
  if (view === null) return null;
  return {
    replicas: view.replicas.map(({ name, isSelf, checksum }) => ({ name, is_self: isSelf, config: checksum })),
    shards: view.shards.map(({ shard, holder }) => ({ shard, replica: holder })),
    config_in_force: view.configInForce,
  };
}

export interface SharedOut {
  readonly replicas: readonly ReplicaWork[];
  /** Shards that no replica holds. */
  readonly free: readonly string[];
}

export interface ReplicaWork {
  readonly name: string;
  readonly isSelf: boolean;
  readonly shards: readonly string[];
  /** True if the replica has another config than most, so it claims no shards. */
  readonly isOutvoted: boolean;
}

/** The shards of each replica, and the shards that no replica holds. */
export function sharedOut({ replicas, shards, config_in_force: inForce }: ClusterShape): SharedOut {
  return {
    replicas: replicas.map(({ name, is_self: isSelf, config }) => ({
      name,
      isSelf,
      isOutvoted: inForce !== null && config !== inForce,
      shards: shards.flatMap(({ shard, replica }) => (replica === name ? [shard] : [])),
    })),
    free: shards.flatMap(({ shard, replica }) => (replica === null ? [shard] : [])),
  };
}
