import type { KnownBlock } from '../core/chain/chain-record.ts';
import type { Delivery, Settlement } from '../core/model/delivery.ts';
import type { Json } from '../core/values/fields.ts';
import type { StoredHealth } from '../core/model/health.ts';
import type { StoredSnapshot } from '../core/model/snapshot.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Decision } from '../core/model/decision.ts';
import type { DeliveryId, WatchId } from '../core/model/ids.ts';
import type { Instant } from '../lib/clock.ts';

/** A delivery that is being sent, and which try this is (1 = the first). */
export interface Claimed {
  readonly delivery: Delivery;
  readonly attempt: number;
  /** For how long its channel's sender ran since it was committed, as far as `ran` recorded it. */
  readonly ageMs: number;
}

export interface OutboxDepth {
  readonly channel: string;
  /** Rows that are due or being sent. */
  readonly rows: number;
  readonly oldest: Instant;
}

/** What is owed, for metrics and `status`. */
export interface Survey {
  readonly outbox: readonly OutboxDepth[];
  readonly dead: number;
  readonly sent: number;
}

/** What is kept of a watch apart from its memory, for those who explain. */
export interface StoredDiagnostics {
  /** Null: nothing was looked at yet. */
  readonly snapshot: StoredSnapshot | null;
  readonly health: StoredHealth;
}

/** What moves with every poll. A part that is left out stays as it was. */
export interface Coverage extends Partial<StoredDiagnostics> {
  readonly until: Instant | null;
}

/**
 * What is remembered. A memory changes only by committing a decision, together with what that decision owes.
 * Every method rejects with a `StorageError` when the storage does not answer; then nothing was changed.
 */
export interface Store extends AsyncDisposable {
  /** Memory by watch id; ids without memory are left out. Without ids: everything that is remembered. */
  recall(ids?: readonly WatchId[]): Promise<Map<WatchId, Memory>>;

  /** The ids of all watches that are remembered. */
  remembered(): Promise<WatchId[]>;

  /**
   * All decisions in one transaction; each is `superseded`, and leaves nothing behind, when the memory's version is no
   * longer the one it expects. Kept memory gets version + 1. A delivery id that is already there is not added again.
   */
  commit(decisions: readonly Decision[], at: Instant): Promise<('kept' | 'superseded')[]>;

  /** Flushes `coveredUntil` and what is kept beside it, apart from memory. Ids without memory are ignored. */
  cover(coverage: ReadonlyMap<WatchId, Coverage>): Promise<void>;

  /** What `cover` kept; what cannot be read is as if nothing had been. */
  diagnostics(ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>>;

  /** The blocks that each of these explorers is known to have shown. */
  chainBlocks(explorers: readonly string[]): Promise<Map<string, KnownBlock[]>>;

  /** Adds blocks of an explorer, or their last sight, and drops those below a height. */
  keepChainBlocks(explorer: string, blocks: readonly KnownBlock[], from: number): Promise<void>;

  /** Writes down what runs now, for `plan`; replaces what was written before. */
  keepRunning(outline: Json): Promise<void>;

  /** Takes the watch and its memory out for good. */
  forget(ids: readonly WatchId[]): Promise<void>;

  /**
   * Marks up to `limit` due deliveries of one channel as `sending`: the most severe first, of those the longest due. Per
   * (message key, recipient) only the lowest `seq` that is not settled is ever handed out, however severe the next one
   * is, so a resolve cannot overtake its firing.
   */
  claim(channel: string, limit: number, at: Instant): Promise<Claimed[]>;

  /** Adds to the time for which the sender of the channel ran: what is owed there grows older by it. */
  ran(channel: string, ms: number): Promise<void>;

  settle(id: DeliveryId, settlement: Settlement, at: Instant): Promise<void>;

  /** What was `sending` when the last process ended is due again; returns how many. Called once, at start. */
  recover(at: Instant): Promise<number>;

  /** When the next delivery of the channel is due; null when nothing waits. */
  nextDue(channel: string): Promise<Instant | null>;

  survey(): Promise<Survey>;

  /** Drops settled deliveries older than `before`. */
  prune(before: Instant): Promise<void>;
}

/** The storage did not do what was asked; nothing was changed. Exit code 74. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** Another daemon holds the state file. Exit code 75. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError';
}
