// What the cap, summaries and receivers that fail do to messages.
import type { KnownOfPeople } from './entry.ts';
import { isLate, isNear, isOfHeld, isOverOneCap, isOwed, wasHeld } from './story.ts';

export const CHANNELS_AND_CAPS: readonly KnownOfPeople[] = [
  {
    name: 'a receiver that is gone is not tried again until a reload or a restart',
    of: 'decision 117',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => isOwed(check) && isNear(story, 'parked'),
  },
  {
    name: 'a success wakes nobody',
    of: 'decision 117',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => isOwed(check) && isNear(story, 'woken'),
  },
  {
    name: 'a next try waits longer than its own wait once the clock was set back',
    of: 'judge 15',
    met: { seed: 23, days: 2 },
    covers: ({ check, story }) => isOwed(check) && story.after === 'schedule' && isNear(story, 'set-back'),
  },
  {
    name: 'what was given up is not tried again with the repeats',
    of: 'finding 11',
    met: { seed: 6, days: 1 },
    covers: ({ check, story }) => isLate(check) && (story.trail.includes('given-up') || isNear(story, 'given-up')),
  },
  {
    name: 'while the last summary lies ahead of the clock, which was set back, none goes out',
    of: 'judge 10',
    met: { seed: 4, days: 3 },
    covers: ({ check, story }) => isLate(check) && isNear(story, 'summary-ahead') && !isNear(story, 'retrying'),
  },
  {
    name: 'messages of before the clock was set back are counted again by the cap when it shows their time',
    of: 'judge 9',
    met: { seed: 3, days: 3 },
    covers: ({ check, story }) =>
      isLate(check) && story.kind === 'people' && isNear(story, 'over-by-clock') && !isNear(story, 'retrying'),
  },
  {
    name: 'critical messages and all others share one cap, of which summaries own a place in each slot',
    of: 'decision 103',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) =>
      isLate(check) && isOverOneCap(story) && (!wasHeld(story) || story.came === 'overflow_summary'),
  },
  {
    name: 'what was held is not in the summary of the cap, and waits for a free place',
    of: 'judge 2',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) =>
      isLate(check) && isOverOneCap(story) && wasHeld(story) && story.came !== 'overflow_summary',
  },
  {
    name: 'summaries of all kinds share one place of ten minutes',
    of: 'decision 103',
    met: { seed: 36, days: 1 },
    covers: ({ check, story }) => isLate(check) && isOfHeld(story) && isNear(story, 'summary-before'),
  },
  {
    name: 'a message about several alerts waits behind the retries of an earlier one about any of them',
    of: 'judge 12',
    met: { seed: 2, days: 3 },
    covers: ({ check, story }) => isLate(check) && story.kind === 'people' && isNear(story, 'sibling'),
  },
];
