// What the condition of one alert compares, at the last poll: also where it looks back over a window.
import { historyOf } from '../../core/alerts/history.ts';
import type { ConditionAlert, Watch } from '../../core/model/watch/watch.ts';
import { HOLE } from '../../core/windows/hole.ts';
import { runsSince } from './lines.ts';
import { limitOf, readingOf, type MeasuredValue } from './measure.ts';
import type { RuntimeView, QueryContext } from '../view.ts';

/** Null: nothing was read yet. */
export async function readingFor(
  { store, runtime }: QueryContext,
  watch: Watch,
  alert: ConditionAlert,
): Promise<MeasuredValue | null> {
  const reading = readingOf(runtime.figuresOf(watch.id), hasOldData(runtime, watch));
  const memory = runtime.memoryOf(watch.id);
  const subject = limitOf(alert.while)?.subject;
  if (reading === null || memory === null || subject?.type !== 'window') return reading;
  const { path, ms } = subject.window;
  const { intervalMs } = watch.schedule;
  const since = reading.at - ms - HOLE * intervalMs;
  const runs = await runsSince(store, { watch: watch.id, path }, { memory, since });
  const history = historyOf({ [path]: runs }, { at: reading.at, coveredUntil: memory.coveredUntil, intervalMs });
  return { ...reading, valueOf: (of) => (of.type === 'window' ? history(of.window) : reading.valueOf(of)) };
}

/** What was read last was not good. */
export function hasOldData(runtime: RuntimeView, { id }: Watch): boolean {
  const state = runtime.memoryOf(id)?.data?.state ?? 'ok';
  return state !== 'ok' || runtime.figuresOf(id)?.isStale === true;
}
