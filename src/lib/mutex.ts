/** A mutex: one holder at a time, in the order of the calls. */
export interface Mutex {
  /** Resolves when the mutex is held, with the function that releases it, which may be called twice. */
  acquire(): Promise<() => void>;
  /** Holds it while `work` runs. */
  hold<T>(work: () => Promise<T>): Promise<T>;
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
