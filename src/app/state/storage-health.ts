// Whether the state can be written, and whether its file is in its place.
import { isOf } from '../../cluster/share.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Cluster, Renewed } from '../../store/contract/cluster.ts';
import { type Store, StoreFullError } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

/**
 * `full`: the state has reached its size limit. Results that cannot be stored are dropped. A later poll finds them
 * again.
 */
export type StorageState = 'works' | 'fails' | 'full';

export interface StorageHealth {
  /** The given store. The results of its writes set `state()`. */
  readonly store: Store;
  /** The state according to the last write. */
  readonly state: () => StorageState;
}

export function watchStorage(store: Store): StorageHealth {
  let state: StorageState = 'works';
  let hasFailed = false;

  function failed(error: unknown): void {
    state = error instanceof StoreFullError ? 'full' : 'fails';
    hasFailed = true;
  }

  /**
   * Notes the result of a write. A fenced write resolves and counts as a success, since another replica does the work.
   */
  async function noting<T>(writing: Promise<T>): Promise<T> {
    const result = await notingFailure(writing);
    state = 'works';
    return result;
  }

  /** Notes only a failure. These writes store nothing new, so their success proves less than that of a commit. */
  async function notingFailure<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      failed(error);
      throw error;
    }
  }

  /**
   * A replica without polls commits nothing. If it renewed its claims twice and nothing failed in between, it can
   * write.
   */
  function noteRenewal({ mine }: Renewed): void {
    const polls = mine.some(({ shard }) => isOf('explorer', shard));
    if (state === 'fails' && !hasFailed && !polls) state = 'works';
    hasFailed = false;
  }

  function watchRenewals(cluster: Cluster): Cluster {
    if (!cluster.isShared) return cluster;
    return {
      ...cluster,
      async renew(own) {
        const renewed = await cluster.renew(own);
        noteRenewal(renewed);
        return renewed;
      },
    };
  }

  return {
    store: {
      ...store,
      cluster: watchRenewals(store.cluster),
      claim: (...args) => notingFailure(store.claim(...args)),
      settle: (...args) => notingFailure(store.settle(...args)),
      commit: (...args) => noting(store.commit(...args)),
      cover: (...args) => noting(store.cover(...args)),
    },
    state: () => state,
  };
}

// Checks every second that the state file is still in its place. If it is not, the open file is put back.

export interface StateGuard {
  /** Runs until the signal aborts. Rejects if the state cannot be put back; the daemon must end then. */
  run(signal: AbortSignal): Promise<void>;
  /** Checks once, in the same way as `run`. Called as the last step of a daemon. */
  look(): Promise<void>;
  /** The time at which the state was last put back; null: not within the last hour. */
  readonly restoredAt: () => Instant | null;
}

interface StateGuardOptions {
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
