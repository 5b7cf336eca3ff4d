// The replicas that work on the same state.
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Fence, Shard } from './fence.ts';

/** One process has the state for itself, and holds every shard as long as it runs. */
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
  /** Another one for each process. */
  readonly id: string;
  /** The name of this replica for people. */
  readonly name: string;
  readonly leaseMs: number;

  /** The time by the clock of the database. */
  now(): Promise<Instant>;

  /**
   * Prolongs the life of this replica and all of its leases, even past leases that no replica took. Rejects with a
   * StateMismatchError if a newer release or another installation has the database now.
   */
  renew(own: AnnouncedConfig): Promise<Renewed>;

  /** True if a renewal was rejected because this process may not continue with the state. */
  isOver(error: unknown): boolean;

  /** True if any of these watches has a memory, or no watch of any rule has. */
  remembersAny(watches: readonly WatchId[]): Promise<boolean>;

  /** Claims up to `count` free shards of the family, only from `shards` if given; those free for longest first. */
  claim(family: string, count: number, shards?: readonly Shard[]): Promise<ClaimedShard[]>;

  /**
   * Gives a shard back. The next holder sends no request for the first `windowMs`. False: another replica had it
   * already.
   */
  release(fence: Fence, windowMs: number): Promise<boolean>;

  /** Adds the shards that do not exist yet. */
  addShards(shards: readonly DeclaredShard[]): Promise<void>;

  /** Removes a shard that no config names any more. */
  dropShard(fence: Fence): Promise<void>;

  /** Whether anything is free to be claimed, beside these. */
  hasFree(avoided?: readonly Shard[]): Promise<boolean>;

  /** The newest format of memories that all live replicas read, from the last renewal. */
  memoryFormat(): number;

  /** True if each shard has a live replica, or will soon: its lease ended 5 seconds ago at most. */
  readonly allHeld: () => Promise<boolean>;

  /** Stores the config in force if the expected one was in force before. False: another replica was faster. */
  agree(config: string, expects: string | null, at: Instant): Promise<boolean>;

  /** This replica stops. Its shards were released before. */
  leave(): Promise<void>;
}

export type Cluster = SoleCluster | SharedCluster;

export interface DeclaredShard {
  readonly shard: Shard;
  /** The window of its rate of requests. The next holder waits so long before its first request. */
  readonly windowMs: number;
}

/** As a replica announces itself. */
export interface AnnouncedConfig {
  readonly checksum: string;
  /**
   * The replica has a vote on the config in force: its config names a watch with a memory, or an operator has accepted
   * it.
   */
  readonly counts: boolean;
  /** Shards that the replica leaves to others for a while. */
  readonly avoids: readonly Shard[];
  /** Shards that the replica holds without an answer to its requests for 30 seconds. */
  readonly unreached: readonly Shard[];
  /** Others announce them as unreached, and here their host answered in the last 30 seconds. */
  readonly reaches: readonly Shard[];
}

export interface Renewed {
  /** The shards that this replica holds. */
  readonly mine: readonly HeldShard[];
  /** Live ones, this one included. */
  readonly replicas: readonly LiveReplica[];
  /** All shards. */
  readonly shards: readonly ShardRow[];
  /** The config that was in force before; null: none ever was. */
  readonly config: string | null;
  /** By the clock of the database. */
  readonly now: Instant;
  /**
   * Null: since the renewal before this one the same server has answered, with all its data. `went-back`: it lacks that
   * renewal. `restarted`: it was started since, or another server took over, and may lack later data.
   */
  readonly changed: 'went-back' | 'restarted' | null;
}

/** The view of the replicas for a process that is none of them. */
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
  /** The time for which requests of the former holder count for the shard's rate. */
  readonly askAfterMs: number;
}

export interface ClaimedShard extends HeldShard {
  /** Another replica held it, and did not give it back. */
  readonly isTakeover: boolean;
}
