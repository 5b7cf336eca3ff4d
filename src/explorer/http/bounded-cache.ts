import type { Clock, Instant } from '../../lib/clock.ts';

/**
 * Requests repeat in the same order, so the least recently used entry is the one that is needed next. A plain LRU cache
 * would never hit. Therefore a new entry replaces only entries that were not used for this long.
 */
const IDLE_AFTER_MS = 600_000;

/** Remembers values by request, within bounds. */
export interface BoundedCache<Value> {
  /** The value of that request if `isWanted` accepts it; only then it counts as used. */
  get(request: string, isWanted: (value: Value) => boolean): Value | undefined;
  /** Replaces the previous value. False if there is no room: then nothing is made or stored. */
  put(request: string, make: () => Value, weight: number): boolean;
  drop(request: string): void;
}

interface Entry<Value> {
  /**
   * Null after the entry was dropped. An old hash table of the map may keep the entry, but must not keep the value,
   * until the next full garbage collection.
   */
  value: Value | null;
  readonly weight: number;
  usedAt: Instant;
}

export function createBoundedCache<Value>(clock: Clock, most: number): BoundedCache<Value> {
  // The entries are in the order of their last use.
  const entries = new Map<string, Entry<Value>>();
  let total = 0;

  function drop(request: string): void {
    const entry = entries.get(request);
    if (entry === undefined) return;
    total -= entry.weight;
    entry.value = null;
    entries.delete(request);
  }

  function makeRoom(weight: number, now: Instant): boolean {
    for (const [request, { usedAt }] of entries) {
      if (total + weight <= most) return true;
      if (now - usedAt < IDLE_AFTER_MS) return false;
      drop(request);
    }
    return total + weight <= most;
  }

  return {
    get(request, isWanted) {
      const entry = entries.get(request);
      const value = entry?.value ?? null;
      if (entry === undefined || value === null || !isWanted(value)) return undefined;
      entries.delete(request);
      entries.set(request, entry);
      entry.usedAt = clock.now();
      return value;
    },
    put(request, make, weight) {
      drop(request);
      const now = clock.now();
      if (!makeRoom(weight, now)) return false;
      entries.set(request, { value: make(), weight, usedAt: now });
      total += weight;
      return true;
    },
    drop,
  };
}
