// Claims about verdicts by which several entries are told apart.
import type { Near } from '../people/near.ts';
import type { VerdictStory } from '../people/verdict.ts';

export function isNear({ near }: VerdictStory, what: Near): boolean {
  return near.includes(what);
}
