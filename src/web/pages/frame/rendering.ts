// Makes each thing at most once in a period, however many ask for it.

export interface Periods {
  /** Another number in every period. */
  current(): number;
  /** Something was changed: whoever changed it sees that at once. */
  end(): void;
}

/** Of a second each. `monotonic`: milliseconds of a clock that nobody sets. */
export function createPeriods(monotonic: () => number): Periods {
  let [second, period] = [-1, 0];
  return {
    current() {
      const now = Math.floor(monotonic() / 1000);
      if (now !== second) period += 1;
      second = now;
      return period;
    },
    end() {
      period += 1;
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
