// Events, corrections and retractions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';
import { isNear } from './story.ts';

export const EVENTS: readonly KnownOfPeople[] = [
  {
    name: 'what was closed before a hold is tried for the first time in it',
    of: 'decision 116',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => check === 'against-a-hold' && isNear(story, 'closed-before'),
  },
];
