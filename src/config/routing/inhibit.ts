// `inhibit` of the config: open alerts that mute others. The rules are compared with alerts in
// `src/rules/inhibit-use.ts`.
import { parseAt } from '../issues.ts';
import type { ConfigInhibit } from '../model.ts';
import type { Problem } from '../problem.ts';
import { InhibitShape } from './route-shape.ts';
import type { Source } from '../yaml/yaml.ts';

export function readInhibit(
  source: Source,
  written: readonly unknown[],
): { value: readonly ConfigInhibit[]; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const value = written.flatMap((one, i) => {
    const path = ['inhibit', i];
    const parsed = parseAt(InhibitShape, one, { source, path });
    if ('value' in parsed) return [{ path, ...parsed.value }];
    problems.push(...parsed.problems);
    return [];
  });
  return { value, problems };
}
