// The shards that this process holds. It works only on these. Other processes with the same state, the replicas, work
// on the rest. A shard is held under a lease, which ends when its process does not renew it. Then another replica
// claims it.
//
// If one process has the state for itself, as with a state file, it holds all shards, and the answers never change.
import type { WatchId } from '../core/model/ids.ts';
import type { Instant } from '../lib/clock.ts';
import type { DeclaredShard, SoleCluster } from '../store/contract/cluster.ts';
import type { Fence, Shard } from '../store/contract/fence.ts';
import type { Reach } from './avoidance.ts';

/** The interface through which the rest of the daemon uses shards and sees other replicas. */
export interface Ownership {
  /** False: this process holds every shard as long as it runs, and no follower is ever called. */
  readonly isShared: boolean;

  /**
   * Proves to the store that this process holds the shard. Null: the shard is not held, so none of its data may be
   * written.
   */
  fenceOf(shard: Shard): Fence | null;

  /** True if the lease of the shard lasts long enough for another request. */
  mayWork(shard: Shard): boolean;

  /**
   * True while the lease of the shard lasts by the clock of this process, whatever config is in force. Ask this right
   * before an effect that cannot be taken back, since a wait for the storage may have outlasted the lease.
   */
  holds(shard: Shard): boolean;

  /** Announces the config that this replica runs from now on. */
  declare(config: DeclaredConfig): void;

  /** Adds a follower. It is called when a shard is claimed, given back or lost. */
  follow(follower: Follower): void;

  /**
   * Call this after a write under this fence that was `fenced`: another replica has the shard. It has no effect if this
   * process has claimed the shard again meanwhile.
   */
  lost(shard: Shard, under: Fence): void;

  /**
   * Gives the shard back and does not claim it for two minutes, since another replica can read its memory. False: no
   * other replica can claim it, so it stays.
   */
  avoid(shard: Shard): boolean;

  /**
   * From now on a shard is also given back and avoided if `reach` shows that its explorer's host answered no request of
   * this process for 30 seconds, but answers another replica. The avoidance ends when the host answers this process
   * again, or no other replica can claim the shard.
   */
  consult(reach: Reach): void;

  view(): ClusterView;

  /** True if watches that are in no config may be retired: all live replicas ran the same config for 30 seconds. */
  mayRetire(): boolean;

  /**
   * The time by the clock of the database at which this process noticed that the database may lack its last seconds.
   * Null: it has noticed no such loss.
   */
  readonly setBackAt: () => Instant | null;

  /** True if each shard has a live replica. Rejects with a `StorageError`. */
  readonly allHeld: () => Promise<boolean>;

  /**
   * Renews, claims and releases until the signal aborts; then releases all shards. Resolves at once if not shared.
   * Rejects with a `StateMismatchError` if this process may not continue with the state; all its shards are given back.
   */
  run(signal: AbortSignal): Promise<void>;
}

export interface DeclaredConfig {
  /** Equal for two replicas that poll, decide and send the same. */
  readonly checksum: string;
  /** All watches of the config. */
  readonly watches: readonly WatchId[];
  /** All shards that the config has work for. */
  readonly shards: readonly DeclaredShard[];
}

/** The calls about one shard run one after the other, also those to different followers. */
export interface Follower {
  /**
   * The shard is held now, and `fenceOf` returns its fence. The stored data must be read before any decision.
   * `isTakeover`: the former holder did not give it back.
   */
  claimed(shard: Shard, isTakeover: boolean): Promise<void>;
  /** The shard is about to be given back: resolves when no work on it runs, and unsaved values are stored. */
  releasing(shard: Shard): Promise<void>;
  /** Another replica may have the shard already: its values are dropped from memory, and none is stored. */
  lost(shard: Shard): void;
}

export interface ClusterView {
  /** The live replicas, this one first. Empty if the state is not shared. */
  readonly replicas: readonly ReplicaView[];
  /** Sorted by key. Empty if the state is not shared. */
  readonly shards: readonly ShardView[];
  /** The checksum of the config that most live replicas run; null before that is known. */
  readonly configInForce: string | null;
  /** Numbers since the start of this process. */
  readonly counts: ClusterCounts;
}

export interface ReplicaView {
  readonly id: string;
  /** The name of the replica for people, such as the name of its host. */
  readonly name: string;
  readonly checksum: string;
  readonly isSelf: boolean;
  /** True if the replica has a vote on the config in force. */
  readonly counts: boolean;
  /** The time since which a config other than its own is in force; null if that has not lasted for a minute. */
  readonly outvotedSince: Instant | null;
}

export interface ShardView {
  readonly shard: Shard;
  /** The name of the replica that works on it; null: none does. */
  readonly holder: string | null;
  readonly isOurs: boolean;
}

export interface ClusterCounts {
  /** Shards that were lost without being released. */
  readonly leasesLost: number;
  /** Shards that were claimed although the former holder had not given them back. */
  readonly takeovers: number;
  readonly fencedCommits: number;
}

/** The only process with this state: it holds every shard as long as it runs. */
export function createSoleOwnership({ fence }: SoleCluster): Ownership {
  return {
    isShared: false,
    fenceOf: () => fence,
    mayWork: () => true,
    holds: () => true,
    declare: () => undefined,
    follow: () => undefined,
    lost: () => undefined,
    avoid: () => false,
    consult: () => undefined,
    view: () => ALONE,
    mayRetire: () => true,
    setBackAt: () => null,
    allHeld: () => Promise.resolve(true),
    run: () => Promise.resolve(),
  };
}

const ALONE: ClusterView = {
  replicas: [],
  shards: [],
  configInForce: null,
  counts: { leasesLost: 0, takeovers: 0, fencedCommits: 0 },
};
