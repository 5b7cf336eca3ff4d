// Checks that the `if` and the `of` of a ratio leave more than one answer.
import type { Path } from '../../config/yaml/written.ts';
import { isPossible } from '../language/analysis/logic.ts';
import type { CompiledCondition } from '../language/model.ts';
import type { Compiling } from './model.ts';

const HINT = 'of selects all the items that are counted, and if the part of them that fires:';
const EXAMPLE = '`of: method == "swap"` with `if: status == "error"`';

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
  const hint = `${HINT} ${EXAMPLE}. Without of, all items are counted.`;
  if (!isPossible(of.constraints.whenTrue, hit.constraints.whenTrue))
    complain(at, { message: 'if is never true of an item that of selects: the ratio is always 0 %', hint });
  else if (!isPossible(of.constraints.whenTrue, hit.constraints.whenFalse))
    warn(at, { message: 'if is true of every item that of selects: the ratio is always 100 %', hint });
}
