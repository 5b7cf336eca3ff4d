import type { Fields, View } from '../../core/values/fields.ts';
import type { ListState } from '../list-state.ts';
import type { ListReading } from '../lists/list-reading.ts';
import { positionOf, type RowKey } from '../lists/row-key.ts';
import { isUnchangedPage } from '../newest-first-list.ts';
import { pack, unpack } from '../seen-rows.ts';
import type { AskedParts } from './asked.ts';

interface Parts<F extends Fields> {
  readonly asked: AskedParts;
  readonly row: RowKey<F>;
  readonly partOf: (row: View<F>) => string;
}

/**
 * A reload may add a part to the target of a watch. Rows of this part that happened before the reload are not new, so
 * they are added to the known rows of the state. To decode rows takes time. They are read only if the reload is not
 * handled yet or the page has changed.
 */
export function withOldRows<F extends Fields>(
  state: ListState,
  seen: ListReading<F>,
  { asked, row, partOf }: Parts<F>,
): ListState {
  const ready = state.asked === asked ? state : { ...state, asked };
  const isDone = state.asked === asked && isUnchangedPage(seen.content, state);
  if (isDone || Object.keys(asked.since).length === 0) return ready;
  const blockByKey = unpack(state.seen);
  const known = blockByKey.size;
  // The hourly sweep may be the first to read them.
  for (const view of [...seen.rows, ...(seen.older?.rows ?? [])]) {
    const { key, block, happenedAt } = positionOf(row, view);
    const since = asked.since[partOf(view)];
    const isOld = since !== undefined && happenedAt !== null && happenedAt <= since && block > state.floor;
    if (isOld && key !== undefined && !blockByKey.has(key)) blockByKey.set(key, block);
  }
  return blockByKey.size === known ? ready : { ...ready, seen: pack(blockByKey) };
}
