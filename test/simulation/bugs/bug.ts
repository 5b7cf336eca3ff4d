// What a bug is that is put into a copy of the sources on purpose, and how it must be noticed. Types alone.
import type { FaultKind } from '../faults/kinds.ts';
import type { Check, Watched } from '../model.ts';
import type { Duty, PeopleCheck } from '../people/verdict.ts';

export interface Edit {
  readonly file: string;
  /** Stands in the file once. */
  readonly find: string;
  readonly replace: string;
}

export interface Bug {
  readonly edits: readonly Edit[];
}

interface Simulated extends Bug {
  /** The faults under which it shows, where those are rare among all others; left out: every kind. */
  readonly under?: readonly FaultKind[];
  /** Of a history that meets what it takes; left out: that of all others. */
  readonly seed?: string;
  /** Left out: accounts. */
  readonly watched?: Watched;
}

/** Noticed by the oracle for alerts alone. */
export interface BugOfAlerts extends Simulated {
  /** What the oracle must call it; one of these is enough. */
  readonly caughtAs: readonly Check[];
}

/** Noticed by the oracle for people alone. */
export interface BugOfPeople extends Simulated {
  /** The check and the duty; one of these is enough. */
  readonly caughtAs: readonly `${PeopleCheck} ${Duty}`[];
}

/** Noticed by a test that is there for it: of the connection, which the simulation replaces, and of a plan. */
export interface TestedBug extends Bug {
  readonly tests: string;
  /** The name of the test that must fail. */
  readonly caughtBy: string;
}
