import { quote } from '../../config/values/scalars.ts';
import { BUILT_IN_RULE } from '../../core/model/ids.ts';
import type { Loading, WatchSource } from './model.ts';

/**
 * Reports a problem if another watch or report has the same id. An id must be unique among both, because a silence
 * selects alerts by the id.
 */
export function claimId(
  { ids, problems }: Pick<Loading, 'ids' | 'problems'>,
  { source, path }: WatchSource,
  id: string,
): void {
  const at = [...path, 'id'];
  if (id === BUILT_IN_RULE)
    problems.push(
      source.problem(at, {
        message: `${quote(id)} is the built-in watch, whose alerts are about the daemon itself`,
        hint: 'Give it another id.',
      }),
    );
  const first = ids.get(id);
  if (first === undefined) ids.set(id, `${source.file}:${source.lineOf(at)}`);
  else
    problems.push(
      source.problem(at, {
        message: `the id ${quote(id)} is used already at ${first}`,
        hint: 'Ids are unique over all files.',
      }),
    );
}
