// Every ten seconds this loop writes until when each watch was covered, and measures the disk of the state. Once a day
// it removes deliveries that were settled more than 30 days ago. If the state has reached its maximum size, it removes
// settled deliveries at once, first those older than a day, then all: they are only a record.
import { showDuration, type Clock } from '../../lib/clock.ts';
import { ALERTS_KEPT_MS } from '../../core/model/transition.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

export interface HousekeepingOptions {
  readonly store: Pick<Store, 'prune'>;
  readonly flush: () => Promise<void>;
  /** True if the state has reached its maximum size. */
  readonly isFull: () => boolean;
  /** True if this process prunes old rows; only one of several does. */
  readonly isPruner: () => boolean;
  /** May throw. */
  readonly lookAtDisk: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

const FLUSH_MS = 10_000;
const DAY_MS = 86_400_000;
const JOURNAL_KEPT_MS = 90 * DAY_MS;

/** Runs until the signal aborts. A storage that does not answer is tried again. */
export async function runHousekeeping(
  { store, flush, isFull, isPruner, lookAtDisk, clock, log }: HousekeepingOptions,
  signal: AbortSignal,
): Promise<void> {
  const failing = new Set<string>();
  let prunedAt = -Infinity;
  let keptMs = ALERTS_KEPT_MS;

  /** Runs `work`. A failure is logged once per outage, not every ten seconds. */
  async function tried(what: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
      failing.delete(what);
    } catch (error) {
      if (!failing.has(what)) log.warn('storage:housekeeping-failed', { error });
      failing.add(what);
    }
  }

  /**
   * The states of alerts decide which recipients get their ends, so they are kept for 30 days even when the state is
   * full.
   */
  async function prune(keptMs: number): Promise<void> {
    const now = clock.now();
    await store.prune({ settled: now - keptMs, alerts: now - ALERTS_KEPT_MS, journal: now - JOURNAL_KEPT_MS }, now);
  }

  async function pruneOld(): Promise<void> {
    if (!isPruner() || clock.now() - prunedAt < DAY_MS) return;
    await prune(ALERTS_KEPT_MS);
    prunedAt = clock.now();
  }

  async function makeRoom(): Promise<void> {
    if (!isFull()) {
      keptMs = ALERTS_KEPT_MS;
      return;
    }
    const next = keptMs > DAY_MS ? DAY_MS : 0;
    if (next !== keptMs)
      log.warn('storage:pruned-early', { kept: showDuration(next), why: 'state.max_size is reached' });
    keptMs = next;
    await prune(keptMs);
  }

  while (!signal.aborted) {
    await tried('flush', flush);
    await tried('prune', pruneOld);
    await tried('make-room', makeRoom);
    await tried('disk', lookAtDisk);
    await clock.sleep(FLUSH_MS, signal);
  }
}
