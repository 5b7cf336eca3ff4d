// Makes each thing at most once a second, however many ask for it.

export interface Rendering<T> {
  of(key: string, make: () => Promise<T>): Promise<T>;
}

/** `monotonic`: milliseconds of a clock that nobody sets. */
export function createRendering<T>(monotonic: () => number): Rendering<T> {
  let second = -1;
  let made = new Map<string, Promise<T>>();
  return {
    of(key, make) {
      const now = Math.floor(monotonic() / 1000);
      if (now !== second) {
        second = now;
        made = new Map();
      }
      const known = made.get(key);
      if (known !== undefined) return known;
      const fresh = make();
      made.set(key, fresh);
      return fresh;
    },
  };
}
