// Whom a transition is owed to: those whom the routes name, and those who were told what it changes.
import type { PendingTransition, RecipientState } from './model.ts';
import { isEnd, UNTOLD } from './owed.ts';

/**
 * What a target knows once a transition has happened; null: it has nothing to do with this alert. Who joins late hears of
 * what happens from then on. Who is not named any more hears the end of what it was told, and no new begin.
 */
export function stateOwing(
  state: RecipientState | null,
  { seq, transition }: Pick<PendingTransition, 'seq' | 'transition'>,
  isNamed: boolean,
): RecipientState | null {
  if (!isNamed) return state !== null && isOwedWithoutName(state, transition) ? { ...state, wanted: seq } : state;
  const before = state ?? UNTOLD;
  // What happened while it was not named stays unsaid.
  const isSettled = before.closed >= before.wanted;
  return { ...before, wanted: seq, closed: isSettled ? seq - 1 : before.closed };
}

/** The end of a begin that still waits is owed as well: it is told as one thing, or not at all. */
function isOwedWithoutName(
  { begun, wanted, closed }: RecipientState,
  transition: PendingTransition['transition'],
): boolean {
  if (isEnd(transition)) return begun !== null || wanted > closed;
  return begun !== null && transition === 'corrected';
}

/** It was told of this transition before anybody could decide to tell it. */
export function stateAfterTelling(
  state: RecipientState,
  { seq, transition }: Pick<PendingTransition, 'seq' | 'transition'>,
): RecipientState {
  const begun = isEnd(transition) ? null : (state.begun ?? seq);
  return { ...state, closed: seq, begun, held: null, heldAt: null, renewed: null };
}
