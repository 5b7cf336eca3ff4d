// Events, corrections and retractions that are told wrongly, or not at all.
import type { VerdictStory } from '../people/verdict.ts';
import type { KnownOfPeople } from './entry.ts';
import { isNear } from './story.ts';

export const EVENTS: readonly KnownOfPeople[] = [
  {
    name: 'an event that has to be acknowledged is closed after a day, and not after seven',
    of: 'decision 111',
    met: { seed: 1, days: 3 },
    covers: ({ story }) => story.form === 'event' && isNear(story, 'a-day-old') && isCalledNoMore(story),
  },
  {
    name: 'an event that the summary of a silence or an inhibition told of counts as untold, so nobody hears what becomes of it',
    of: 'judge 11',
    met: { seed: 12, days: 3 },
    covers: ({ story }) =>
      story.form === 'event' &&
      story.near.includes('counted') &&
      (story.duty === 'member-missing' || (['change', 'end', 'repeat'].includes(story.duty) && story.came === null)),
  },
  {
    name: 'what was closed before a hold is tried for the first time in it',
    of: 'decision 116',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => check === 'against-a-hold' && story.near.includes('closed-before'),
  },
];

function isCalledNoMore({ duty, came }: VerdictStory): boolean {
  return duty === 'member-missing' || ((duty === 'repeat' || duty === 'step') && came === null);
}
