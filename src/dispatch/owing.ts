// Chooses the targets of a transition: those that the routes name, and those that were sent the alert before.
import type { PendingTransition, RecipientState } from './model.ts';
import { isEnd, UNTOLD } from './owed.ts';

/**
 * The state of a target after a transition; null: the target is not sent this alert. A target that joins late is sent
 * later transitions only. A target that is no longer named is sent corrections and the end of an alert that it was
 * sent, but no new begin.
 */
export function stateOwing(
  state: RecipientState | null,
  { seq, transition }: Pick<PendingTransition, 'seq' | 'transition'>,
  isNamed: boolean,
): RecipientState | null {
  if (!isNamed) return state !== null && isOwedWithoutName(state, transition) ? { ...state, wanted: seq } : state;
  const before = state ?? UNTOLD;
  // Transitions while the target was not named are not sent.
  const isSettled = before.closed >= before.wanted;
  return { ...before, wanted: seq, closed: isSettled ? seq - 1 : before.closed };
}

/** If the begin is still pending, the end becomes pending too: both are sent as one item, or neither is sent. */
function isOwedWithoutName(
  { begun, wanted, closed }: RecipientState,
  transition: PendingTransition['transition'],
): boolean {
  if (isEnd(transition)) return begun !== null || wanted > closed;
  return begun !== null && transition === 'corrected';
}

/** The state of a target that was sent this transition before routing chose it. */
export function stateAfterTelling(
  state: RecipientState,
  { seq, transition }: Pick<PendingTransition, 'seq' | 'transition'>,
): RecipientState {
  const begun = isEnd(transition) ? null : (state.begun ?? seq);
  return { ...state, closed: seq, begun, held: null, heldAt: null, renewed: null };
}
