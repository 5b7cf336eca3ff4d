/** Resolves when the signal aborts, at once when it has. For signals that live no longer than the wait. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const onAbort = (): void => {
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Who is told when a signal aborts. */
export interface AbortListeners extends Disposable {
  /** `act` is called when the signal aborts, unless the function that this returns was called before. */
  readonly add: (act: () => void) => () => void;
}

/**
 * One listener on a signal that lives long, for many who live shortly. A listener of a signal points at the next one
 * even when it was removed. So one that the collector took for old kept alive what all later ones held, answers and all,
 * until the next full collection. The tables of a set do the same, so what is taken out of it is emptied before.
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
