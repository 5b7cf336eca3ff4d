// The pauses of the state file, kept in memory, because every tick reads them.
import { lastPauseOf, type Pause } from '../core/model/watch/pause.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { PausedWatch } from '../engine/reporting/paused-watches.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { Store } from '../store/contract/store.ts';

type Named = Pick<Watch, 'name' | 'rule'>;

export interface Pauses {
  /** Reads the pauses again. If it rejects with a `StorageError`, the earlier pauses remain. */
  read(): Promise<void>;
  /** The pause in force; null while the watch is polled. */
  readonly of: (watch: Named) => Pause | null;
  /** The time when the last pause of the watch ends or ended; null if none is known. */
  readonly until: (watch: Named) => Instant | null;
  /** The paused ones of these watches. */
  among(watches: readonly Watch[]): PausedWatch[];
}

export function createPauses({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'pauses'>;
  readonly clock: Clock;
}): Pauses {
  let byName: ReadonlyMap<string, readonly Pause[]> = new Map();
  /** The ids of pauses that are over. They stay so when the clock is set back. */
  const over = new Set<string>();
  let checkedAt: Instant | null = null;

  function findOver(now: Instant): void {
    if (now === checkedAt) return;
    checkedAt = now;
    for (const pauses of byName.values()) for (const { id, until } of pauses) if (until <= now) over.add(id);
  }

  /**
   * Every tick calls this for all of up to 10,000 watches. Few or none are paused, so the case of no pause returns
   * first.
   */
  function last({ name, rule }: Named): Pause | null {
    if (byName.size === 0) return null;
    const own = [...(byName.get(name) ?? []), ...(name === rule ? [] : (byName.get(rule) ?? []))];
    const still = own.filter(({ id }) => !over.has(id));
    return lastPauseOf(still.length > 0 ? still : own, { name, rule });
  }

  function of(watch: Named): Pause | null {
    if (byName.size > 0) findOver(clock.now());
    const pause = last(watch);
    return pause === null || over.has(pause.id) ? null : pause;
  }

  return {
    async read() {
      const pauses = await store.pauses();
      byName = Map.groupBy(pauses, ({ watch }) => watch);
      const ids = new Set(pauses.map(({ id }) => id));
      for (const id of over) if (!ids.has(id)) over.delete(id);
      checkedAt = null;
    },
    of,
    until: (watch) => last(watch)?.until ?? null,
    among: (watches) =>
      watches.flatMap((watch) => {
        const pause = of(watch);
        return pause === null ? [] : [{ watch, pause }];
      }),
  };
}
