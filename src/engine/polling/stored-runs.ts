// The closed runs that windows need: built from the store before a watch's first poll, then updated with every stored
// decision. They are built again after another memory was found, the clock was set back, or the rules changed.
import type { WindowSpan } from '../../core/model/watch/condition.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Memory, Samples } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { createStoredRuns, NO_PAST, type Past, type StoredRuns } from '../../core/windows/stored-runs.ts';
import { EDGE_RUNS } from '../../core/windows/stored-window.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';

export interface RunsOfWatches {
  /**
   * The runs before a poll at that moment. `shiftedMs`: the memory's times were moved back by so much, and the stored
   * runs were not moved yet. Rejects with a `StorageError`.
   */
  before(watch: Watch, memory: Memory, at: Instant, shiftedMs: number): Promise<Past>;
  /** Call this when the decision is stored. */
  kept(watch: Watch, decision: Decision, at: Instant): void;
  forget(watch: WatchId): void;
  /** The runs of all other watches are dropped. */
  adopt(watches: ReadonlySet<WatchId>): void;
}

interface Held {
  readonly runs: StoredRuns;
  readonly windows: readonly WindowSpan[];
  readonly intervalMs: number;
}

export function createRunsOfWatches(store: Pick<Store, 'samples' | 'samplesAfter'>): RunsOfWatches {
  const heldById = new Map<WatchId, Held>();

  async function build(watch: Watch, memory: Memory, shiftedMs: number): Promise<StoredRuns> {
    const stored = shifted(await store.samples(watch.id), shiftedMs);
    return createStoredRuns(watch, stored, memory.coveredUntil ?? -Infinity);
  }

  async function heldOf(watch: Watch, memory: Memory): Promise<StoredRuns> {
    const held = heldById.get(watch.id);
    if (held !== undefined && isOf(held, watch)) return held.runs;
    const runs = await build(watch, memory, 0);
    heldById.set(watch.id, { runs, windows: watch.windows, intervalMs: watch.schedule.intervalMs });
    return runs;
  }

  async function read(watch: Watch, runs: StoredRuns, at: Instant): Promise<void> {
    for (let missing = runs.missing(at); missing.length > 0; missing = runs.missing(at))
      for (const { path, after, refill } of missing)
        refill(await store.samplesAfter({ watch: watch.id, path }, after, EDGE_RUNS));
  }

  return {
    async before(watch, memory, at, shiftedMs) {
      if (watch.windows.length === 0) return NO_PAST;
      const runs = await (shiftedMs === 0 ? heldOf(watch, memory) : build(watch, memory, shiftedMs));
      await read(watch, runs, at);
      return runs;
    },
    kept(watch, { closed }, at) {
      if (closed.dropped.length > 0 || closed.shiftedMs !== 0) heldById.delete(watch.id);
      else heldById.get(watch.id)?.runs.kept(closed, at);
    },
    forget(id) {
      heldById.delete(id);
    },
    adopt(watches) {
      for (const id of heldById.keys()) if (!watches.has(id)) heldById.delete(id);
    },
  };
}

function isOf({ windows, intervalMs }: Held, watch: Watch): boolean {
  return windows === watch.windows && intervalMs === watch.schedule.intervalMs;
}

function shifted(samples: Samples, byMs: number): Samples {
  if (byMs === 0) return samples;
  const entries = Object.entries(samples).map(([path, runs]) => {
    const moved = runs.map(
      ([since, until, value]) => [since - byMs, until === null ? null : until - byMs, value] as const,
    );
    return [path, moved] as const;
  });
  return Object.fromEntries(entries);
}
