// What is remembered of watches, and what is kept beside it.
import type { KnownBlock } from '../../core/chain/chain-record.ts';
import type { StoredHealth } from '../../core/model/health.ts';
import type { StoredSnapshot } from '../../core/model/snapshot.ts';
import type { Memory, Run, Samples } from '../../core/model/memory.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { CommitResult, Fence } from './fence.ts';

/** What is kept of a watch apart from its memory, for those who explain. */
export interface StoredDiagnostics {
  /** Null: nothing was looked at yet. */
  readonly snapshot: StoredSnapshot | null;
  readonly health: StoredHealth;
}

/** What moves with every poll. A part that is left out stays as it was. */
export interface Coverage extends Partial<StoredDiagnostics> {
  readonly until: Instant | null;
  /** As the memory has it; null when left out. */
  readonly paceMs?: number | null;
  /** When the values of the snapshot were last seen, be it one that was stored before. */
  readonly seenAt?: Instant | null;
  /** When alerts were last evaluated, with the results of the health, be it one that was stored before. */
  readonly evaluatedAt?: Instant | null;
}

/** Told of a watch whose memory cannot be read, and why. `isNewer`: a newer release wrote it, and it is not damaged. */
export type OnDamaged = (watch: WatchId, why: string, isNewer: boolean) => void;

/** Which blocks of an explorer stay. */
export interface KeptHeights {
  readonly from: number;
  readonly anchor: number | null;
}

/** What polls need of the storage. A memory changes only by committing a decision, together with its transitions. */
export interface MemoryStore {
  /**
   * Memory by watch id; ids without memory are left out. Without ids: everything that is remembered. A damaged row is left
   * out where `onDamaged` takes it; else it rejects with a `StorageError` that names the watch.
   */
  recall(ids?: readonly WatchId[], onDamaged?: OnDamaged): Promise<Map<WatchId, Memory>>;

  /** The ids of all watches that are remembered. */
  remembered(): Promise<WatchId[]>;

  /**
   * All decisions in one transaction; each is `superseded`, and leaves nothing behind, when the memory's version is no
   * longer the one it expects. Kept memory gets version + 1. A transition that is already there is not added again.
   */
  commit(decisions: readonly Decision[], at: Instant, fence: Fence): Promise<CommitResult[]>;

  /** Flushes `coveredUntil` and what is kept beside it, apart from memory. Ids without memory are ignored. */
  cover(coverage: ReadonlyMap<WatchId, Coverage>, fence: Fence): Promise<'kept' | 'fenced'>;

  /** Until when each watch was covered, of those that ever were. */
  covered(): Promise<ReadonlyMap<WatchId, Instant>>;

  /** What `cover` kept; what cannot be read is as if nothing had been. */
  diagnostics(ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>>;

  /** The closed runs of a watch by path, oldest first. */
  samples(watch: WatchId): Promise<Samples>;

  /** Of one path, up to `limit` runs that follow one which ended then, oldest first. */
  samplesAfter(of: { watch: WatchId; path: string }, after: Instant, limit: number): Promise<readonly Run[]>;

  /** Takes the watch and its memory out for good. */
  forget(ids: readonly WatchId[]): Promise<void>;

  /** The blocks that each of these explorers is known to have shown. */
  chainBlocks(explorers: readonly string[]): Promise<Map<string, KnownBlock[]>>;

  /** Adds blocks of an explorer, or their last sight, and drops those below `from`, but for the height of the anchor. */
  keepChainBlocks(
    explorer: string,
    blocks: readonly KnownBlock[],
    kept: KeptHeights,
    fence: Fence,
  ): Promise<'kept' | 'fenced'>;
}
