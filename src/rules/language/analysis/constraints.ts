// The values that fields may have if a condition is true, and if it is false.
import type { Node } from '../syntax.ts';
import type { ValueSet } from './value-sets.ts';

export interface Constraint {
  readonly values: ValueSet;
  /** The parts of the condition that the constraint follows from. */
  readonly by: readonly Node[];
}

/** Constraints by subject. A subject without a constraint may have any value. */
export type Constraints = ReadonlyMap<string, Constraint>;

/** `clash`: the two parts that contradict each other; empty if one part alone is impossible. */
export type ConstraintResult = Constraints | { readonly clash: readonly Node[]; readonly why?: string };

/** The constraints if a condition is true, and if it is false. */
export interface TruthConstraints {
  readonly whenTrue: ConstraintResult;
  readonly whenFalse: ConstraintResult;
}
