import type { WatchId } from '../core/model/ids.ts';
import type { Watch } from '../core/model/watch/watch.ts';

// The list is the same one until rules are put in force, and the map of ten thousand costs more than what it is for.
const known = new WeakMap<readonly Watch[], ReadonlyMap<WatchId, Watch>>();

/** Watches by their ids. */
export function byId(watches: readonly Watch[]): ReadonlyMap<WatchId, Watch> {
  const found = known.get(watches) ?? new Map(watches.map((watch) => [watch.id, watch]));
  known.set(watches, found);
  return found;
}
