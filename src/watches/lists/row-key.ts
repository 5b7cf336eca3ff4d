// Identity and position of the rows of a list.
import type { AnyView, Fields, View } from '../../core/values/fields.ts';
import type { ListHistory } from '../../core/model/watch/kind.ts';
import type { Cursor } from '../../core/model/watch/question.ts';
import type { ListState, RowPosition } from '../list-state.ts';
import { isPending, keyOf, PENDING } from '../seen-rows.ts';

export interface RowKey<F extends Fields> {
  /** Undefined: the row cannot be identified. */
  identityOf(row: View<F>): string | undefined;
  /** The block of a row; undefined while it is pending. */
  blockOf(row: View<F>): bigint | undefined;
  /**
   * The block that a row names, even if the row still counts as pending. If this block is at or below the floor, the
   * row is not new.
   */
  standsIn?(row: View<F>): bigint | undefined;
  happenedAt(row: View<F>): Date | undefined;
  /** Each row is a block, and names the one below. */
  readonly isChain?: true;
  /** The position after a row, for servers whose own cursor does not move. */
  cursorFrom(row: View<F>): Cursor | null;
}

/** The block of the item, for tracking it. */
export function placeOf<F extends Fields>(row: RowKey<F>, view: View<F>): number | 'pending' {
  const block = row.blockOf(view);
  return block === undefined ? 'pending' : Number(block);
}

/** The functions on rows that a replay needs. */
export function historyOf<F extends Fields>(row: RowKey<F>): ListHistory {
  const own = (view: AnyView) => view as View<F>;
  return {
    timeOf: (view) => row.happenedAt(own(view))?.getTime() ?? null,
    identityOf: (view) => row.identityOf(own(view)),
    blockOf(view) {
      const block = row.blockOf(own(view));
      return block === undefined ? null : Number(block);
    },
  };
}

/** True if a row that was pending has its block now. */
export function isMinedNow<F extends Fields>(state: ListState, row: RowKey<F>, view: View<F>): boolean {
  const { key, block } = positionOf(row, view);
  return key !== undefined && block !== PENDING && isPending(state.seen, key);
}

// Equal answers give the same row objects, and a row is read several times in a poll. All rows of one record type are
// read with the same `RowKey`, so the row object alone is a sufficient key of this cache.
const positions = new WeakMap<object, RowPosition>();

export function positionOf<F extends Fields>(row: RowKey<F>, view: View<F>): RowPosition {
  let found = positions.get(view);
  if (found === undefined) {
    const identity = row.identityOf(view);
    const key = identity === undefined ? undefined : keyOf(identity);
    const block = Number(row.blockOf(view) ?? PENDING);
    const standsIn = Number(row.standsIn?.(view) ?? block);
    const happenedAt = row.happenedAt(view)?.getTime() ?? null;
    positions.set(view, (found = { key, block, standsIn, happenedAt }));
  }
  return found;
}

export function positionsOf<F extends Fields>(row: RowKey<F>, views: readonly View<F>[]): RowPosition[] {
  return views.map((view) => positionOf(row, view));
}

/** Null if no row names its block. */
export function lowestBlock<F extends Fields>(rows: readonly View<F>[], row: RowKey<F>): number | null {
  const lowest = rows.reduce((least, view) => Math.min(least, Number(row.blockOf(view) ?? Infinity)), Infinity);
  return lowest === Infinity ? null : lowest;
}

/** Null if no row names its block. */
export function highestRow<F extends Fields>(rows: readonly View<F>[], row: RowKey<F>): number | null {
  const highest = rows.reduce((most, view) => Math.max(most, Number(row.blockOf(view) ?? -1)), -1);
  return highest === -1 ? null : highest;
}
