import { isOf } from '../../cluster/share.ts';
import type { Cluster, Renewed } from '../../store/contract/cluster.ts';
import { StoreFullError, type Store } from '../../store/contract/store.ts';

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
