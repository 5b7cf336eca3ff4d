import { isOf } from '../../cluster/share.ts';
import type { Cluster, Renewed } from '../../store/contract/cluster.ts';
import { StoreFullError, type Store } from '../../store/contract/store.ts';

/** `full`: the state has reached its size limit. Results that cannot be stored are lost, and found again later. */
export type StorageState = 'works' | 'fails' | 'full';

export interface StorageHealth {
  /** The same store; its results are recorded. */
  readonly store: Store;
  /** By the last write. */
  state(): StorageState;
}

export function watchStorage(store: Store): StorageHealth {
  let state: StorageState = 'works';
  let hasFailed = false;

  function failed(error: unknown): void {
    state = error instanceof StoreFullError ? 'full' : 'fails';
    hasFailed = true;
  }

  /** A write that is fenced is no failure of the storage: another replica keeps it. */
  async function noting<T>(writing: Promise<T>): Promise<T> {
    const result = await notingFailure(writing);
    state = 'works';
    return result;
  }

  /** Nothing that was learned is kept here, so it proves less than a commit: only its failure counts. */
  async function notingFailure<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      failed(error);
      throw error;
    }
  }

  /**
   * A replica without polls commits nothing. If it could renew twice and nothing else failed in between, it can write.
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
