// Events, corrections and retractions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';

export const EVENTS: readonly KnownOfPeople[] = [
  {
    name: 'an event that has to be acknowledged is closed after a day, and not after seven',
    of: 'decision 111',
    met: { seed: 1, days: 3 },
    covers: ({ check, story }) => check === 'repeat-wrong' && story.form === 'event',
  },
];
