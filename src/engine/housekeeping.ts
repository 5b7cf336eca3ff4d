// Housekeeping, every ten seconds: until when each watch was covered goes to disk. Once a day: what was settled a month
// ago leaves the outbox.
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';

export interface HousekeepingOptions {
  readonly store: Pick<Store, 'prune'>;
  readonly flush: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const FLUSH_MS = 10_000;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;

/** Runs until the signal aborts. A storage that does not answer is tried again. */
export async function runHousekeeping(
  { store, flush, clock, log }: HousekeepingOptions,
  signal: AbortSignal,
): Promise<void> {
  let prunedAt = -Infinity;
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await flush();
      if (clock.now() - prunedAt >= DAY_MS) {
        await store.prune(clock.now() - KEPT_DAYS * DAY_MS);
        prunedAt = clock.now();
      }
      isFailing = false;
    } catch (error) {
      // One line per outage, not one every ten seconds.
      if (!isFailing) log.warn('storage:housekeeping-failed', { error });
      isFailing = true;
    }
    await clock.sleep(FLUSH_MS, signal);
  }
}
