// Watches that are to be polled once more before their next tick, and when.
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';

export interface ExtraPolls {
  /** When the first of them is due; Infinity = there is none. */
  nextDue(): Instant;
  /** If one is due already, the earlier time stays. */
  add(watch: WatchId, due: Instant): void;
  /** Removes and returns the watches that are due. */
  take(now: Instant): Set<WatchId>;
  clear(): void;
}

export function createExtraPolls(): ExtraPolls {
  const dueById = new Map<WatchId, Instant>();
  let earliest = Infinity;
  return {
    nextDue: () => earliest,
    add(watch, due) {
      const at = Math.min(due, dueById.get(watch) ?? Infinity);
      dueById.set(watch, at);
      earliest = Math.min(earliest, at);
    },
    take(now) {
      if (now < earliest) return new Set();
      const taken = new Set([...dueById].filter(([, due]) => due <= now).map(([watch]) => watch));
      for (const watch of taken) dueById.delete(watch);
      earliest = [...dueById.values()].reduce((first, due) => Math.min(first, due), Infinity);
      return taken;
    },
    clear() {
      dueById.clear();
      earliest = Infinity;
    },
  };
}
