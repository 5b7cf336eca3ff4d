// The end of a watch's coverage, and its snapshot, change with every poll. They are not written with each commit, but in
// `flushCoverage`, for many watches at once.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { nextTurn } from '../../lib/clock.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Coverage } from '../../store/contract/memories.ts';
import type { Store } from '../../store/contract/store.ts';
import { lostDiagnostics, putBack, takeChanged } from './beside-memory.ts';
import type { PollState, HeldWatch } from './state.ts';

export interface CoverageTools {
  readonly polls: PollState;
  readonly store: Pick<Store, 'cover'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost'>;
  readonly shardOfWatch: (watch: Watch) => Shard;
}

// The number of watches in one write. A write takes up to five milliseconds if all answers have changed. Polls and
// alerts run between two writes.
const FLUSHED_AT_ONCE = 50;

/**
 * Stores the end of coverage, and the snapshot, of each watch that was polled since the last flush. Rejects with a
 * `StorageError`.
 */
export async function flushCoverage(tools: CoverageTools): Promise<void> {
  const { polls, ownership, shardOfWatch } = tools;
  const ids = polls.idsInStoredOrder.filter((id) => polls.states.get(id)?.isCoverageStored === false);
  for (let i = 0; i < ids.length; i += FLUSHED_AT_ONCE) {
    if (i > 0) await nextTurn();
    const some = ids.slice(i, i + FLUSHED_AT_ONCE).flatMap((id) => polls.watches.get(id) ?? []);
    for (const [fence, own] of Map.groupBy(some, (watch) => ownership.fenceOf(shardOfWatch(watch))))
      if (fence !== null) await flushSome(own, fence, tools);
  }
}

async function flushSome(watches: readonly Watch[], fence: Fence, tools: CoverageTools): Promise<void> {
  const { polls, store, ownership, shardOfWatch } = tools;
  const states = watches.flatMap(({ id }) => polls.states.get(id) ?? []);
  const coverage = new Map(states.map((state) => [state.id, takeCoverage(state)]));
  try {
    if ((await store.cover(coverage, fence)) === 'kept') return;
    for (const { diagnostics } of states) lostDiagnostics(diagnostics);
    for (const shard of new Set(watches.map(shardOfWatch))) ownership.lost(shard, fence);
  } catch (error) {
    for (const state of states) {
      state.isCoverageStored = false;
      const taken = coverage.get(state.id);
      if (state.diagnostics !== null && taken !== undefined) putBack(state.diagnostics, taken);
    }
    throw error;
  }
}

function takeCoverage(state: HeldWatch): Coverage {
  state.isCoverageStored = true;
  const { coveredUntil = null, paceMs = null } = state.memory ?? {};
  return { ...(state.diagnostics === null ? {} : takeChanged(state.diagnostics)), until: coveredUntil, paceMs };
}
