// Adds the rows of a reading to the memory of a list.
import type { Fields, View } from '../../core/values/fields.ts';
import { createPace, type Steps } from '../../lib/steps.ts';
import { type ListState, remembering, type RowPosition } from '../list-state.ts';
import { type BlockByKey, MOST_LINKED_ROWS, MOST_ROWS, PENDING } from '../seen-rows.ts';
import { digestsAfter } from './changed-rows.ts';
import type { DetectOptions } from './list-reading.ts';
import { marked, type Marks } from './look-back.ts';
import { positionOf, type RowKey } from './row-key.ts';

export function* remember<F extends Fields>(
  state: Omit<ListState, 'seen'>,
  before: BlockByKey,
  rows: readonly View<F>[],
  { row, scope }: Pick<DetectOptions<F>, 'row' | 'scope'>,
): Steps<ListState> {
  const blockByKey = new Map(before);
  const isStep = createPace();
  for (const view of rows) {
    const { key = '', block } = positionOf(row, view);
    // Moves the row to the end: if there are too many pending rows, only the last ones are kept.
    blockByKey.delete(key);
    blockByKey.set(key, block);
    if (isStep(0)) yield;
  }
  const most = row.isChain === true ? MOST_LINKED_ROWS : MOST_ROWS;
  const marks = row.isChain === true ? state.marks : markedBy(state, rows, row);
  const after = yield* remembering({ ...state, marks }, blockByKey, { read: rows.length, most });
  yield;
  return { ...after, digests: yield* digestsAfter(state.digests, before, rows, { row, scope, seen: after.seen }) };
}

/** Adds a mark for the newest row, but not for one below the floor, since such rows are never new. */
function markedBy<F extends Fields>(
  { marks, floor }: Pick<ListState, 'marks' | 'floor'>,
  rows: readonly View<F>[],
  row: RowKey<F>,
): Marks {
  const newest = rows
    .map((view) => positionOf(row, view))
    .reduce<RowPosition | null>((most, one) => (one.block > (most?.block ?? PENDING) ? one : most), null);
  return newest === null || newest.happenedAt === null || newest.block < floor
    ? marks
    : marked(marks, newest.block, newest.happenedAt);
}
