/**
 * Resolves when the signal aborts, or at once if it has aborted. Only for signals that live no longer than the wait.
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
 * One listener on a long-lived signal, for many short-lived callers. A listener of a signal points at the next one even
 * after it was removed. So a removed listener that the collector took for old kept alive all that later ones referred
 * to, such as answers, until the next full collection. The tables of a set do the same, so entries are emptied before
 * they are removed.
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
