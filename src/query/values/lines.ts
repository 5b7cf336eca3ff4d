// The points of the sparkline that is shown beside a value.
import type { Memory, Run } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { limitOf } from './measure.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import { withStored } from '../../core/alerts/history.ts';
import type { PathOfWatch } from '../../store/contract/samples.ts';
import type { Point } from '../shapes/common.ts';
import type { QueryContext } from '../view.ts';

/**
 * The path of the field that is drawn for a watch. It is the path that a condition compares with a constant. If there
 * is none, it is the path that the kind measures, or else the first path whose samples are kept. Null if there is none
 * of these.
 */
export function drawnPath({ kind, alerts, sampled }: Watch): string | null {
  for (const alert of alerts) {
    const limit = alert.type === 'condition' ? limitOf(alert.while) : null;
    if (limit !== null) return limit.subject.type === 'window' ? limit.subject.window.path : limit.subject.path;
  }
  return kind.while?.measured ?? sampled[0]?.path ?? null;
}

/** The paths with a history; the drawn path is first. */
export function drawnPaths(watch: Watch, { history }: Memory): string[] {
  const first = drawnPath(watch);
  const paths = Object.keys(history);
  return paths.toSorted((a, b) => Number(b === first) - Number(a === first));
}

const MOST_RUNS = 100_000;

/** The runs of a path that ended after `since`, oldest first: the stored ones, then the open one. */
export async function runsSince(
  store: QueryContext['store'],
  of: PathOfWatch,
  { memory, since }: { readonly memory: Memory; readonly since: Instant },
): Promise<readonly Run[]> {
  return withOpenRun(memory, of.path, await store.samplesAfter(of, since - 1, MOST_RUNS));
}

/** The stored runs of a path, and the open one. */
export function withOpenRun(memory: Memory, path: string, stored: readonly Run[]): readonly Run[] {
  return withStored(memory, { [path]: stored }).history[path] ?? [];
}

const MOST_POINTS = 120;

/** The kept values after `since`, oldest first: the start of each run, and the present value. */
export async function linesOf({ store, runtime }: QueryContext, watch: Watch, since: Instant): Promise<Point[]> {
  const path = drawnPath(watch);
  const memory = runtime.readings.memoryOf(watch.id);
  if (path === null || memory?.history[path] === undefined) return [];
  const recent = await runsSince(store, { watch: watch.id, path }, { memory, since });
  return pointsSince(recent, since, memory.coveredUntil);
}

export function pointsSince(runs: readonly Run[], since: Instant, coveredUntil: Instant | null): Point[] {
  const recent = runs.filter(([, until]) => until === null || until >= since);
  const points = recent.map(([from, , value]): Point => [showInstant(Math.max(from, since)), value]);
  const last = recent.at(-1);
  if (last === undefined || coveredUntil === null) return points;
  return [...thinned(points), [showInstant(Math.max(coveredUntil, last[0])), last[2]]];
}

/** Leaves out points, since a small line cannot show more than `MOST_POINTS`. */
function thinned(points: readonly Point[]): Point[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return step <= 1 ? [...points] : points.filter((_point, i) => i % step === 0);
}
