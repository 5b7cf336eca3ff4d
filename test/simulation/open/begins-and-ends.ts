// Begins and ends of conditions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';
import { isOverOneCap } from './story.ts';

export const BEGINS_AND_ENDS: readonly KnownOfPeople[] = [
  {
    name: 'what waits to be told is told as firing though its rule was changed or removed, and its end never',
    of: 'finding 10',
    met: { seed: 3, days: 2, under: ['flap', 'silence', 'rule-turned', 'rule-turned-back'] },
    covers: ({ check, story }) =>
      story.near.includes('edited') &&
      ((check === 'stale' && story.duty === 'begin') || (check === 'end-unsent' && story.came === null)),
  },
  {
    name: 'an end over the cap that a silence or an inhibition would hold waits for a free place',
    of: 'judge 6',
    met: { seed: 4, days: 3 },
    covers: ({ story }) =>
      story.duty === 'end' && story.came === 'news' && story.near.includes('held') && isOverOneCap(story),
  },
];
