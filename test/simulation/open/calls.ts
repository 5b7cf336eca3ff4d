// Repeats, escalations and failovers, and what is said when an acknowledgement ends or a severity is raised.
import type { KnownOfPeople } from './entry.ts';

export const CALLS: readonly KnownOfPeople[] = [
  {
    name: 'a raised severity is heard by nobody',
    of: 'decision 114',
    met: { seed: 6, days: 3 },
    covers: ({ story }) => story.duty === 'raised',
  },
  {
    name: 'nobody is told that an acknowledgement has ended',
    of: 'finding 2',
    met: { seed: 1, days: 3 },
    covers: ({ check, story }) => check === 'unsent' && story.duty === 'ack-ended',
  },
  {
    name: 'who was called in once is told of each later episode at once',
    of: 'finding 3',
    met: { seed: 1, days: 3 },
    covers: ({ check, story }) => check === 'step-wrong' && ['early', 'acknowledged'].includes(story.duty),
  },
  {
    name: 'events that were folded into one call nobody in',
    of: 'judge 1',
    met: { seed: 3, days: 3 },
    covers: ({ story }) => (story.duty === 'step' || story.duty === 'failover') && story.isFolded,
  },
  {
    name: 'an acknowledgement that ends does not begin the steps again',
    of: 'finding 2',
    met: { seed: 2, days: 3 },
    covers: ({ story }) => story.duty === 'step' && story.form === 'condition',
  },
  {
    name: 'steps of an edited list are counted by their position',
    of: 'finding 12',
    met: { seed: 1, days: 3 },
    covers: ({ story }) => story.duty === 'step' && story.form === 'event',
  },
];
