// Events, corrections, ends and retractions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';

/** The longest group wait that any config of the simulation has. */
const GROUP_WAIT_MS = 600_000;

export const EVENTS: readonly KnownOfPeople[] = [
  {
    name: 'the end of a condition waits as long as a new group of its route, where its watch tells of events too',
    of: 'judge 21',
    met: null,
    covers: ({ check, story }) =>
      check === 'end-unsent' &&
      story.rule === 'state/paused' &&
      story.came === 'news' &&
      story.lateMs !== null &&
      story.lateMs <= GROUP_WAIT_MS,
  },
];
