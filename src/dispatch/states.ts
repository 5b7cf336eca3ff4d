// The state of an alert for a target after a decision.
import type { Instant } from '../lib/clock.ts';
import type { JudgedMember } from './decide.ts';
import type { Held, RecipientState } from './model.ts';
import type { MessageItem } from './owed.ts';

/** Pending transitions wait as before; transitions that are no longer pending are closed. */
export function stateWaiting({ state, owed }: JudgedMember): RecipientState {
  return closedBefore(state, owed.items[0]?.from ?? owed.newest + 1, owed.withdraw !== null);
}

/** No transition of the member is pending. */
export function stateLeft(judged: JudgedMember): RecipientState {
  return { ...stateWaiting(judged), ...FREE };
}

/** The alert is held. The first reason stays, unless it or the new reason is a cap: then the new reason replaces it. */
export function stateHeld(judged: JudgedMember, why: Held, now: Instant): RecipientState {
  const { held, heldAt } = judged.state;
  const first = held === null || held.why === 'cap' || why.why === 'cap' ? why : held;
  return { ...stateWaiting(judged), held: first, heldAt: heldAt ?? now };
}

/** The first lines of the member are in a message. `rest`: the cause that holds the others. */
export function stateTold(judged: JudgedMember, lines: number, rest: Held | null, now: Instant): RecipientState {
  const { state, owed } = judged;
  const closed = closedBefore(state, owed.items[lines]?.from ?? owed.newest + 1, owed.withdraw !== null);
  const begun = owed.items.slice(0, lines).reduce(begunWith, closed.begun);
  const told = { ...closed, ...FREE, begun, owed: closed.owed ?? 'untried' };
  return rest === null ? told : { ...told, held: state.held ?? rest, heldAt: state.heldAt ?? now };
}

/**
 * All transitions are counted after a silence or an inhibition, or left out for a machine: no begin is open for the
 * target, and no end pending.
 */
export function stateCounted({ state, owed }: JudgedMember): RecipientState {
  return { ...closedBefore(state, owed.newest + 1, owed.withdraw !== null), ...FREE };
}

/** Fields of a state that is not held back and need not be sent again at once. */
export const FREE = { held: null, heldAt: null, renewed: null };

/** A withdrawn transition may have to be sent later, so `closed` goes back before it. */
function closedBefore(state: RecipientState, from: number, isWithdrawn: boolean): RecipientState {
  const closed = isWithdrawn ? from - 1 : Math.max(state.closed, from - 1);
  const after = { ...state, wanted: Math.max(state.wanted, closed), closed };
  return isWithdrawn ? { ...after, begun: null, owed: null } : after;
}

function begunWith(begun: number | null, { as, isEnd, seq }: MessageItem): number | null {
  return isEnd || as === 'fired-and-resolved' ? null : (begun ?? seq);
}
