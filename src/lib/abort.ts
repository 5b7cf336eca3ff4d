/**
 * Resolves when the signal aborts, or at once if it has aborted. Only for signals that live no longer than the wait,
 * since the listener stays until the signal aborts.
 */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const onAbort = (): void => {
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** The functions to call when a signal aborts. */
export interface AbortListeners extends Disposable {
  /** Calls `act` when the signal aborts, unless the returned function was called before. */
  readonly add: (act: () => void) => () => void;
}

/**
 * Makes one listener on a long-lived signal, for many short-lived callers. If each caller had its own listener, a
 * removed listener would still refer to the next one. Once the garbage collector counted a removed listener as old,
 * everything that later listeners referred to, such as answers, would stay in memory until the next full collection.
 * Entries of a set keep such references too, so each entry is emptied before it is removed.
 */
export function createAbortListeners(signal: AbortSignal): AbortListeners {
  const listeners = new Set<{ act: (() => void) | null }>();
  const onAbort = (): void => {
    for (const { act } of listeners) act?.();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    add(act) {
      const listener: { act: (() => void) | null } = { act };
      listeners.add(listener);
      return () => {
        listener.act = null;
        listeners.delete(listener);
      };
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', onAbort);
    },
  };
}
