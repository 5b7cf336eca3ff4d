// What the cap, summaries and receivers that fail do to messages.
import type { KnownOfPeople } from './entry.ts';
import { isLate, isNear } from './story.ts';

export const CHANNELS_AND_CAPS: readonly KnownOfPeople[] = [
  {
    name: 'a summary waits behind the retries of an earlier message about any of its alerts',
    of: 'judge 12',
    met: { seed: 2, days: 2 },
    covers: ({ check, story }) =>
      isLate(check) && story.kind === 'people' && isNear(story, 'sibling') && story.came?.endsWith('_summary') === true,
  },
];
