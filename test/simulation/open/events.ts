// Events, corrections and retractions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';
import { isNear } from './story.ts';

export const EVENTS: readonly KnownOfPeople[] = [
  {
    name: 'events that are retracted together stay open, and their steps still call people in',
    of: 'judge 13',
    met: { seed: 21, days: 2 },
    covers: ({ check, story }) =>
      story.form === 'event' &&
      isNear(story, 'ended-together') &&
      (story.duty === 'early' ||
        (check === 'stale' && story.duty === 'begin') ||
        (check === 'end-unsent' && isNear(story, 'renamed'))),
  },
  {
    name: 'ends that are folded into one line are held like news',
    of: 'judge 14',
    met: { seed: 26, days: 1 },
    covers: ({ check, story }) => check === 'end-unsent' && isNear(story, 'ended-together') && isNear(story, 'held'),
  },
  {
    name: 'an event that was held from a program, and was acknowledged meanwhile, is never told to it',
    of: 'decision 108',
    met: { seed: 26, days: 1 },
    covers: ({ check, story }) =>
      check === 'unsent' &&
      story.form === 'event' &&
      story.kind !== 'people' &&
      story.after === 'ack' &&
      story.came === null,
  },
  {
    name: 'what was closed before a hold is tried for the first time in it',
    of: 'decision 116',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => check === 'against-a-hold' && isNear(story, 'closed-before'),
  },
];
