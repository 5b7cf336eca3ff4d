// The pauses of the state file, kept in memory, because every tick reads them.
import { lastPauseOf, type Pause } from '../core/model/watch/pause.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { Store } from '../store/contract/store.ts';

type Named = Pick<Watch, 'name' | 'rule'>;

export interface Pauses {
  /** Reads them again. Rejects with a `StorageError`; then the earlier ones remain. */
  read(): Promise<void>;
  /** The pause in force; null while the watch is polled. */
  of(watch: Named): Pause | null;
  /** The time when the last pause of the watch ends or ended; null if none is known. */
  until(watch: Named): Instant | null;
}

export function createPauses({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'pauses'>;
  readonly clock: Clock;
}): Pauses {
  let byName: ReadonlyMap<string, readonly Pause[]> = new Map();

  /** Few of 10,000 watches are paused, and every tick asks for all of them. */
  function last({ name, rule }: Named): Pause | null {
    if (byName.size === 0) return null;
    const own = [...(byName.get(name) ?? []), ...(name === rule ? [] : (byName.get(rule) ?? []))];
    return lastPauseOf(own, { name, rule });
  }

  return {
    async read() {
      byName = Map.groupBy(await store.pauses(), ({ watch }) => watch);
    },
    of(watch) {
      const pause = last(watch);
      return pause !== null && pause.until > clock.now() ? pause : null;
    },
    until: (watch) => last(watch)?.until ?? null,
  };
}
