// Events, corrections and retractions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';

export const EVENTS: readonly KnownOfPeople[] = [
  {
    name: 'a reload that adds steps calls somebody in at once for critical events that happened before it',
    of: 'decision 111',
    met: { seed: 7, days: 5 },
    covers: ({ check, story: { duty, form, severity, near } }) =>
      check === 'step-wrong' &&
      duty === 'early' &&
      form === 'event' &&
      severity === 'critical' &&
      near.includes('renamed'),
  },
];
