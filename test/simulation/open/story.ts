// Claims about verdicts by which several entries are told apart.
import type { Near } from '../people/near.ts';
import type { PeopleVerdict, VerdictStory } from '../people/verdict.ts';

/** Something that was owed came too late, or never. */
export function isLate(check: PeopleVerdict['check']): boolean {
  return ['unsent', 'end-unsent', 'step-wrong', 'summary-wrong', 'repeat-wrong'].includes(check);
}

export function isNear({ near }: VerdictStory, what: Near): boolean {
  return near.includes(what);
}
