// Begins and ends of conditions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';
import { isOverOneCap } from './story.ts';
import type { VerdictStory } from '../people/verdict.ts';

export const BEGINS_AND_ENDS: readonly KnownOfPeople[] = [
  {
    name: 'a reload tells nobody whom it names of what is open or waits',
    of: 'finding 1',
    met: { seed: 3, days: 3 },
    covers: ({ check, story }) => check === 'unsent' && isLostInReload(story),
  },
  {
    name: 'what waits to be told is told as firing though its rule was changed or removed, and its end never',
    of: 'finding 10',
    met: { seed: 3, days: 2, under: ['flap', 'silence', 'rule-turned', 'rule-turned-back'] },
    covers: ({ check, story }) =>
      story.near.includes('edited') &&
      ((check === 'stale' && story.duty === 'begin') || (check === 'end-unsent' && story.came === null)),
  },
  {
    name: 'a begin is told after its end, where another message about its alert waited for its next try',
    of: 'judge 5',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) =>
      check === 'stale' &&
      story.duty === 'begin' &&
      story.form === 'condition' &&
      story.near.includes('behind-a-retry'),
  },
  {
    name: 'an end over the cap that a silence or an inhibition would hold waits for a free place',
    of: 'judge 6',
    met: { seed: 4, days: 3 },
    covers: ({ story }) =>
      story.duty === 'end' && story.came === 'news' && story.near.includes('held') && isOverOneCap(story),
  },
];

/**
 * Those whom no config named when it began hear of it only from a step or a failover; and never, in one line, of what was
 * over before it was sent.
 */
function isLostInReload({ duty, came, near }: VerdictStory): boolean {
  return near.includes('renamed') && (duty === 'reload' || (duty === 'short' && came === null));
}
