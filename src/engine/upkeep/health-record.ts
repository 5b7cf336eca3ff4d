// Stores the daemon's health, for `status` and for the pages of other replicas: when it changed, at most every ten
// seconds, and at least every thirty, so that an old row shows a daemon that hangs.
import type { HealthSummary } from '../../core/model/quality/health-summary.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

export interface HealthRecordOptions {
  readonly store: Pick<Store, 'keepHealth'>;
  readonly health: () => HealthSummary;
  /** Called after each write. */
  readonly onKept: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MS = 10_000;
const LONGEST_MS = 30_000;

/** Runs until the signal aborts. A storage that does not answer is tried again, and logged once per outage. */
export async function recordHealth(
  { store, health, onKept, clock, log }: HealthRecordOptions,
  signal: AbortSignal,
): Promise<void> {
  let kept: { readonly text: string; readonly at: number } | null = null;
  let isFailing = false;

  async function keep(): Promise<void> {
    const now = health();
    const text = JSON.stringify(lasting(now));
    const at = clock.monotonic();
    if (kept?.text === text && at - kept.at < LONGEST_MS) return;
    await store.keepHealth(now);
    kept = { text, at };
    onKept();
  }

  while (!signal.aborted) {
    try {
      await keep();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn('health:not-kept', { error, effect: '`status` shows an older state' });
      isFailing = true;
    }
    await clock.sleep(LOOK_MS, signal);
  }
}

/** Leaves out values that every poll changes: blocks, credits, and the time. */
function lasting({ explorers, at: _at, heartbeatAt: _heartbeatAt, ...health }: HealthSummary): object {
  return {
    ...health,
    explorers: explorers.map(({ name, polled, head }) => ({ name, polled, head: head.state })),
  };
}
