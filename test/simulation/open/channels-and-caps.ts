// What the cap, summaries and receivers that fail do to messages.
import type { KnownOfPeople } from './entry.ts';
import { isLate, wasHeld } from './story.ts';

export const CHANNELS_AND_CAPS: readonly KnownOfPeople[] = [
  {
    name: 'what went into a summary could have been told by itself',
    of: 'decision 103',
    met: { seed: 1, days: 3 },
    covers: ({ check, story }) => isLate(check) && story.came === 'overflow_summary',
  },
  {
    name: 'what was held is not in the summary of the cap, and waits for a free place',
    of: 'judge 2',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => isLate(check) && story.came !== null && wasHeld(story),
  },
  {
    name: 'what was given up is not tried again with the repeats',
    of: 'finding 11',
    met: { seed: 5, days: 3 },
    covers: ({ check, story }) => isLate(check) && story.trail.includes('given-up'),
  },
  {
    name: 'a success wakes nobody',
    of: 'decision 117',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => isLate(check) && story.trail.includes('success'),
  },
  {
    name: 'what a busy receiver refused waits for its own next try',
    of: 'decision 117',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => (isLate(check) || story.duty === 'failover') && story.after === 'busy',
  },
];
