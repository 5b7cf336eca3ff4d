// The thresholds of an alert that counts items: `at_least` and `none_for`.
import { quote } from '../../config/values/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Condition } from '../../core/model/watch/condition.ts';
import type { Threshold } from '../../core/model/watch/watch.ts';
import { unitDoubt } from '../language/analysis/smallest-units.ts';
import type { Language } from '../language/model.ts';
import { resolveNames, type Resolved } from '../language/reading/names.ts';
import type { WrittenAlert } from '../schema/shape.ts';
import type { Compiling } from './model.ts';

/**
 * `of` is the compiled condition; null if it is absent. Returns null if the alert counts nothing, or if a key is wrong.
 */
export function thresholdOf(
  compiling: Compiling,
  { at_least: atLeast, none_for: noneFor }: WrittenAlert,
  { path, language, of }: { readonly path: Path; readonly language: Language; readonly of: Condition | null },
): Threshold | null {
  if (atLeast === undefined) return noneFor === undefined ? null : { type: 'none-for', ms: noneFor };
  const { count, sum, than, ratio, min = 1, in_a_row: inARow, within: withinMs } = atLeast;
  if (inARow !== undefined) return { type: 'in-a-row', count: inARow };
  if (withinMs === undefined) return null;
  if (count !== undefined) return { type: 'at-least', count, withinMs };
  if (ratio !== undefined) return { type: 'ratio', part: ratio, of, min, withinMs };
  if (sum === undefined || than === undefined) return null;
  const summed = summedField(compiling, [...path, 'at_least', 'sum'], sum, language);
  if (summed === null) return null;
  const doubt = unitDoubt(summed.type, than);
  if (doubt !== null) compiling.warn([...path, 'at_least', 'than'], doubt);
  return { type: 'sum', path: summed.path, least: than, withinMs };
}

const NUMBERS: readonly string[] = ['amount', 'int', 'double'];

function summedField({ complain }: Compiling, at: Path, written: string, language: Language): Resolved | null {
  const found = resolveNames(language, written.split('.'), false);
  if ('failed' in found) {
    complain(at, { message: found.failed.message, hint: found.failed.hint });
    return null;
  }
  if ('path' in found && NUMBERS.includes(found.type.type)) return found;
  complain(at, {
    message: `${quote(written)} is no number: it cannot be added up`,
    hint: 'Name a field such as value.',
  });
  return null;
}
