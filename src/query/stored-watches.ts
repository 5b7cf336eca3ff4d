// Facts about watches from the state alone, for a daemon that does not run or for watches that another replica polls.
import { blindGroups, mergedHealth, UNKNOWN_HEALTH, type HealthSummary } from '../core/model/quality/health-summary.ts';
import { reasonOf, type BlindWatch } from '../core/model/quality/blind-cause.ts';
import { figurePathsOf, storedFiguresOf, type Figures } from '../core/model/figures.ts';
import { missingValues } from '../core/poll.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Memory } from '../core/model/memory.ts';
import { lastPauseOf, type Pause } from '../core/model/watch/pause.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { blindFrom, overdueFrom } from '../explain/data-words.ts';
import type { Instant } from '../lib/clock.ts';
import type { StoredDiagnostics } from '../store/contract/memories.ts';
import type { StoreView } from '../store/contract/store.ts';
import type { RuntimeView } from './view.ts';

/** The stored data of the watches. */
export interface StoredFacts {
  readonly memories: ReadonlyMap<WatchId, Memory>;
  /** Watches whose memory cannot be read. */
  readonly damaged: ReadonlySet<WatchId>;
  readonly diagnostics: ReadonlyMap<WatchId, StoredDiagnostics>;
  readonly pauses: readonly Pause[];
}

/** Reads all watches if `ids` is left out. Rejects with a `StorageError`. */
export async function readStored(
  reader: Pick<StoreView, 'recall' | 'diagnostics' | 'pauses'>,
  ids?: readonly WatchId[],
): Promise<StoredFacts> {
  const damaged = new Set<WatchId>();
  const memories = await reader.recall(ids, (id) => damaged.add(id));
  return { memories, damaged, diagnostics: await reader.diagnostics(ids), pauses: await reader.pauses() };
}

/** The state of the watches, and the rows of running replicas. */
interface StoredWork extends StoredFacts {
  readonly rows: readonly HealthSummary[];
}

/** Readings and blind watches from the stored state. A running daemon stores them every ten seconds. */
export function storedWatches(
  watches: readonly Watch[],
  work: StoredWork,
  now: Instant,
): Pick<RuntimeView, 'readings' | 'blind'> {
  const { memories, diagnostics } = work;
  const watchById = new Map(watches.map((watch) => [watch.id, watch]));
  return {
    readings: {
      memoryOf: (id) => memories.get(id),
      changedSince: () => ({ mark: 0, ids: null }),
      figuresOf: (id) => figuresIn(watchById.get(id), memories.get(id), diagnostics.get(id)),
      // Snapshots are read from the state when they are needed.
      snapshotOf: () => null,
      healthOf: (id) => diagnostics.get(id)?.health ?? {},
    },
    blind: () => blindOf(watches, work, now),
  };
}

/**
 * Joins the rows of running replicas with the state of watches that none of them polls. A daemon counts as running if
 * one replica runs.
 */
export function storedHealth(watches: readonly Watch[], work: StoredWork, now: Instant): HealthSummary {
  const { rows, memories, damaged } = work;
  const left = watches.filter(({ target }) => pollerOf(target.explorer, rows) === undefined);
  const ofThese: HealthSummary = {
    ...UNKNOWN_HEALTH,
    at: now,
    unseen: left.filter(({ id }) => !memories.has(id) && !damaged.has(id)).length,
    blind: blindGroups(blindOf(left, work, now)),
    overdue: blindGroups(left.flatMap((watch) => overdueIn(watch, work, now))),
  };
  return mergedHealth(ofThese, rows);
}

/** The row of the replica that polls the watches of the explorer. */
export function pollerOf(explorer: string, rows: readonly HealthSummary[]): HealthSummary | undefined {
  return rows.find(({ explorers }) => explorers.some(({ name, polled }) => name === explorer && polled > 0));
}

function blindOf(watches: readonly Watch[], work: StoredWork, now: Instant): BlindWatch[] {
  const groups = Map.groupBy(watches, ({ target }) => target.explorer);
  return [...groups].flatMap(([explorer, all]) => {
    const poller = pollerOf(explorer, work.rows);
    const found = all.flatMap((watch) => blindIn(watch, { ...work, from: poller?.startedAt ?? null }, now));
    return poller === undefined ? found : asWritten(found, explorer, poller);
  });
}

/**
 * Makes the blind watches agree with the row of the replica that polls them. If the row has no blind group of the
 * explorer, no watch is blind. If it has one group, each watch has the reason of that group.
 */
function asWritten(found: readonly BlindWatch[], explorer: string, { blind }: HealthSummary): BlindWatch[] {
  const [first, ...others] = blind.filter((group) => group.explorer === explorer);
  if (first === undefined) return [];
  return others.length > 0 ? [...found] : found.map((one) => ({ ...one, reason: first.reason }));
}

function overdueIn(watch: Watch, { memories, damaged, pauses }: StoredFacts, now: Instant): BlindWatch[] {
  if (damaged.has(watch.id)) return [];
  const memory = memories.get(watch.id);
  const since = overdueFrom(watch, memory, { pause: lastPauseOf(pauses, watch), now });
  return since === null ? [] : [{ watch, since, reason: reasonOf(memory?.data ?? null), fields: [] }];
}

/** A memory with another checksum belongs to an earlier definition of the watch, so its figures are not used. */
function figuresIn(
  watch: Watch | undefined,
  memory: Memory | undefined,
  diagnostics: StoredDiagnostics | undefined,
): Figures | null {
  const snapshot = diagnostics?.snapshot ?? null;
  if (watch === undefined || snapshot === null || memory?.checksum !== watch.checksum) return null;
  return storedFiguresOf(watch.kind.fields, figurePathsOf(watch), snapshot);
}

/** `from`: a watch counts as blind only for the time after it; null: all time counts. */
function blindIn(
  watch: Watch,
  { memories, damaged, pauses, from }: StoredFacts & { readonly from: Instant | null },
  now: Instant,
): BlindWatch[] {
  if (damaged.has(watch.id)) return [{ watch, since: now, reason: 'damaged-memory', fields: [] }];
  const memory = memories.get(watch.id);
  const since = blindFrom(watch, memory, { pause: lastPauseOf(pauses, watch), from, now });
  if (since === null) return [];
  return [{ watch, since, reason: reasonOf(memory?.data ?? null), ...missingValues(watch, memory) }];
}
