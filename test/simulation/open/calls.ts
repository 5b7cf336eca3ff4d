// Repeats, escalations and failovers.
import type { KnownOfPeople } from './entry.ts';
import { isNear } from './story.ts';

export const CALLS: readonly KnownOfPeople[] = [
  {
    name: 'what was accepted before the dispatcher noticed that the clock was set is moved with it',
    of: 'judge 20',
    met: null,
    covers: ({ check, story }) =>
      check === 'repeat-wrong' && story.duty === 'repeat' && isNear(story, 'just-jumped') && !isNear(story, 'woken'),
  },
];
