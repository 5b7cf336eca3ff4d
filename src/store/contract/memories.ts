// Memories of watches, and the data beside them.
import type { KnownBlock } from '../../core/chain/chain-record.ts';
import type { StoredHealth } from '../../core/model/health.ts';
import type { StoredSnapshot } from '../../core/model/snapshot.ts';
import type { Message } from '../../core/model/delivery.ts';
import type { Memory, Run, Samples } from '../../core/model/memory.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { CommitResult, Fence } from './fence.ts';

/** The stored data of a watch apart from its memory, for explanations. */
export interface StoredDiagnostics {
  /** Null: no poll has succeeded yet. */
  readonly snapshot: StoredSnapshot | null;
  readonly health: StoredHealth;
}

/** Values that change with every poll. An absent part is not changed. */
export interface Coverage extends Partial<StoredDiagnostics> {
  readonly until: Instant | null;
  /** The pace in the memory; null by default. */
  readonly paceMs?: number | null;
  /** The time when the values of the snapshot, new or stored, were last observed. */
  readonly seenAt?: Instant | null;
  /** The time when alerts were last evaluated, with the results of the health, new or stored. */
  readonly evaluatedAt?: Instant | null;
}

/** Called for a watch whose memory cannot be read. `isNewer`: it is not damaged, but a newer release wrote it. */
export type OnDamaged = (watch: WatchId, why: string, isNewer: boolean) => void;

/** The heights of the blocks that are kept: those from `from` on, and the anchor's. */
export interface KeptHeights {
  readonly from: number;
  readonly anchor: number | null;
}

/** The storage that polls need. A memory changes only by committing a decision, together with its transitions. */
export interface MemoryStore {
  /**
   * Memory by watch id, without ids that have none; all memories if no ids are given. A damaged row is left out if
   * `onDamaged` is given; else it rejects with a `StorageError` that names the watch.
   */
  recall(ids?: readonly WatchId[], onDamaged?: OnDamaged): Promise<Map<WatchId, Memory>>;

  /** The ids of all watches with a memory. */
  remembered(): Promise<WatchId[]>;

  /**
   * Commits all decisions in one transaction; a decision is `superseded`, and not written, if the memory's version
   * differs from the expected one. A stored memory gets version + 1. An existing transition is not added again.
   */
  commit(decisions: readonly Decision[], at: Instant, fence: Fence): Promise<CommitResult[]>;

  /**
   * Replaces messages that wait for details by those with the details, which wait no longer. Messages that were routed
   * meanwhile stay as they are.
   */
  addDetails(messages: readonly Message[], fence: Fence): Promise<'kept' | 'fenced'>;

  /** Stores `coveredUntil` and the diagnostics, apart from memory. Ids without memory are ignored. */
  cover(coverage: ReadonlyMap<WatchId, Coverage>, fence: Fence): Promise<'kept' | 'fenced'>;

  /** The end of each watch's coverage, for watches that have any. */
  covered(): Promise<ReadonlyMap<WatchId, Instant>>;

  /** The diagnostics that `cover` stored; damaged ones are ignored. */
  diagnostics(ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>>;

  /** The closed runs of a watch by path, oldest first. */
  samples(watch: WatchId): Promise<Samples>;

  /** Up to `limit` runs of one path that ended after `after`, oldest first. */
  samplesAfter(of: { watch: WatchId; path: string }, after: Instant, limit: number): Promise<readonly Run[]>;

  /** Removes the watch and its memory for good. */
  forget(ids: readonly WatchId[]): Promise<void>;

  /** The known blocks of each of these explorers. */
  chainBlocks(explorers: readonly string[]): Promise<Map<string, KnownBlock[]>>;

  /**
   * Adds blocks of an explorer, or updates when they were last seen. Drops blocks below `from`, except at the height of
   * the anchor.
   */
  keepChainBlocks(
    explorer: string,
    blocks: readonly KnownBlock[],
    kept: KeptHeights,
    fence: Fence,
  ): Promise<'kept' | 'fenced'>;
}
