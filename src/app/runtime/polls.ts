import { isOverdue } from '../../core/model/watch/schedule.ts';
import { paceIn } from '../../core/model/watch/watch.ts';
import type { Poller } from '../../engine/polling/poller.ts';
import type { KeptPlans } from '../../engine/scheduling/kept-plans.ts';
import type { Scheduler } from '../../engine/scheduling/scheduler.ts';
import type { Spending } from '../../engine/scheduling/spending.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';

/** The polls of all watches, from the start of the daemon to its stop. */
export interface Polls {
  readonly isRunning: () => boolean;
  begin(): void;
  /** Schedules the watches that this process polls, if polls have begun. Call this when these watches have changed. */
  readonly schedule: () => void;
  /**
   * Polls the watches with transitions that the store refused, since a poll stores them. Without it, alerts that were
   * sent from memory would be on record, and escalated, only after the next due time. Call this when a write has worked.
   */
  readonly storeAgain: () => void;
  /** Stores what polls have found out since the last time. */
  readonly flush: () => Promise<void>;
  /** Aborts requests under way, waits for their polls, and stores their results. */
  end(): Promise<void>;
}

export interface PollsOptions {
  readonly poller: Pick<Poller, 'watches' | 'readings' | 'unkept' | 'idle' | 'flush'>;
  readonly scheduler: Pick<Scheduler, 'set' | 'pollAgain'>;
  readonly spending: Pick<Spending, 'plan'>;
  readonly keptPlans: Pick<KeptPlans, 'flush'>;
  /** Aborts the requests under way. */
  readonly reading: AbortController;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly log: Pick<Log, 'warn'>;
}

// Other writes may work while commits do not, so the polls of `storeAgain` become rarer.
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;

export function createPolls({ poller, scheduler, spending, keptPlans, reading, clock, log }: PollsOptions): Polls {
  let isRunning = false;
  /** The next time at which `storeAgain` may poll. */
  let again = { at: -Infinity, waitMs: FIRST_WAIT_MS };

  function schedule(): void {
    if (!isRunning) return;
    const own = poller.watches();
    const now = clock.now();
    spending.plan();
    scheduler.set(
      own,
      own.filter((watch) => {
        const memory = poller.readings.memoryOf(watch.id);
        return isOverdue(watch, memory?.coveredUntil ?? null, now, paceIn(memory, watch));
      }),
    );
  }

  function storeAgain(): void {
    const { unkept: waits } = poller;
    const waiting = waits.unkeptWatches().filter((id) => waits.unkept(id)?.transitions.length !== 0);
    const now = clock.monotonic();
    if (waiting.length === 0) again = { at: now, waitMs: FIRST_WAIT_MS };
    else if (now >= again.at) {
      for (const id of waiting) scheduler.pollAgain(id, 0);
      again = { at: now + again.waitMs, waitMs: Math.min(2 * again.waitMs, LONGEST_WAIT_MS) };
    }
  }

  async function flush(): Promise<void> {
    await poller.flush();
    await keptPlans.flush();
  }

  return {
    isRunning: () => isRunning,
    begin() {
      isRunning = true;
      schedule();
    },
    schedule,
    storeAgain,
    flush,
    async end() {
      isRunning = false;
      reading.abort(new DOMException('the daemon is stopping', 'AbortError'));
      await poller.idle();
      // If this last write fails, the time counted for a `for` is a few seconds too short after the next start. So the
      // error is only logged.
      await flush().catch((error: unknown) => {
        log.warn('storage:housekeeping-failed', { error });
      });
    },
  };
}
