// Reads memories that only one loop uses, such as those of reports.
import type { WatchId } from '../core/model/ids.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Store } from '../store/contract/store.ts';
import type { Log } from '../telemetry/log.ts';

export interface RecallOptions {
  readonly store: Pick<Store, 'recall' | 'forget'>;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** Rejects with a `StorageError`. */
export type RecallUndamaged = (ids: readonly WatchId[]) => Promise<Map<WatchId, Memory>>;

/**
 * Removes damaged memories, so that their loop starts without them. Memories of a newer release stay: the store refuses
 * each decision that would overwrite one, so no message is created from them until that release runs again.
 */
export function createRecallUndamaged({ store, log }: RecallOptions): RecallUndamaged {
  /** The memories of a newer release at the last reading: each is logged once. */
  let newer = new Set<WatchId>();
  return async (ids) => {
    const damaged: WatchId[] = [];
    const found = new Set<WatchId>();
    const memories = await store.recall(ids, (id, why, isNewer) => {
      if (!isNewer) {
        damaged.push(id);
        log.warn('watch:memory-damaged', {
          watch: id,
          why,
          effect: 'the memory is removed; its loop starts without a memory',
        });
        return;
      }
      found.add(id);
      if (!newer.has(id)) log.error('watch:memory-newer', { watch: id, why, effect: UNTOLD });
    });
    newer = found;
    if (damaged.length > 0) await store.forget(damaged);
    return memories;
  };
}

const UNTOLD = 'the memory stays unchanged; no message is created from it until the newer release runs again';
