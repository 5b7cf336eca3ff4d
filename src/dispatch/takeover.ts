// Targets that the config in force no longer names for an alert, and named targets that are sent what those were not
// sent.
import { isAmong, targetKey } from '../core/model/delivery.ts';
import type { Recipient, RecipientsOf } from '../core/model/ids.ts';
import type { RecipientState, Withdrawal } from './model.ts';
import { FREE, isHeard, UNTOLD } from './owed.ts';
import type { Knowledge } from './rounds/routing-round.ts';

/** Transitions that a former target was not sent. */
export interface Unsent extends Pick<RecipientState, 'held' | 'heldAt'> {
  /** The seq of the first one. */
  readonly from: number;
}

/** A target that is no longer named for an alert. */
export interface FormerTarget {
  /** True if the config does not have the target any more. */
  readonly isGone: boolean;
  /** Its state without what other targets take over. */
  readonly state: RecipientState;
  readonly waiting: Unsent | null;
  readonly withdrawal: Withdrawal | null;
}

/** Null: the target is named. */
export function formerTarget(
  known: Knowledge,
  named: readonly Recipient[],
  recipientsOf: RecipientsOf,
): FormerTarget | null {
  const { target, via } = known;
  const isGone = !isAmong(target, recipientsOf);
  if (!isGone && (via !== 'route' || named.some((one) => targetKey(one) === targetKey(target)))) return null;
  // If nobody is named, it stays with the target, which the config still has.
  const isOverMoved = isGone || (named.length > 0 && isOverUnsent(known));
  return { isGone, ...leftBehind(isOverMoved ? known : { ...known, overFrom: null }, isGone) };
}

/** True if no message about what is over, or about what followed, can have arrived. */
function isOverUnsent({ overFrom, state: { begun, owed, notified, maybeNotified } }: Knowledge): boolean {
  return overFrom !== null && begun === null && owed === 'untried' && Math.max(notified, maybeNotified) < overFrom;
}

/**
 * A target that is no longer named keeps only the end of an alert that it was sent, or may have been sent. A removed
 * target is not tried again.
 */
function leftBehind(known: Knowledge, isGone: boolean): Omit<FormerTarget, 'isGone'> {
  const { key, target, state, overFrom } = known;
  const { begun, closed, wanted, owed } = state;
  if (isHeard(state)) {
    const from = overFrom ?? (isGone && isUncertain(state) && owed !== null ? begun : null);
    return { state: { ...state, renewed: null }, waiting: waitingFrom(from, state), withdrawal: null };
  }
  const first = overFrom ?? begun;
  if (first === null) {
    const from = wanted > closed ? closed + 1 : null;
    return { state: { ...state, ...FREE, wanted: closed }, waiting: waitingFrom(from, state), withdrawal: null };
  }
  return {
    state: unsentFrom(first, state),
    waiting: waitingFrom(first, state),
    withdrawal: isGone && owed !== 'untried' ? null : { target, key, from: begun ?? first, as: 'cancelled' },
  };
}

/** True if it is not known whether the begin arrived. */
export function isUncertain({ begun, notified }: RecipientState): boolean {
  return begun !== null && notified < begun;
}

/** The state of a target that is sent nothing of these transitions. */
export function unsentFrom(first: number, state: RecipientState): RecipientState {
  return { ...state, ...FREE, wanted: first - 1, closed: first - 1, begun: null, owed: null };
}

/** Each target has a cap of its own. */
function waitingFrom(from: number | null, { held, heldAt }: RecipientState): Unsent | null {
  if (from === null) return null;
  return held === null || held.why === 'cap' ? { from, ...NOT_HELD } : { from, held, heldAt };
}

export const NOT_HELD = { held: null, heldAt: null } as const;

/** The first ones come first. */
export function inOrder(all: readonly Unsent[]): Unsent[] {
  return all.toSorted((a, b) => a.from - b.from || (a.heldAt ?? Infinity) - (b.heldAt ?? Infinity));
}

const RELOADED: RecipientState['renewed'] = { why: 'reload', by: null };

/** Undefined: nothing about the alert was ever due to the target. */
export function knownBy(target: Recipient, known: readonly Knowledge[]): Knowledge | undefined {
  return known.find((one) => targetKey(one.target) === targetKey(target));
}

/**
 * Makes the transitions from a seq on pending for the target. Empty if it was sent them, or they are pending already. A
 * target that was called, and not sent the alert, is sent it as a named one: its call may be needless now.
 */
export function joinOf(
  target: Recipient,
  { known, newest }: { readonly known: readonly Knowledge[]; readonly newest: number },
  waiting: Unsent,
): Pick<Knowledge, 'target' | 'via' | 'state'>[] {
  const before = knownBy(target, known) ?? { via: 'route', state: UNTOLD };
  const state = takenOver(before, waiting);
  return state === null ? [] : [{ target, via: 'route', state: { ...state, wanted: newest, renewed: RELOADED } }];
}

/**
 * The state of a target for which these transitions are pending besides its own. Null: it was sent them, or they are
 * pending already.
 */
export function takenOver(
  { via, state }: Pick<Knowledge, 'via' | 'state'>,
  { from, held, heldAt }: Unsent,
): RecipientState | null {
  if (state.begun !== null || (via === 'route' && state.wanted >= from)) return null;
  const closed = state.wanted > state.closed ? Math.min(state.closed, from - 1) : from - 1;
  const hold = state.held === null ? { held, heldAt } : {};
  return { ...state, ...hold, wanted: Math.max(state.wanted, from), closed };
}
