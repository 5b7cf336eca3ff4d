// What is decided wrongly about alerts.
import type { KnownOfAlerts } from './entry.ts';

export const OF_ALERTS: readonly KnownOfAlerts[] = [
  {
    name: 'a watch with office hours is blind at night',
    of: 'finding 4',
    met: { seed: 2, days: 3 },
    covers: ({ check, watch }) => check === 'invented' && watch === 'office',
  },
  {
    name: 'a report is told as unknown where one poll was bad',
    of: 'finding 8',
    met: { seed: 1, days: 3, under: ['missing-field'] },
    covers: ({ check, watch, what }) =>
      check === 'invented' && watch === 'report' && what.endsWith('was told without its value'),
  },
  {
    name: 'a report with a condition is lost where one poll was bad',
    of: 'finding 8',
    met: { seed: 1, days: 3, under: ['missing-field'] },
    covers: ({ check, watch, what }) =>
      check === 'lost' && watch === 'report' && /^few: .* after a poll that did not know its value$/.test(what),
  },
  {
    name: 'a count goes on under another meaning',
    of: 'finding 9',
    met: { seed: 19, days: 1 },
    covers: ({ watch, check, what }) =>
      watch === 'tally' && (check === 'lost' || check === 'invented') && / (after|before) an edit$/.test(what),
  },
];
