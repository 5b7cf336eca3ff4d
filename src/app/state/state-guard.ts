// Checks every second that the state file is still in its place. If it is not, the open file is put back.
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

export interface StateGuard {
  /** Runs until the signal aborts. Rejects if the state cannot be put back; the daemon must end then. */
  run(signal: AbortSignal): Promise<void>;
  /** Checks once, in the same way as `run`. Called as the last step of a daemon. */
  look(): Promise<void>;
  /** The time at which the state was last put back; null: not within the last hour. */
  readonly restoredAt: () => Instant | null;
}

export interface StateGuardOptions {
  readonly store: Pick<Store, 'secure'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The time between two checks. It equals the shortest interval that a rule may set. */
const LOOK_MS = 1000;
const SAID_MS = 3_600_000;

export function createStateGuard({ store, clock, log }: StateGuardOptions): StateGuard {
  let restoredAt: Instant | null = null;

  async function look(): Promise<void> {
    const moved = await store.secure();
    if (moved.length === 0) return;
    restoredAt = clock.now();
    const effect =
      'the open file was put back in its place; nothing is lost. A file found in its place is kept as *.found';
    log.error('storage:restored', { moved: moved.map((one) => MOVED[one]).join(', '), effect });
  }

  return {
    look,
    async run(signal) {
      while (!signal.aborted) {
        await look();
        await clock.sleep(LOOK_MS, signal);
      }
    },
    restoredAt: () => (restoredAt !== null && clock.now() - restoredAt < SAID_MS ? restoredAt : null),
  };
}

const MOVED = {
  file: 'the state file was deleted or replaced',
  lock: 'its lock was deleted or replaced',
} as const;
