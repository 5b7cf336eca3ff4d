// The polled watches, with the memory of each. Memory is read once, when a watch is adopted. It is read again only
// after a commit that the store did not keep, or while the stored memory is damaged.
//
// The end of a watch's coverage, and its snapshot, change with every poll. They are not written with each commit, but
// in `flush`, for many watches at once.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Snapshot } from '../../core/model/decision.ts';
import type { Figures } from '../../core/model/figures.ts';
import type { HealthByAlert } from '../../core/model/health.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { blankMemory } from '../../core/step.ts';
import { nextTurn } from '../../lib/clock.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Coverage, StoredDiagnostics } from '../../store/contract/memories.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { isWritten } from './commit.ts';
import { createDiagnostics, type Diagnostics } from './beside-memory.ts';
import { readMemory } from './observe.ts';
import type { DecidedPoll } from './poll.ts';

/** The memory of each watch, and the results of its last polls. */
export interface WatchReadings {
  /** Undefined before the first commit of a watch without a stored memory. Each poll makes a new object. */
  readonly memoryOf: (watch: WatchId) => Memory | undefined;
  /** The watches whose memory, health, figures or snapshot changed since an earlier mark. */
  readonly changedSince: ChangedWatches['since'];
  /** Health of the conditions of a watch's alerts. */
  readonly healthOf: (watch: WatchId) => HealthByAlert;
  /**
   * The numbers that the conditions of the watch read, from the last successful poll; null before the first one. The
   * same object until the next poll.
   */
  readonly figuresOf: (watch: WatchId) => Figures | null;
  /** The last snapshot if it is not stored yet. */
  readonly snapshotOf: (watch: WatchId) => Snapshot | null;
}

export interface HeldWatches extends WatchReadings {
  /**
   * Reads the stored memories of these watches. The returned function puts the watches of its argument in force, and
   * drops all others.
   */
  prepare(watches: readonly Watch[]): Promise<(watches: readonly Watch[]) => void>;
  /** These watches stay in force; the values of all others are dropped. */
  keep(watches: readonly Watch[]): void;
  /** The watches in force. */
  readonly watches: () => readonly Watch[];
  has(watch: WatchId): boolean;
  /** The memory of the watch, or a memory as before the first poll. */
  memoryOrBlank(watch: Watch): Memory;
  versionOf(watch: WatchId): number;
  /** The stored memory replaces the one in force; undefined: no memory is stored any more. */
  replace(watch: Watch, stored: Memory | undefined): void;
  /** True if the stored memory of the watch cannot be read. */
  isDamaged(watch: WatchId): boolean;
  /**
   * Reads a damaged memory again. True if it was repaired or removed. A repaired memory is in force from now on;
   * without one, the watch starts with a blank memory.
   */
  mend(watch: Watch): Promise<boolean>;
  /** Call this when a decision was committed: its memory is in force from now on. */
  committed(decided: DecidedPoll): void;
  /**
   * Stores the end of coverage, and the snapshot, of each watch that was polled since the last flush. Rejects with a
   * `StorageError`.
   */
  flush(): Promise<void>;
}

export interface HeldWatchesOptions {
  readonly store: Pick<Store, 'recall' | 'diagnostics' | 'cover'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost' | 'avoid'>;
  readonly shardOf: (watch: Watch) => Shard;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

const LEFT_TO_OTHERS =
  'the memory stays unchanged; the watch is blind unless a replica of the newer release polls the watch';

export function createHeldWatches({ store, ownership, shardOf, log }: HeldWatchesOptions): HeldWatches {
  const memoryById = new Map<WatchId, Memory>();
  const damaged = createDamaged({ ownership, shardOf, log });
  const diagnostics = createDiagnostics();
  const changed = createChangedWatches();
  const coverage = createCoverage({ store, ownership, shardOf, diagnostics, memoryById });
  let watchById: ReadonlyMap<WatchId, Watch> = new Map();

  function replace(watch: Watch, stored: Memory | undefined): void {
    if (stored === undefined) memoryById.delete(watch.id);
    else memoryById.set(watch.id, readable(watch, stored, log));
    diagnostics.lost(watch.id);
    changed.note(watch.id);
  }

  function adopt(watches: readonly Watch[], kept: ReadonlyMap<WatchId, StoredDiagnostics>): void {
    watchById = new Map(watches.map((watch) => [watch.id, watch]));
    for (const id of memoryById.keys()) if (!watchById.has(id)) memoryById.delete(id);
    damaged.keep(watchById);
    coverage.adopt(watchById);
    diagnostics.adopt(watches, kept);
    changed.noteAll();
  }

  return {
    async prepare(watches) {
      const unread = watches.filter(({ id }) => !memoryById.has(id));
      const broken = new Map<WatchId, { readonly why: string; readonly isNewer: boolean }>();
      const ids = unread.map(({ id }) => id);
      const recalled = await store.recall(ids, (id, why, isNewer) => broken.set(id, { why, isNewer }));
      const kept = await store.diagnostics(watches.filter(({ id }) => !diagnostics.knows(id)).map(({ id }) => id));
      return (inForce) => {
        adopt(inForce, kept);
        for (const watch of unread) {
          if (!watchById.has(watch.id)) continue;
          const found = broken.get(watch.id);
          if (found !== undefined) damaged.found(watch, found.why, found.isNewer);
          const memory = recalled.get(watch.id);
          if (memory !== undefined && !memoryById.has(watch.id)) memoryById.set(watch.id, readable(watch, memory, log));
        }
      };
    },
    keep(watches) {
      adopt(watches, new Map());
    },
    watches: () => [...watchById.values()],
    has: (id) => watchById.has(id),
    memoryOf: (id) => memoryById.get(id),
    memoryOrBlank: (watch) => memoryById.get(watch.id) ?? blankMemory(watch),
    versionOf: (id) => memoryById.get(id)?.version ?? 0,
    replace,
    isDamaged: (id) => damaged.ids.has(id),
    async mend(watch) {
      const broken: WatchId[] = [];
      const stored = await store.recall([watch.id], (id, _why, isNewer) => {
        broken.push(id);
        // A replica of the newer release may have started since, so the shard is offered again.
        if (isNewer) ownership.avoid(shardOf(watch));
      });
      if (broken.length > 0) return false;
      damaged.mended(watch);
      if (watchById.has(watch.id)) replace(watch, stored.get(watch.id));
      return true;
    },
    committed({ watch, observation, decision }) {
      const version = decision.expects + (isWritten(decision) ? 1 : 0);
      memoryById.set(watch.id, { ...decision.memory, version });
      coverage.polled(watch.id);
      diagnostics.polled(watch, observation, decision);
      changed.note(watch.id);
    },
    changedSince: changed.since,
    healthOf: diagnostics.healthOf,
    figuresOf: diagnostics.figuresOf,
    snapshotOf: diagnostics.snapshotOf,
    flush: coverage.flush,
  };
}

interface Damaged {
  readonly ids: ReadonlySet<WatchId>;
  /** `isNewer`: a newer release wrote it. */
  found(watch: Watch, why: string, isNewer: boolean): void;
  mended(watch: Watch): void;
  /** Forgets all other watches. */
  keep(watchById: ReadonlyMap<WatchId, Watch>): void;
}

/** Watches whose stored memory cannot be read. With a blank memory they would send old items again. */
function createDamaged({ ownership, shardOf, log }: Omit<HeldWatchesOptions, 'store'>): Damaged {
  const ids = new Set<WatchId>();
  return {
    ids,
    found(watch, why, isNewer) {
      if (ids.has(watch.id)) return;
      ids.add(watch.id);
      if (isNewer) {
        log.error('watch:memory-newer', { watch: watch.name, why, effect: LEFT_TO_OTHERS });
        ownership.avoid(shardOf(watch));
        return;
      }
      const effect = 'only this watch is blind, until its memory is repaired, or removed by `chainwarden state forget`';
      log.error('watch:memory-damaged', { watch: watch.name, why, effect });
    },
    mended({ id, name }) {
      ids.delete(id);
      log.info('watch:memory-mended', { watch: name });
    },
    keep(watchById) {
      for (const id of ids) if (!watchById.has(id)) ids.delete(id);
    },
  };
}

interface CoverageFlush {
  adopt(watchById: ReadonlyMap<WatchId, Watch>): void;
  polled(id: WatchId): void;
  readonly flush: HeldWatches['flush'];
}

interface CoverageOptions extends Omit<HeldWatchesOptions, 'log'> {
  readonly diagnostics: Diagnostics;
  readonly memoryById: ReadonlyMap<WatchId, Memory>;
}

/** Stores the end of coverage of each watch that was polled since the last flush. */
function createCoverage({ store, ownership, shardOf, diagnostics, memoryById }: CoverageOptions): CoverageFlush {
  const uncovered = new Set<WatchId>();
  let watchById: ReadonlyMap<WatchId, Watch> = new Map();
  /**
   * In the order of the stored rows. Neighbouring rows are on the same page, so most pages are written by only one
   * transaction.
   */
  let idsInOrder: readonly WatchId[] = [];

  async function flushSome(watches: readonly Watch[], fence: Fence): Promise<void> {
    const coverage = new Map<WatchId, Coverage>();
    for (const { id } of watches) {
      uncovered.delete(id);
      const { coveredUntil = null, paceMs = null } = memoryById.get(id) ?? {};
      coverage.set(id, { ...diagnostics.take(id), until: coveredUntil, paceMs });
    }
    try {
      if ((await store.cover(coverage, fence)) === 'kept') return;
      for (const { id } of watches) diagnostics.lost(id);
      for (const shard of new Set(watches.map(shardOf))) ownership.lost(shard);
    } catch (error) {
      for (const [id, kept] of coverage) {
        uncovered.add(id);
        diagnostics.putBack(id, kept);
      }
      throw error;
    }
  }

  return {
    adopt(adopted) {
      watchById = adopted;
      idsInOrder = [...watchById.keys()].toSorted();
      for (const id of uncovered) if (!watchById.has(id)) uncovered.delete(id);
    },
    polled(id) {
      uncovered.add(id);
    },
    async flush() {
      const ids = idsInOrder.filter((id) => uncovered.has(id));
      for (let i = 0; i < ids.length; i += FLUSHED_AT_ONCE) {
        if (i > 0) await nextTurn();
        const some = ids.slice(i, i + FLUSHED_AT_ONCE).flatMap((id) => watchById.get(id) ?? []);
        for (const [fence, own] of Map.groupBy(some, (watch) => ownership.fenceOf(shardOf(watch))))
          if (fence !== null) await flushSome(own, fence);
      }
    },
  };
}

// The number of watches in one write. A write takes up to five milliseconds if all answers have changed. Polls and
// alerts run between two writes.
const FLUSHED_AT_ONCE = 50;

/** If this release cannot read the kind's state, the watch starts without it, and a line is logged. */
function readable(watch: Watch, memory: Memory, log: Pick<Log, 'warn'>): Memory {
  const read = readMemory(watch, memory);
  if (read !== null) return read;
  const effect = 'the watch starts with a new baseline; changes since the last poll are not reported';
  log.warn('watch:memory-unreadable', { watch: watch.name, effect });
  return { ...memory, state: null };
}

interface ChangesSince {
  /** The argument of the next call. */
  readonly mark: number;
  /** Null: any watch may have changed. */
  readonly ids: readonly WatchId[] | null;
}

/** Log of changed watches. A reader of ten thousand watches reads only those that changed since its mark. */
interface ChangedWatches {
  note(id: WatchId): void;
  /** Notes that any watch may have changed. */
  noteAll(): void;
  /** The changes since the mark of an earlier call; 0: there was no earlier call. */
  readonly since: (mark: number) => ChangesSince;
}

/** At least this many changes are kept. Reading all watches costs no more than reading more changes than that. */
const MOST_CHANGES = 2000;

export function createChangedWatches(): ChangedWatches {
  let ids: WatchId[] = [];
  /** The mark of the first entry of `ids`. */
  let first = 1;
  return {
    note(id) {
      ids.push(id);
      if (ids.length < 2 * MOST_CHANGES) return;
      first += MOST_CHANGES;
      ids = ids.slice(MOST_CHANGES);
    },
    noteAll() {
      first += ids.length + 1;
      ids = [];
    },
    since: (mark) => ({ mark: first + ids.length, ids: mark < first ? null : ids.slice(mark - first) }),
  };
}

/** The shard that guards writes about an explorer and its watches. Explorers of one plan share one shard. */
export type ShardOf = (explorer: string) => Shard;

/** For explorers that each have their own plan. */
export const explorerShard: ShardOf = (explorer) => `explorer:${explorer}`;

/** The shard of the explorer that a watch reads. */
export function watchShard(shardOf: ShardOf): (watch: Pick<Watch, 'target'>) => Shard {
  return ({ target }) => shardOf(target.explorer);
}
