import { startingAt, type ListState, type StartOption } from '../list-state.ts';
import { upwardGaps } from '../lists/gaps.ts';
import { isRangeCursor } from './range-list.ts';

/**
 * The memory of a list that can be read by ranges or newest first. A sweep that the other way began is begun again, since
 * each has cursors of its own, and what the other one left unread is read on.
 */
export function stateReadBy(by: 'list' | 'range', former: ListState | null, options: StartOption): ListState | null {
  const state = former ?? startingAt(options);
  if (state === null) return null;
  const resume = state.sweep.open?.resume ?? null;
  const isOwn = resume === null || isRangeCursor(resume) === (by === 'range');
  const gaps = by === 'range' ? upwardGaps(state.gaps, state.floor) : state.gaps;
  if (isOwn && gaps === state.gaps) return state;
  return { ...state, gaps, sweep: isOwn ? state.sweep : { ...state.sweep, open: { resume: null } } };
}
