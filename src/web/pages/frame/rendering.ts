// Makes each thing at most once in a period, for any number of callers.

export interface Periods {
  /** The number of the period; each period has another one. */
  current(): number;
  /** Ends the period after a change, so that the person who made it and all notified pages see the change at once. */
  readonly end: () => void;
}

/** `monotonic`: milliseconds of a clock that is never set. `lengthMs`: the length of the period that begins. */
export function createPeriods(monotonic: () => number, lengthMs: () => number): Periods {
  let [period, endsAt] = [0, -Infinity];
  return {
    current() {
      const now = monotonic();
      if (now < endsAt) return period;
      period += 1;
      endsAt = now + lengthMs();
      return period;
    },
    end() {
      endsAt = -Infinity;
    },
  };
}

export interface Rendering<T> {
  of(key: string, make: () => Promise<T>): Promise<T>;
  /** Undefined: it was not made in this period. */
  made(key: string): Promise<T> | undefined;
}

export function createRendering<T>(periods: Pick<Periods, 'current'>): Rendering<T> {
  let period = -1;
  let made = new Map<string, Promise<T>>();

  function ofThisPeriod(): Map<string, Promise<T>> {
    const now = periods.current();
    if (now !== period) made = new Map();
    period = now;
    return made;
  }

  return {
    of(key, make) {
      const all = ofThisPeriod();
      const known = all.get(key);
      if (known !== undefined) return known;
      const fresh = make();
      all.set(key, fresh);
      return fresh;
    },
    made: (key) => ofThisPeriod().get(key),
  };
}

/** Keeps the entries that were added last, up to `most`. */
export function keepRecent<T>(all: Map<string, T>, key: string, value: T, most: number): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > most && oldest !== undefined) all.delete(oldest);
}
