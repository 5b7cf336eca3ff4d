/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

/** The earliest of the given instants; null if none is given. */
export function earliest(instants: readonly (Instant | null)[]): Instant | null {
  return instants.reduce<Instant | null>(
    (first, at) => (first === null || (at !== null && at < first) ? at : first),
    null,
  );
}

/** The only source of time and of waiting. Tests pass a fake clock and move it. */
export interface Clock {
  readonly now: () => Instant;
  /** Milliseconds of a monotonic clock: it runs evenly, also when the system clock is set. */
  readonly monotonic: () => number;
  /**
   * Resolves after `ms`, or at once when the signal aborts: waking early is not an error. The wait is independent of
   * changes to the system clock.
   */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

// Node fires a longer timer at once, so a longer sleep is divided.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    const until = performance.now() + ms;
    for (let left = ms; left > 0 && signal?.aborted !== true; left = until - performance.now())
      await nap(Math.min(left, LONGEST_TIMER_MS), signal);
  },
};

function nap(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

/** A signal that aborts with the parent's or after `ms`; `done()` releases both. */
export interface Deadline {
  readonly signal: AbortSignal;
  done(): void;
}

export function createDeadline(parent: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(parent.reason);
  };
  if (parent.aborted) onAbort();
  else parent.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`deadline of ${ms} ms exceeded`, 'TimeoutError'));
  }, ms);
  return {
    signal: controller.signal,
    done() {
      clearTimeout(timer);
      parent.removeEventListener('abort', onAbort);
    },
  };
}

/** Calls `act` after `ms`, unless the returned function was called before. Uses real time, like `Deadline`. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => {
    clearTimeout(timer);
  };
}

/** Calls `act` when `touch` was not called for `ms`. A later `touch` starts the wait again. Uses real time. */
export function whenIdle(ms: number, act: () => void): { touch(): void; done(): void } {
  const timer = setTimeout(act, ms);
  return {
    touch() {
      timer.refresh();
    },
    done() {
      clearTimeout(timer);
    },
  };
}

/** RFC 3339 in UTC, in whole seconds unless there are milliseconds: `showInstant(0) // '1970-01-01T00:00:00Z'`. */
export function showInstant(at: Instant): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

/** RFC 3339 in UTC without milliseconds, for people. */
export function showSecond(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** The two largest units: `showDuration(125_000) // '2m5s'`, and milliseconds below a second. */
export function showDuration(ms: number): string {
  if (Math.abs(ms) < 1000) return `${Math.round(ms)}ms`;
  let left = Math.abs(ms);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
  }
  return `${ms < 0 ? '-' : ''}${parts.join('')}`;
}

/** Resolves once the event loop has handled all events of this turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

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
