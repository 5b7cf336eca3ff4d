// Coverage of watches that other replicas poll, read from the state every 10 s. Inhibitions and escalations depend on
// it.
import type { WatchId } from '../../core/model/ids.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStorageBackoff } from '../loop.ts';

export interface CoveredElsewhere {
  /** Null: the watch was never covered, or its coverage was not read yet. */
  of(watch: WatchId): Instant | null;
  /** True if the coverage was read since `run` started. */
  isRead(): boolean;
  /** Runs until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export interface CoveredElsewhereOptions {
  readonly store: Pick<Store, 'covered'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Replicas store coverage at this interval. */
const LOOK_MS = 10_000;

export function createCoveredElsewhere({ store, clock, log }: CoveredElsewhereOptions): CoveredElsewhere {
  const storage = createStorageBackoff({ loop: 'replicas' }, log);
  let coveredById: ReadonlyMap<WatchId, Instant> | null = null;

  async function look(): Promise<number> {
    try {
      coveredById = await store.covered();
      storage.answered('covered');
      return LOOK_MS;
    } catch (error) {
      return storage.failed('covered', error);
    }
  }

  return {
    of: (watch) => coveredById?.get(watch) ?? null,
    isRead: () => coveredById !== null,
    async run(signal) {
      // Values from an earlier run are old: another replica may have had this work in between.
      coveredById = null;
      while (!signal.aborted) await clock.sleep(await look(), signal);
    },
  };
}
