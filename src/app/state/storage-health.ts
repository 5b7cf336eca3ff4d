import { StoreFullError, type Store } from '../../store/contract/store.ts';

/** `full`: the state has reached its size. What is learned is lost while it is not kept, and found again later. */
export type StorageState = 'works' | 'fails' | 'full';

export interface StorageHealth {
  /** The same store, looked at while it is used. */
  readonly store: Store;
  /** What became of the last that was to be written. */
  state(): StorageState;
}

export function watchStorage(store: Store): StorageHealth {
  let state: StorageState = 'works';

  /** What is fenced is another replica's to keep: that is no failure of the storage. */
  async function noting<T>(writing: Promise<T>): Promise<T> {
    state = await writing.then(
      () => 'works' as const,
      (error: unknown) => (error instanceof StoreFullError ? 'full' : 'fails'),
    );
    return writing;
  }

  /** What ends here keeps nothing that was learned, so it proves less than a commit: only its failure counts. */
  async function notingFailure<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      state = 'fails';
      throw error;
    }
  }

  return {
    store: {
      ...store,
      claim: (...args) => notingFailure(store.claim(...args)),
      settle: (...args) => notingFailure(store.settle(...args)),
      commit: (...args) => noting(store.commit(...args)),
      cover: (...args) => noting(store.cover(...args)),
    },
    state: () => state,
  };
}
