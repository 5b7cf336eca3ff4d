/** A mutex: one holder at a time, in the order of the calls. */
export interface Mutex {
  /** Resolves once the caller holds the mutex, with the function that releases it. The function may be called twice. */
  acquire(): Promise<() => void>;
  /** Holds the mutex while `work` runs. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve();

  async function acquire(): Promise<() => void> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    last = promise;
    await before;
    return () => {
      resolve(undefined);
    };
  }

  return {
    acquire,
    async hold(work) {
      const release = await acquire();
      return work().finally(release);
    },
  };
}
