/** One holder at a time, in the order of asking. */
export interface Mutex {
  /** Resolves when the mutex is held, with the function that gives it back. Giving it back twice is harmless. */
  acquire(): Promise<() => void>;
  /** Holds it for as long as the work takes. */
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
