// Makes each page at most once a second for all who see the same, however many look.
import type { Role } from '../guard/identity.ts';

export type Render = () => Promise<{ readonly status: number; readonly text: string }>;

export interface Rendering {
  of(url: string, role: Role, render: Render): ReturnType<Render>;
}

/** `monotonic`: milliseconds of a clock that nobody sets. */
export function createRendering(monotonic: () => number): Rendering {
  let second = -1;
  let made = new Map<string, ReturnType<Render>>();
  return {
    of(url, role, render) {
      const now = Math.floor(monotonic() / 1000);
      if (now !== second) {
        second = now;
        made = new Map();
      }
      const key = `${role} ${url}`;
      const known = made.get(key);
      if (known !== undefined) return known;
      const fresh = render();
      made.set(key, fresh);
      return fresh;
    },
  };
}
