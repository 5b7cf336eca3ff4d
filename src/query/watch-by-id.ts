import type { WatchId } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { remembered } from '../lib/remembered.ts';

/**
 * Watches by their ids. The list is the same object until other rules are put in force, so its map is made once: for
 * ten thousand watches this costs more than using it.
 */
export const byId = remembered(
  (watches: readonly Watch[]): ReadonlyMap<WatchId, Watch> => new Map(watches.map((watch) => [watch.id, watch])),
);
