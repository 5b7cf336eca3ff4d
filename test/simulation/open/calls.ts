// Repeats, escalations and failovers.
import type { KnownOfPeople } from './entry.ts';
import { isNear } from './story.ts';

export const CALLS: readonly KnownOfPeople[] = [
  {
    name: 'events that were folded into one call nobody in',
    of: 'judge 1',
    met: { seed: 1, days: 3 },
    covers: ({ story }) =>
      (story.duty === 'step' || story.duty === 'failover') && story.isFolded && story.came === null,
  },
  {
    name: 'what was accepted before the dispatcher noticed that the clock was set is moved with it',
    of: 'judge 20',
    met: null,
    covers: ({ check, story }) =>
      check === 'repeat-wrong' && story.duty === 'repeat' && isNear(story, 'just-jumped') && !isNear(story, 'woken'),
  },
  {
    name: 'events that were folded into one are counted as one below the list of a message',
    of: 'judge 8',
    met: { seed: 27, days: 1 },
    covers: ({ check, story }) => check === 'summary-wrong' && story.duty === 'counts' && story.isFolded,
  },
];
