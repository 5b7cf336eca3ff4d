// The replicas that work on the same state.
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Fence, Shard } from './fence.ts';

/** The only process that uses the state. It holds every shard as long as it runs. */
export interface SoleCluster {
  readonly isShared: false;
  /** Proves that this process holds every shard. */
  readonly fence: Fence;
}

/**
 * Several processes, the replicas, work on the state. Each holds its shards under leases, by the clock of the database.
 * Every method rejects with a `StorageError` when the database does not answer.
 */
export interface SharedCluster {
  readonly isShared: true;
  /** Different for each process. */
  readonly id: string;
  /** The name of this replica for people. */
  readonly name: string;
  readonly leaseMs: number;

  /** The time by the clock of the database. */
  now(): Promise<Instant>;

  /**
   * Renews this replica and all of its leases. An expired lease is renewed too if no other replica has claimed the
   * shard. Rejects with a StateMismatchError if a newer release has changed the database, or if it belongs to another
   * installation now.
   */
  renew(own: AnnouncedConfig): Promise<Renewed>;

  /** True if a renewal was rejected because this process may not continue with the state. */
  isOver(error: unknown): boolean;

  /** True if any of these watches has a memory, or if no watch of a rule has one. */
  remembersAny(watches: readonly WatchId[]): Promise<boolean>;

  /**
   * Claims up to `count` free shards of the family, only from `shards` if given; the shards that are free for longest
   * come first.
   */
  claim(family: string, count: number, shards?: readonly Shard[]): Promise<ClaimedShard[]>;

  /**
   * Gives a shard back. The next holder sends no request for the first `windowMs`. False: another replica holds it
   * already.
   */
  release(fence: Fence, windowMs: number): Promise<boolean>;

  /** Adds the shards that do not exist yet. */
  addShards(shards: readonly DeclaredShard[]): Promise<void>;

  /** Removes a shard that no config names any more. */
  dropShard(fence: Fence): Promise<void>;

  /** True if a shard that is not in `avoided` is free to be claimed. */
  hasFree(avoided?: readonly Shard[]): Promise<boolean>;

  /** The newest format of memories that all live replicas read, from the last renewal. */
  memoryFormat(): number;

  /**
   * True if each shard is held by a live replica, or its lease ended at most 5 seconds ago, so that a replica will
   * claim it soon.
   */
  readonly allHeld: () => Promise<boolean>;

  /** Puts `config` in force if `expects` is in force now. False: another replica has changed it before. */
  agree(config: string, expects: string | null, at: Instant): Promise<boolean>;

  /** Removes this replica, after its shards were released. */
  leave(): Promise<void>;
}

export type Cluster = SoleCluster | SharedCluster;

export interface DeclaredShard {
  readonly shard: Shard;
  /** The window of its rate of requests. The next holder waits for this time before its first request. */
  readonly windowMs: number;
}

/** The data with which a replica announces itself. */
export interface AnnouncedConfig {
  readonly checksum: string;
  /**
   * True if the replica has a vote on the config in force: its config names a watch with a memory, or an operator has
   * accepted it.
   */
  readonly counts: boolean;
  /** Shards that the replica leaves to other replicas for a while. */
  readonly avoids: readonly Shard[];
  /** Shards that the replica holds although their host has not answered its requests for 30 seconds. */
  readonly unreached: readonly Shard[];
  /**
   * Shards that other replicas announce as unreached, although their host answered this replica in the last 30 seconds.
   */
  readonly reaches: readonly Shard[];
}

export interface Renewed {
  /** The shards that this replica holds. */
  readonly mine: readonly HeldShard[];
  /** The live replicas, including this one. */
  readonly replicas: readonly LiveReplica[];
  /** All shards. */
  readonly shards: readonly ShardRow[];
  /** The config in force; null: none ever was. */
  readonly config: string | null;
  /** By the clock of the database. */
  readonly now: Instant;
  /**
   * Null: the server that answered the former renewal has answered this one, and has lost no data. `went-back`: the
   * server lacks the former renewal. `restarted`: the server was started since, or another one took over, so it may
   * lack data that is newer than the former renewal.
   */
  readonly changed: 'went-back' | 'restarted' | null;
}

/** The replicas, for a process that is not one of them. */
export type SeenCluster = Pick<Renewed, 'replicas' | 'shards' | 'config'>;

export interface LiveReplica extends AnnouncedConfig {
  readonly id: string;
  readonly name: string;
  /** The time when it began to run its config. */
  readonly announcedAt: Instant;
}

export interface ShardRow {
  readonly shard: Shard;
  /** The id of the replica with a current lease; null: none. */
  readonly holder: string | null;
}

export interface HeldShard {
  readonly shard: Shard;
  readonly fence: Fence;
  /** The time without a request, since requests of the former holder still count for the shard's rate. */
  readonly askAfterMs: number;
}

export interface ClaimedShard extends HeldShard {
  /** True if another replica held the shard and did not release it. */
  readonly isTakeover: boolean;
}
