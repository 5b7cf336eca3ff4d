// Decides about one alert at one target now. The first line that applies decides:
//
//    1  nothing is pending, and no repeat is due        nothing
//    2  retracted before it can have arrived            nothing; its delivery is cancelled
//    3  resolved before it can have arrived             sent as one item, which replaces its delivery; go on
//    4  the end of a transition that was sent or tried  passes every mute: go to 9
//    5  an open alert inhibits it                       hold
//    6  a silence matches it                            hold
//    7  a repeat, and it is acknowledged or unpolled    hold
//    8  a mute window                                   hold
//       held back until now, and acknowledged meanwhile hold, for a machine
//    9  the target is over its cap                      hold, then counted in a summary
//   10  the timer of its group                          wait, or send
//
// 1 to 8 are here, one member at a time; 9 and 10 concern all members of a group (decide-group.ts).
import type { Instant } from '../lib/clock.ts';
import type { ClosedLine } from './batches.ts';
import { needsAck } from './escalate.ts';
import { timersOf, type Timers } from './group.ts';
import { holdOf, holdOfAck, holdOfRepeat, silenceOver, type Context, type Hold } from './policy/holds.ts';
import type { DispatchGroup, GroupMember, Held, RecipientState, Renewal, SummaryKind, MemberVerdict } from './model.ts';
import { FREE, isHeard, isUntried, owedOf, UNTOLD, type MessageItem, type Owed } from './owed.ts';

/** One member, with the facts that a round found about it. */
export interface JudgedMember {
  readonly member: GroupMember;
  readonly state: RecipientState;
  readonly owed: Owed;
  readonly timers: Timers;
  readonly next: Next;
}

export type Next =
  /** `askAt`: the time of a possible repeat; null: only a new transition can change the decision. */
  | {
      readonly type: 'nothing';
      readonly why: Extract<MemberVerdict, { type: 'suppress' }>['why'];
      readonly askAt: Instant | null;
    }
  | { readonly type: 'hold'; readonly hold: Hold }
  /** The member waits for its summary. */
  | {
      readonly type: 'count';
      readonly in: SummaryKind;
      readonly lines: readonly ClosedLine[];
      readonly heldAt: Instant;
    }
  /** `rest`: the cause that holds back later lines; null: there are none. */
  | { readonly type: 'news'; readonly lines: readonly ClosedLine[]; readonly rest: Hold | null }
  | { readonly type: 'repeat'; readonly line: ClosedLine; readonly notifiedAt: Instant; readonly repeatMs: number };

export function judge(
  context: Context,
  unit: DispatchGroup['unit'],
  member: GroupMember,
  before: RecipientState = UNTOLD,
): JudgedMember {
  const all = owedOf(
    member.news.filter(({ seq }) => seq <= before.wanted),
    before,
  );
  const state = withPastSilence(context, member, all, before);
  const owed = unit === 'alert' ? withoutOver(all, state) : all;
  const judged = { member, state, owed, timers: timersOf(member.routing, unit) };
  const next = owed.items.length === 0 ? nextWithoutNews(context, judged) : nextOfNews(context, unit, judged);
  return { ...judged, next };
}

type Facts = Omit<JudgedMember, 'next'>;

/** A transition during a silence counts as silenced, even if the silence ended before the decision. */
function withPastSilence(
  context: Context,
  member: GroupMember,
  { items }: Owed,
  state: RecipientState,
): RecipientState {
  const [first] = items;
  const last = items.at(-1);
  if (state.held !== null || first === undefined || last === undefined || first.isEnd) return state;
  const silence = silenceOver(context, member, { from: first.at, until: last.at });
  return silence === null ? state : { ...state, held: { why: 'silenced', by: silence.id }, heldAt: first.at };
}

/** A machine is not sent what was over in a silence or an inhibition before something that has a message of its own. */
function withoutOver(owed: Owed, { held, renewed }: RecipientState): Owed {
  if (held === null || SUMMARY_OF[held.why] === null || renewed?.why === 'called') return owed;
  const items = owed.items.filter(({ as }) => as !== 'fired-and-resolved');
  return items.length === 0 ? owed : { ...owed, items };
}

function nextOfNews(context: Context, unit: DispatchGroup['unit'], facts: Facts): Next {
  const { owed, state, member } = facts;
  if (isAnsweredCall(context, facts)) return ANSWERED;
  const lines = owed.items.map((item) => lineOf(context, facts, item));
  const hold = holdOf(context, member);
  if (owed.items[0]?.isEnd === true) return withEndFirst(facts, unit, lines, hold);
  const canBeCounted = owed.items.every((item) => isOverAlready(item)) || isAckedInSilence(context, facts);
  // Two things are never dropped: the correction of a sent message, and a call that is due since nobody answered.
  const canBeDropped = canBeCounted && !isHeard(state) && state.renewed?.why !== 'called';
  const { held, heldAt } = state;
  const summary = held === null || !canBeCounted ? null : SUMMARY_OF[held.why];
  const answered = unit === 'alert' ? answeredWhileHeld(context, facts) : null;
  const isAnotherHold = hold?.why.why !== held?.why;
  // Machines get no summary. A mute may go on, and hold back what begins after the silence.
  if (unit === 'alert' && canBeDropped && summary !== null && answered === null && isAnotherHold)
    return { type: 'nothing', why: WHY_DROPPED[summary], askAt: null };
  if (hold !== null)
    return canBeDropped && isDroppedBy(hold, facts, context.now)
      ? { type: 'nothing', why: 'inhibited', askAt: null }
      : { type: 'hold', hold };
  if (held === null || heldAt === null) return { type: 'news', lines, rest: null };
  if (held.why === 'cap') return { type: 'count', in: 'overflow_summary', lines, heldAt };
  if (answered !== null) return { type: 'hold', hold: answered };
  if (summary === null || unit === 'alert') return { type: 'news', lines, rest: null };
  return { type: 'count', in: summary, lines, heldAt };
}

/** A machine may call people, but somebody has acknowledged. So it is sent only after the acknowledgement ends. */
function answeredWhileHeld(context: Context, { state, member }: Facts): Hold | null {
  return state.held !== null && member.isOpen && !isHeard(state) ? holdOfAck(context, member) : null;
}

/**
 * True for an event that happened during the inhibition. An event that waited already when the inhibition began is
 * counted when it ends.
 */
function isDroppedBy({ dropsSince }: Hold, { member, owed, state }: Facts, now: Instant): boolean {
  if (dropsSince === null || !member.isEvent || state.held !== null) return false;
  return owed.items.every(({ at }) => dropsSince <= at && at <= now);
}

const ANSWERED: Next = { type: 'nothing', why: 'acked', askAt: null };

/** True if the target was to be called because nobody answered, but somebody acknowledged before the call. */
function isAnsweredCall({ ackOf }: Context, { state, member }: Facts): boolean {
  return state.renewed?.why === 'called' && !isHeard(state) && ackOf(member) !== null;
}

/**
 * An end passes every mute. It passes the cap to a machine, which takes no end from a summary; to people it is counted
 * in the summary of the cap that holds the alert back.
 */
function withEndFirst(
  { state }: Facts,
  unit: DispatchGroup['unit'],
  lines: readonly ClosedLine[],
  hold: Hold | null,
): Next {
  const { held, heldAt } = state;
  const now = hold === null ? lines : lines.slice(0, 1);
  if (unit === 'group' && held?.why === 'cap' && heldAt !== null)
    return { type: 'count', in: 'overflow_summary', lines: now, heldAt };
  return { type: 'news', lines: now, rest: now.length < lines.length ? hold : null };
}

/**
 * After a silence or an inhibition, only the `firing` of an alert that still fires needs its own message. True for all
 * others.
 */
function isOverAlready({ transition, as }: MessageItem): boolean {
  return as === 'fired-and-resolved' || transition !== 'firing';
}

function isAckedInSilence({ ackOf }: Context, { state, member }: Facts): boolean {
  return state.held?.why === 'silenced' && ackOf(member) !== null;
}

const SUMMARY_OF: Readonly<Record<Held['why'], 'silence_summary' | 'inhibition_summary' | null>> = {
  silenced: 'silence_summary',
  inhibited: 'inhibition_summary',
  acked: null,
  unpolled: null,
  'mute-window': null,
  cap: null,
};

const WHY_DROPPED = { silence_summary: 'silenced', inhibition_summary: 'inhibited' } as const;

function nextWithoutNews(context: Context, facts: Facts): Next {
  const { owed, state, member } = facts;
  // If no message was sent yet, one is pending already and needs no repeat.
  if (state.renewed !== null && state.begun !== null && !isUntried(state) && member.isOpen)
    return nextRenewed(context, facts, state.renewed);
  const repeatMs = repeatEvery(member, state, facts.timers);
  const nothing = (askAt: Instant | null): Next => ({ type: 'nothing', why: owed.dropped ?? 'nothing-new', askAt });
  if (repeatMs === null) return nothing(null);
  if (state.owed !== null || state.notifiedAt === null) return nothing(context.now + repeatMs);
  const dueAt = Math.min(state.notifiedAt, context.now) + repeatMs;
  const hold = holdOfRepeat(context, member);
  // Before the repeat is due no hold is stored, since its cause may end until then.
  if (hold !== null) return dueAt <= context.now ? { type: 'hold', hold } : nothing(dueAt);
  return tellingAgain(context, facts, { at: dueAt, notifiedAt: state.notifiedAt, repeatMs });
}

/**
 * A renewed alert is sent again at once. But a target that was to be called is not called if somebody has acknowledged.
 */
function nextRenewed(context: Context, facts: Facts, { why }: Renewal): Next {
  const { now } = context;
  const hold = holdOfRepeat(context, facts.member);
  if (hold === null) return tellingAgain(context, facts, { at: now, notifiedAt: now, repeatMs: 0 });
  return why === 'called' && hold.why.why === 'acked' ? ANSWERED : { type: 'hold', hold };
}

interface Again extends Pick<Extract<Next, { type: 'repeat' }>, 'notifiedAt' | 'repeatMs'> {
  readonly at: Instant;
}

function tellingAgain(context: Context, facts: Facts, { at, ...since }: Again): Next {
  const line = lineOf(context, facts, repeated(facts, at));
  const { held, heldAt } = facts.state;
  if (held?.why === 'cap' && heldAt !== null) return { type: 'count', in: 'overflow_summary', lines: [line], heldAt };
  return { type: 'repeat', line, ...since };
}

/** The milliseconds between repeats; null: no repeats. */
export function repeatEvery(
  { isEvent, isOpen, severity, routing, ...member }: GroupMember,
  state: RecipientState,
  { repeatMs }: Timers,
): number | null {
  if (state.begun === null || !isOpen || !member.needsAck) return null;
  if (isGivenUp(state)) return !isEvent || needsAck(routing) ? (repeatMs ?? GIVEN_UP_MS) : null;
  return (!isEvent || routing.options.requireAck === true) && severity !== 'info' ? repeatMs : null;
}

/** The interval at which a begin that was given up is sent again, if the group has no repeats. */
const GIVEN_UP_MS = 4 * 3_600_000;

/** True if the target never accepted the begin, and no delivery of the alert is unsettled. */
function isGivenUp({ begun, notified, owed }: RecipientState): boolean {
  return owed === null && begun !== null && notified < begun;
}

/** A repeat says what was batched last, also if that was given up: the receiver may not know of a raised severity. */
function repeated({ member, state }: Facts, at: Instant): ClosedLine['item'] {
  const seq = Math.max(state.closed, state.begun ?? 0);
  return { from: seq, seq, episode: member.episode, at, transition: 'firing', as: 'repeat', isEnd: false };
}

function lineOf({ world }: Context, { member, state }: Facts, item: ClosedLine['item']): ClosedLine {
  // If the alert was held back, that concerns a message before the end, so the end itself has no `heldAt`.
  if (item.isEnd) return { alert: member, item, renewed: null, heldAt: null, heldBy: null, present: null };
  const heldAt = state.heldAt === null ? null : Math.max(state.heldAt, item.at);
  // The line of an alert that is over says from when to when it was firing.
  const renewed = item.as === 'fired-and-resolved' ? null : state.renewed;
  const isLate = item.as === 'repeat' || heldAt !== null || renewed !== null;
  const present = item.transition === 'firing' && member.isOpen ? world.presentOf(member) : null;
  // A poll may be newer than a transition that waited for its group.
  const isLater = isLate || (present !== null && present.at > item.at);
  return { alert: member, item, renewed, heldAt, heldBy: state.held?.by ?? null, present: isLater ? present : null };
}

// The state of the alert for the target after the decision.

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

/** A withdrawn transition may have to be sent later, so `closed` goes back before it. */
function closedBefore(state: RecipientState, from: number, isWithdrawn: boolean): RecipientState {
  const closed = isWithdrawn ? from - 1 : Math.max(state.closed, from - 1);
  const after = { ...state, wanted: Math.max(state.wanted, closed), closed };
  return isWithdrawn ? { ...after, begun: null, owed: null } : after;
}

function begunWith(begun: number | null, { as, isEnd, seq }: MessageItem): number | null {
  return isEnd || as === 'fired-and-resolved' ? null : (begun ?? seq);
}
