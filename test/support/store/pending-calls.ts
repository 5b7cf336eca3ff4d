// Calls of a store that have not ended yet. A file answers within the turn of the event loop; a database does not, and a
// fake clock has to wait for it: else hours pass while a statement is under way.

let pending = 0;
const watchers = new Set<() => void>();

/** The same store, or view of it, of which every call is counted while it lasts. */
export function counted<T extends object>(store: T): T {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        return result instanceof Promise ? ended(result, key === 'reader') : result;
      };
    },
  });
}

async function ended(call: Promise<unknown>, isView: boolean): Promise<unknown> {
  pending += 1;
  try {
    const result = await call;
    return isView && typeof result === 'object' && result !== null ? counted(result) : result;
  } finally {
    pending -= 1;
    for (const look of watchers) look();
  }
}

export function arePending(): boolean {
  return pending > 0;
}

/** Resolves when one of them has ended. */
export function oneEnded(): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      watchers.delete(look);
      resolve();
    };
    watchers.add(look);
  });
}
