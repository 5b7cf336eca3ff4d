import type { ListCoverage, UnreadRange } from '../../core/model/watch/kind.ts';
import { type Gap, isReadLater, showHeights } from './gaps.ts';
import type { ListState } from '../list-state.ts';
import { lowestMark } from './look-back.ts';
import { MOST_ROWS } from '../seen-rows.ts';

/** The extent to which a list was read, for people. */
export function coverageOf(state: ListState): ListCoverage {
  const { gaps, sweep, floor } = state;
  return { unread: [...gaps.map((gap) => unreadOf(gap, floor)), ...beyondLookBack(state)], sweptAt: sweep.completedAt };
}

function unreadOf(gap: Gap, floor: number): UnreadRange {
  const { reason, since } = gap;
  return { heights: showHeights(gap), reason, since: since === 0 ? null : since, isReadLater: isReadLater(gap, floor) };
}

/** The part of the look-back below the remembered rows. It is not read again. */
function beyondLookBack({ floor, marks }: ListState): UnreadRange[] {
  const lowest = lowestMark(marks);
  if (lowest === null || lowest >= floor) return [];
  const reason = `more than ${MOST_ROWS} rows within 7 hours: what comes late there is not found`;
  return [{ heights: showHeights({ from: lowest + 1, to: floor }), reason, since: null, isReadLater: false }];
}
