// Checks that `until` can end an alert that `while` began.
import { quote } from '../../config/values/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import { typeAt } from '../../core/values/fields.ts';
import { isPossible } from '../language/analysis/logic.ts';
import type { CompiledCondition } from '../language/model.ts';
import { overlapOf, type IsWhole } from '../overlap.ts';
import type { Compiling } from './model.ts';

export function complainOfPair(
  compiling: Compiling,
  conditions: { readonly while: CompiledCondition | null; readonly until: CompiledCondition | null },
  path: Path,
): void {
  const { while: held, until } = conditions;
  if (held === null || until === null) return;
  const message = pairMistake(compiling, { while: held, until });
  const hint = 'until is what ends it, such as `until: balance > 200` of `while: balance < 100`.';
  if (message !== null) compiling.complain([...path, 'until'], { message, hint });
}

interface Pair {
  readonly while: CompiledCondition;
  readonly until: CompiledCondition;
}

/** The mistake of an `until` that is never true, holds whenever `while` does, or can be true together with it. */
function pairMistake({ kind }: Compiling, { while: held, until }: Pair): string | null {
  if (!isPossible(held.constraints.whenFalse, until.constraints.whenTrue))
    return 'until is never true once while is false: the alert would never end';
  if (!isPossible(held.constraints.whenTrue, until.constraints.whenFalse))
    return 'until holds whenever while does: it does not tell the end from the beginning';
  const isWhole: IsWhole = (subject) => subject.type === 'field' && typeAt(kind.fields, subject.path)?.type === 'int';
  const overlap = overlapOf(held.clause(), until.clause(), isWhole);
  if (overlap === null) return null;
  return `while ${quote(overlap.one.text)} and until ${quote(overlap.other.text)} can both be true at once`;
}
