// What the daemon is known to do wrong. Each entry names verdicts as narrowly as it can; a verdict without an entry is
// new, and an entry that its seed does not meet is out of date. Once it is mended an entry becomes a seeded bug.
import type { FaultKind } from './faults/kinds.ts';
import type { Verdict } from './model.ts';
import { KNOWN_OF_PEOPLE } from './open-people.ts';
import type { PeopleVerdict } from './people/verdict.ts';

interface Known {
  readonly name: string;
  /** The number under which it was found, or of the decision that is not carried out yet. */
  readonly of: `finding ${number}` | `decision ${number}`;
  /** Where it is met in any case; null: it is rare. */
  readonly met: Meets | null;
}

interface Meets {
  readonly seed: number;
  readonly days: number;
  /** The faults under which it is met, where those are rare among all others; null: every kind. */
  readonly under: readonly FaultKind[] | null;
}

/** Of alerts, or of who is told of them. */
export type OpenEntry =
  | (Known & { readonly oracle: 'alerts'; readonly covers: (verdict: Verdict) => boolean })
  | (Known & { readonly oracle: 'people'; readonly covers: (verdict: PeopleVerdict) => boolean });

const OF_ALERTS: readonly OpenEntry[] = [
  {
    name: 'a watch with office hours is blind at night',
    of: 'finding 4',
    oracle: 'alerts',
    met: { seed: 1, days: 5, under: null },
    covers: ({ check, watch }) => check === 'invented' && watch === 'office',
  },
  {
    name: 'a token that leaves is not told where the rule asks what it is',
    of: 'finding 5',
    oracle: 'alerts',
    met: { seed: 1, days: 5, under: null },
    covers: ({ check, watch, what }) => check === 'lost' && watch === 'leaving' && what.endsWith('was not told'),
  },
  {
    name: 'an end that was not told begins the cooldown again',
    of: 'finding 6',
    oracle: 'alerts',
    met: { seed: 1, days: 2, under: ['late-call'] },
    covers: ({ check, watch, what }) => check === 'lost' && watch === 'dip' && what.includes('held and did not fire'),
  },
  {
    name: 'a report is told as unknown where one poll was bad',
    of: 'finding 8',
    oracle: 'alerts',
    met: null,
    covers: ({ check, watch, what }) =>
      check === 'invented' && watch === 'report' && what.endsWith('was told without its value'),
  },
  {
    name: 'a report with a condition is lost where one poll was bad',
    of: 'finding 8',
    oracle: 'alerts',
    met: null,
    covers: ({ check, watch, what }) => check === 'lost' && watch === 'report' && what.startsWith('few:'),
  },
  {
    name: 'a count goes on under another meaning',
    of: 'finding 9',
    oracle: 'alerts',
    met: null,
    covers: ({ watch, check }) => watch === 'tally' && (check === 'lost' || check === 'invented'),
  },
];

export const OPEN: readonly OpenEntry[] = [
  ...OF_ALERTS,
  ...KNOWN_OF_PEOPLE.map((known): OpenEntry => ({ ...known, oracle: 'people', met: null })),
];
