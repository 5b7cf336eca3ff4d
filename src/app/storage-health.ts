import type { Store } from '../store/store.ts';

export interface StorageHealth {
  /** The same store, looked at while it is used. */
  readonly store: Store;
  /** Whether what was last written was kept. What is learned is lost while it is not, and found again later. */
  isWorking(): boolean;
}

export function watchStorage(store: Store): StorageHealth {
  let isWorking = true;

  async function noting<T>(writing: Promise<T>, isKept: (result: T) => boolean): Promise<T> {
    isWorking = await writing.then(isKept, () => false);
    return writing;
  }

  return {
    store: {
      ...store,
      commit: (...args) => noting(store.commit(...args), (ends) => !ends.includes('fenced')),
      cover: (...args) => noting(store.cover(...args), (end) => end !== 'fenced'),
    },
    isWorking: () => isWorking,
  };
}
