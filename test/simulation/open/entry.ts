// One thing that the daemon is known to do wrong.
import type { FaultKind } from '../faults/kinds.ts';
import type { Verdict } from '../model.ts';
import type { PeopleVerdict } from '../people/verdict.ts';

interface Known {
  /** A sentence: what goes wrong. */
  readonly name: string;
  /** The number under which it was found, by hand or by the oracle for people, or of the decision that is not carried out. */
  readonly of: `finding ${number}` | `judge ${number}` | `decision ${number}`;
  /** Where it is met in any case; null: no history draws what it takes yet. */
  readonly met: Meets | null;
}

/** So many days of that seed: longer histories of it meet it too. */
export interface Meets {
  readonly seed: number;
  readonly days: number;
  /** The faults under which it is met, where those are rare among all others. Without: every kind. */
  readonly under?: readonly FaultKind[];
}

/** Of what is decided about alerts. */
export interface KnownOfAlerts extends Known {
  readonly covers: (verdict: Verdict) => boolean;
}

/** Of who is told. */
export interface KnownOfPeople extends Known {
  readonly covers: (verdict: PeopleVerdict) => boolean;
}

export type OpenEntry = KnownOfAlerts | KnownOfPeople;
