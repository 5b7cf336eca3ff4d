// The paths whose samples are kept: those of windows, and for charts the amounts that the watch measures or its
// conditions read.
import type { WindowSpan } from '../model/watch/condition.ts';
import { figurePathsOf } from '../model/figures.ts';
import type { Watch } from '../model/watch/watch.ts';
import { typeAt } from '../values/fields.ts';

/** How far back a chart shows every sample. */
export const CHART_MS = 7 * 86_400_000;

export function sampledBy({
  kind,
  alerts,
  windows,
}: Pick<Watch, 'kind' | 'alerts' | 'windows'>): readonly WindowSpan[] {
  const charted = figurePathsOf({ kind, alerts }).filter((path) => {
    const type = typeAt(kind.fields, path)?.type;
    return type === 'amount' || type === 'double';
  });
  return [...windows, ...charted.map((path) => ({ path, ms: CHART_MS }))];
}
