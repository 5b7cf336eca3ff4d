// The hourly sweep. It reads the blocks of the look-back that are below those of every poll.
import type { Fields } from '../../core/values/fields.ts';
import type { ListQuestion, Read } from '../../core/model/watch/question.ts';
import type { Heights } from '../../core/model/detection.ts';
import { lowestToSweep } from '../lists/look-back.ts';
import type { OlderReading } from '../lists/older-rows.ts';
import type { ListState } from '../list-state.ts';
import type { RangeOptions } from './range-options.ts';
import { limitOf, nullIfMissed, readEachUpwards, type UpwardReading } from './read-upwards.ts';

interface SweepOptions<F extends Fields> extends RangeOptions<F> {
  /** The lowest block that the poll read already. */
  readonly below: number;
  readonly isBusy: boolean;
}

/** Resolves with null if the sweep cannot be read now. The sweep goes on in the next poll. */
export async function sweepRange<F extends Fields>(
  state: ListState,
  { sweepPage }: Read,
  options: SweepOptions<F>,
): Promise<OlderReading<F> | null> {
  const { open } = state.sweep;
  if (open === null || sweepPage === undefined) return null;
  const { below, own, maxPages } = options;
  const from = Math.max(lowestToSweep(state), Number(open.resume?.['fromBlock'] ?? 0));
  const done = { from: open.resume, resume: null, isComplete: true, heights: [] };
  if (from >= below) return { rows: [], gaps: [], sweep: done, covered: [] };
  const limit = limitOf({ page: sweepPage }, options, maxPages);
  const reading = await readEachUpwards(questionsOf(options), { from, to: below - 1 }, limit).catch(nullIfMissed);
  if (reading === null) return null;
  const { stopped, overfull } = reading;
  const end = stopped?.from ?? below;
  // Rows that are missing in such blocks may come later, so the blocks are not covered.
  const heights = reading.isUnfinished ? [] : heightsOf(reading, from, end);
  const untraced = reading.isUnfinished && from < end ? { untraced: { from, to: end - 1 } } : {};
  const resume = stopped === null ? null : { fromBlock: String(stopped.from) };
  const sweep = { from: open.resume, resume, isComplete: stopped === null, heights, overfull, ...untraced };
  return { rows: own(reading.rows), gaps: [], sweep, covered: heights };
}

function questionsOf<F extends Fields>({ isBusy, each, all }: SweepOptions<F>): readonly ListQuestion<F>[] {
  return isBusy || all === null ? each : [all];
}

/** The heights from `from` to below `end`, without the overfull blocks. */
function heightsOf<F extends Fields>({ overfull }: UpwardReading<F>, from: number, end: number): readonly Heights[] {
  const bounds = [from - 1, ...overfull.toSorted((a, b) => a - b), end];
  return bounds
    .slice(1)
    .map((bound, i) => ({ from: (bounds[i] ?? 0) + 1, to: bound - 1 }))
    .filter((heights) => heights.from <= heights.to);
}
