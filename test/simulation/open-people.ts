// What the daemon is known to do wrong when it tells people: the part of the open list about them.
import type { PeopleVerdict, VerdictStory } from './people/verdict.ts';

export interface KnownOfPeople {
  readonly name: string;
  readonly of: `finding ${number}` | `decision ${number}`;
  readonly covers: (verdict: PeopleVerdict) => boolean;
}

/** The first that covers a verdict counts it. */
export const KNOWN_OF_PEOPLE: readonly KnownOfPeople[] = [
  {
    name: 'a reload tells nobody whom it names of what is open or waits',
    of: 'finding 1',
    covers: ({ check, story }) => check === 'unsent' && story.duty === 'reload',
  },
  {
    name: 'a raised severity is heard by nobody',
    of: 'decision 114',
    covers: ({ story }) => story.duty === 'raised',
  },
  {
    name: 'nobody is told that an acknowledgement has ended',
    of: 'finding 2',
    covers: ({ check, story }) => check === 'unsent' && story.duty === 'ack-ended',
  },
  {
    name: 'who was called in once is told of each later episode at once',
    of: 'finding 3',
    covers: ({ check, story }) => check === 'step-wrong' && ['early', 'acknowledged'].includes(story.duty),
  },
  {
    name: 'events that were folded into one call nobody in',
    of: 'decision 111',
    covers: ({ story }) => (story.duty === 'step' || story.duty === 'failover') && story.isFolded,
  },
  {
    name: 'an acknowledgement that ends does not begin the steps again',
    of: 'finding 2',
    covers: ({ story }) => story.duty === 'step' && story.form === 'condition',
  },
  {
    name: 'steps of an edited list are counted by their position',
    of: 'finding 12',
    covers: ({ story }) => story.duty === 'step' && story.form === 'event',
  },
  {
    name: 'what went into a summary could have been told by itself',
    of: 'decision 103',
    covers: ({ check, story }) => isLate(check) && story.came === 'overflow_summary',
  },
  {
    name: 'what was held is not in the summary of the cap, and waits for a free place',
    of: 'decision 103',
    covers: ({ check, story }) => isLate(check) && story.came !== null && wasHeld(story),
  },
  {
    name: 'what is held keeps the labels that its rule had before a reload',
    of: 'finding 1',
    covers: ({ check, story }) => isLate(check) && story.came === null && wasHeld(story),
  },
  {
    name: 'what was given up is not tried again with the repeats',
    of: 'finding 11',
    covers: ({ check, story }) => isLate(check) && story.trail.includes('given-up'),
  },
  {
    name: 'a success wakes nobody',
    of: 'decision 117',
    covers: ({ check, story }) => isLate(check) && story.trail.includes('success'),
  },
  {
    name: 'what a busy receiver refused waits for its own next try',
    of: 'decision 117',
    covers: ({ check, story }) => (isLate(check) || story.duty === 'failover') && story.after === 'busy',
  },
  {
    name: 'an event that has to be acknowledged is closed after a day, and not after seven',
    of: 'decision 111',
    covers: ({ check, story }) => check === 'repeat-wrong' && story.form === 'event',
  },
];

function isLate(check: PeopleVerdict['check']): boolean {
  return check === 'unsent' || check === 'end-unsent' || check === 'summary-wrong' || check === 'repeat-wrong';
}

function wasHeld({ trail }: VerdictStory): boolean {
  return trail.includes('mute') || trail.includes('silence') || trail.includes('inhibition') || trail.includes('group');
}
