// Claims about verdicts by which several entries are told apart.
import type { PeopleVerdict, VerdictStory } from '../people/verdict.ts';

/** Something that was owed came too late, or never. */
export function isLate(check: PeopleVerdict['check']): boolean {
  return check === 'unsent' || check === 'end-unsent' || check === 'summary-wrong' || check === 'repeat-wrong';
}

export function wasHeld({ trail }: VerdictStory): boolean {
  return trail.includes('mute') || trail.includes('silence') || trail.includes('inhibition') || trail.includes('group');
}
