// Checks two conditions against each other: that `until` can end what `while` began, and that the `if` and the `of` of a
// ratio leave more than one answer.
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

const RATIO_HINT = 'of selects all the items that are counted, and if the part of them that fires:';
const RATIO_EXAMPLE = '`of: method == "swap"` with `if: status == "error"`';

/**
 * A ratio that is always 0 % is refused, since it never fires. One that is always 100 % fires like a count, so it is
 * loaded with a warning.
 */
export function complainOfRatio(
  { complain, warn }: Compiling,
  conditions: { readonly if: CompiledCondition | null; readonly of: CompiledCondition | null },
  path: Path,
): void {
  const { if: hit, of } = conditions;
  if (hit === null || of === null) return;
  const at = [...path, 'at_least', 'of'];
  const hint = `${RATIO_HINT} ${RATIO_EXAMPLE}. Without of, all items are counted.`;
  if (!isPossible(of.constraints.whenTrue, hit.constraints.whenTrue))
    complain(at, { message: 'if is never true of an item that of selects: the ratio is always 0 %', hint });
  else if (!isPossible(of.constraints.whenTrue, hit.constraints.whenFalse))
    warn(at, { message: 'if is true of every item that of selects: the ratio is always 100 %', hint });
}
