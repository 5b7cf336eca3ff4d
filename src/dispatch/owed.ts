// Computes the items of one alert to send to a target now, from all transitions since its last message.
//
//   begin    event, firing, reinstated
//   update   corrected, and a begin of an alert that has begun
//   end      resolved, retracted
//
// An end is sent to targets that were sent the begin, or may have been. A begin whose tries were all refused counts as
// not sent. If an alert ends before its begin was sent, it is not sent (retracted), or is sent as one item (fired and
// resolved).
import type { Instant } from '../lib/clock.ts';
import type { PendingTransition, RecipientState, TransitionName } from './model.ts';

/** One line of a message. */
export interface MessageItem {
  /** The first transition that the line covers. */
  readonly from: number;
  readonly seq: number;
  readonly episode: number;
  /** The time since which it is pending. */
  readonly at: Instant;
  readonly transition: TransitionName;
  readonly as: 'news' | 'fired-and-resolved';
  /**
   * True for the end of an alert whose begin was sent or tried. It passes every mute. Only the first item can be an
   * end.
   */
  readonly isEnd: boolean;
}

export interface Owed {
  readonly items: readonly MessageItem[];
  /** The reason why some transitions are not sent. */
  readonly dropped: 'retracted' | 'not-told' | null;
  /** Members of an untried batch that need not be sent any more. */
  readonly withdraw: { readonly from: number; readonly as: 'merged' | 'cancelled' } | null;
  readonly newest: number;
}

/** The state of a target that was never sent a message about the alert. */
export const UNTOLD: RecipientState = {
  wanted: 0,
  closed: 0,
  notified: 0,
  maybeNotified: 0,
  notifiedAt: null,
  begun: null,
  held: null,
  heldAt: null,
  owed: null,
  renewed: null,
};

/** Fields of a state that is not held back and need not be sent again at once. */
export const FREE = { held: null, heldAt: null, renewed: null };

/** `news`: transitions after `closed`, in order of seq. */
export function owedOf(news: readonly PendingTransition[], state: RecipientState): Owed {
  const owed: Growing = { items: [], dropped: null, withdraw: null };
  let begun = begunBefore(state);
  for (const one of news) {
    if (isEnd(one.transition)) {
      addEnd(owed, begun, one);
      begun = null;
    } else if (begun === null && one.transition === 'corrected') owed.dropped ??= 'not-told';
    else if (begun !== null && !begun.isHeard && one.transition === 'firing') addInPlace(owed, begun, one);
    else {
      owed.items.push({ ...one, from: one.seq, as: 'news', isEnd: false });
      begun ??= { from: one.seq, at: one.at, isHeard: false, isClosed: false };
    }
  }
  return { ...owed, newest: news.at(-1)?.seq ?? state.closed };
}

/** True if the begin was sent to this target, or may have been. */
export function isHeard({ begun, notified, maybeNotified, owed }: RecipientState): boolean {
  return begun !== null && (notified >= begun || maybeNotified >= begun || owed === 'tried');
}

/** True if the begin is in a pending message that cannot have arrived yet. */
export function isUntried(state: RecipientState): boolean {
  return state.begun !== null && state.owed === 'untried' && !isHeard(state);
}

type Growing = { -readonly [K in keyof Omit<Owed, 'newest' | 'items'>]: Owed[K] } & { readonly items: MessageItem[] };

/** A begin without an end. `isClosed`: it is in a delivery. */
interface Begun {
  readonly from: number;
  readonly at: Instant | null;
  readonly isHeard: boolean;
  readonly isClosed: boolean;
}

function begunBefore(state: RecipientState): Begun | null {
  return state.begun === null ? null : { from: state.begun, at: null, isHeard: isHeard(state), isClosed: true };
}

/**
 * The alert fires again with other values before its begin was sent: one item with the new values replaces the begin.
 */
function addInPlace(owed: Growing, { from, at, isClosed }: Begun, one: PendingTransition): void {
  if (isClosed) owed.withdraw = { from, as: 'merged' };
  while ((owed.items.at(-1)?.seq ?? -1) >= from) owed.items.pop();
  owed.items.push({ ...one, from, at: at ?? one.at, as: 'news', isEnd: false });
}

function addEnd(owed: Growing, begun: Begun | null, one: PendingTransition): void {
  if (begun === null) {
    owed.dropped ??= 'not-told';
    return;
  }
  // The end replaces all pending items of the same begin.
  while ((owed.items.at(-1)?.seq ?? -1) >= begun.from) owed.items.pop();
  if (begun.isHeard) owed.items.push({ ...one, from: one.seq, as: 'news', isEnd: true });
  else addUnheardEnd(owed, begun, one);
}

function addUnheardEnd(owed: Growing, { from, at, isClosed }: Begun, one: PendingTransition): void {
  const isRetracted = one.transition === 'retracted';
  if (isClosed) owed.withdraw = { from, as: isRetracted ? 'cancelled' : 'merged' };
  if (isRetracted) owed.dropped = 'retracted';
  else owed.items.push({ ...one, from, at: at ?? one.at, as: 'fired-and-resolved', isEnd: false });
}

export function isEnd(transition: TransitionName): boolean {
  return transition === 'resolved' || transition === 'retracted';
}

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
