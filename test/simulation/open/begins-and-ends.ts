// Begins and ends of conditions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';
import { isLate, wasHeld } from './story.ts';

export const BEGINS_AND_ENDS: readonly KnownOfPeople[] = [
  {
    name: 'a reload tells nobody whom it names of what is open or waits',
    of: 'finding 1',
    met: { seed: 1, days: 3 },
    covers: ({ check, story }) => check === 'unsent' && story.duty === 'reload',
  },
  {
    name: 'what is held keeps the labels that its rule had before a reload',
    of: 'finding 1',
    met: { seed: 4, days: 3 },
    covers: ({ check, story }) => isLate(check) && story.came === null && wasHeld(story),
  },
];
