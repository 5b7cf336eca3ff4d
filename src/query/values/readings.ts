// The values that one alert's condition compares, as of the last poll, including windows of the history.
import { historyOf } from '../../core/alerts/history.ts';
import type { Memory, Run } from '../../core/model/memory.ts';
import type { WindowHistory, WindowSpan } from '../../core/model/watch/condition.ts';
import { isLongOverdue } from '../../core/model/watch/schedule.ts';
import { paceIn, type ConditionAlert, type Watch } from '../../core/model/watch/watch.ts';
import { HOLE } from '../../core/windows/hole.ts';
import type { Instant } from '../../lib/clock.ts';
import { runsSince } from './lines.ts';
import { limitOf, readingOf, type MeasuredValue } from './measure.ts';
import type { RuntimeView, QueryContext } from '../view.ts';

/** Null if nothing was read yet. */
export async function readingFor(
  view: QueryContext,
  watch: Watch,
  alert: ConditionAlert,
): Promise<MeasuredValue | null> {
  const { runtime } = view;
  const memory = runtime.readings.memoryOf(watch.id);
  const goodAt = memory?.coveredUntil ?? null;
  const reading = readingOf(runtime.readings.figuresOf(watch.id), { isOld: isOutOfDate(view, watch, goodAt), goodAt });
  const subject = limitOf(alert.while)?.subject;
  if (reading === null || memory === undefined || subject?.type !== 'window') return reading;
  const history = await historyAt(view, watch, { memory, windows: [subject.window], at: reading.at });
  return { ...reading, valueOf: (of) => (of.type === 'window' ? history?.(of.window) : reading.valueOf(of)) };
}

interface PastWindows {
  readonly memory: Memory;
  readonly windows: readonly WindowSpan[];
  readonly at: Instant;
}

/**
 * The values of these windows as of `at`, from stored runs and the open one; null: watches of this kind have no
 * windows.
 */
export async function historyAt(
  { store }: Pick<QueryContext, 'store'>,
  watch: Watch,
  { memory, windows, at }: PastWindows,
): Promise<WindowHistory | null> {
  if (watch.kind.while === null) return null;
  const intervalMs = paceIn(memory, watch);
  const samples: Record<string, readonly Run[]> = {};
  for (const [path, spans] of Map.groupBy(windows, (span) => span.path)) {
    const since = at - Math.max(...spans.map(({ ms }) => ms)) - HOLE * intervalMs;
    samples[path] = await runsSince(store, { watch: watch.id, path }, { memory, since });
  }
  return historyOf(samples, { at, coveredUntil: memory.coveredUntil, intervalMs, wantedMs: watch.schedule.intervalMs });
}

/** True if the last answer was not usable, or if three polls were missed. */
export function isOutOfDate({ runtime, now }: QueryContext, watch: Watch, readAt: Instant | null): boolean {
  const paceMs = paceIn(runtime.readings.memoryOf(watch.id), watch);
  return hasOldData(runtime, watch) || isLongOverdue(watch, readAt, now, paceMs);
}

/** True if the last answer was not usable, or its figures are stale. */
export function hasOldData(runtime: RuntimeView, { id }: Watch): boolean {
  const state = runtime.readings.memoryOf(id)?.data?.state ?? 'ok';
  return state !== 'ok' || runtime.readings.figuresOf(id)?.isStale === true;
}
