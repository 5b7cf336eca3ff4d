// Decides one group at one instant: members are sent, wait for the group's timer, or are above the cap of its target.
//
//   quiet    nothing is pending            new transitions -> waiting, a repeat is due -> paced
//   waiting  transitions wait for a timer  the timer is over -> paced
//   paced    it has just closed a batch    its interval is over -> quiet, or the next batch
//   capped   its target is over its cap    the slot is over: one summary of all -> paced
//
// A message with a critical line contains all other pending members of its group; they do not count against the cap.
import { isNowTrue } from '../core/model/transition.ts';
import { earliest, type Instant } from '../lib/clock.ts';
import { mapInSteps, type Steps } from '../lib/steps.ts';
import { alertOf, closeBatch, type ClosedLine, isCommonFull, isCriticalFull, ruleOf, slotEnd } from './batches.ts';
import {
  judge,
  type JudgedMember,
  type Next,
  stateCounted,
  stateHeld,
  stateLeft,
  stateTold,
  stateWaiting,
} from './decide.ts';
import { newsDueAt, repeatDueAt } from './group.ts';
import type { Context, Hold } from './policy/holds.ts';
import type {
  DeliveryBatch,
  DispatchGroup,
  GroupMember,
  Held,
  Key,
  RecipientState,
  SentBefore,
  MemberVerdict,
  Overtaken,
  Withdrawal,
} from './model.ts';
import { FREE } from './owed.ts';

/** The decision about one group. It grows while the group is decided. */
export interface GroupDecision {
  readonly group: DispatchGroup;
  closedAt: Instant | null;
  readonly verdicts: Map<Key, MemberVerdict>;
  readonly states: Map<Key, RecipientState>;
  readonly batches: DeliveryBatch[];
  readonly withdrawn: Withdrawal[];
  readonly overtaken: Overtaken[];
  /** Members that wait for a summary of the target. */
  readonly counted: Of<'count'>[];
  /** The times at which to decide again. */
  readonly wakes: Instant[];
}

/** A member with one certain result. */
export type Of<T extends Next['type']> = JudgedMember & { readonly next: Extract<Next, { type: T }> };

/** The messages that a target was sent, including those that this round closes. */
export interface SentTally extends SentBefore {
  readonly common: Instant[];
  readonly critical: SentBefore['critical'][number][];
  readonly heardOf: Set<string>;
}

export function sentTallyOf({ common, critical, heardOf, summaries }: SentBefore): SentTally {
  return { common: [...common], critical: [...critical], heardOf: new Set(heardOf), summaries };
}

/** Adds the messages that it closes for this group to `sent`. */
export function* decideGroup(
  context: Context,
  group: DispatchGroup,
  states: ReadonlyMap<Key, RecipientState>,
  sent: SentTally,
): Steps<GroupDecision> {
  const part = emptyPart(group);
  const round = { context, part, sent };
  const judged = yield* mapInSteps(group.members, (member) =>
    outOfSummary(sent, judge(context, group.unit, member, states.get(member.key))),
  );
  for (const one of judged) withdraw(part, one);
  for (const one of judged.filter(is('nothing'))) drop(part, one, one.next);
  for (const one of judged.filter(is('hold'))) hold(round, one, one.next.hold);
  part.counted.push(...judged.filter(is('count')));
  const together = group.unit === 'group' ? [judged] : judged.map((one) => [one]);
  for (const some of together) {
    yield* tellNews(round, some.filter(is('news')));
    yield* tellAgain(round, some.filter(is('repeat')));
  }
  return part;
}

/** A begin that passes the cap does not wait in a summary behind the end before it: both are sent now. */
function outOfSummary(sent: SentTally, one: JudgedMember): JudgedMember {
  const { member, next } = one;
  if (next.type !== 'count' || next.lines[0]?.item.isEnd !== true) return one;
  const isFree = isCritical(member) && isFirstOfAlert(sent, { member, lines: next.lines });
  return isFree ? { ...one, next: { type: 'news', lines: next.lines, rest: null } } : one;
}

interface Round {
  readonly context: Context;
  readonly part: GroupDecision;
  readonly sent: SentTally;
}

function is<T extends Next['type']>(type: T): (one: JudgedMember) => one is Of<T> {
  return (one): one is Of<T> => one.next.type === type;
}

/** New transitions are sent together as soon as one of them is due. */
function* tellNews(round: Round, news: readonly Of<'news'>[]): Steps<void> {
  const { part, context } = round;
  const dueAt = earliest(news.map((one) => dueAtOf(one, part.closedAt, context.now)));
  if (dueAt === null) return;
  if (dueAt > context.now) {
    for (const one of news) wait(part, one, dueAt);
    return;
  }
  if (part.group.unit === 'alert') for (const one of news) yield* tellSingly(round, one, dueAt);
  else
    for (const some of inMessages(news)) {
      const ready = some.map((one) => ({ one, lines: one.next.lines, at: context.now }));
      for (const one of yield* closeWithin(round, 'news', ready, dueAt)) told(round, one, one.next.lines.length);
    }
}

/** Two messages: alerts with an unsettled delivery wait until it is settled, and the others do not wait with them. */
function inMessages<M extends JudgedMember>(news: readonly M[]): (readonly M[])[] {
  return [news.filter(({ state }) => state.owed === null), news.filter(({ state }) => state.owed !== null)];
}

/** A member that may be in a message that is closed now. */
interface Ready<M extends JudgedMember> {
  readonly one: M;
  readonly lines: readonly ClosedLine[];
  /** The time at which the member would be due without the others. */
  readonly at: Instant;
}

/**
 * Closes one message with the members that the cap lets through, and returns them. The others wait for the summary;
 * those that are not due yet only wait until then.
 */
function* closeWithin<M extends JudgedMember>(
  round: Round,
  kind: 'news' | 'repeat',
  some: readonly Ready<M>[],
  dueAt: Instant,
): Steps<readonly M[]> {
  const { now } = round.context;
  const isWithin = withinCap(
    round,
    some.map(({ one: { member }, lines }) => ({ member, lines })),
  );
  const allowed = some.filter(({ one }) => isWithin(one.member));
  const within = new Set(allowed.some(({ at }) => at <= now) ? allowed : []);
  for (const ready of some) if (!within.has(ready)) leaveOut(round, ready);
  const lines = [...within].flatMap((ready) => ready.lines);
  if (lines.length > 0) yield* close(round, kind, lines, dueAt);
  return [...within].map(({ one }) => one);
}

function leaveOut(round: Round, { one, at }: Ready<JudgedMember>): void {
  if (at <= round.context.now) overCap(round, one);
  else drop(round.part, one, { why: 'nothing-new', askAt: at });
}

interface Candidate {
  readonly member: GroupMember;
  readonly lines: readonly ClosedLine[];
}

/** Returns a function that is true for members which may be in a message that is closed now. */
function withinCap({ part, context, sent }: Round, some: readonly Candidate[]): (member: GroupMember) => boolean {
  const { cap } = part.group;
  if (cap === null) return () => true;
  const severe = some.filter(({ member }) => isCritical(member));
  const rules = [...new Set(severe.map(({ member }) => ruleOf(member)))];
  const full = new Set(rules.filter((rule) => isCriticalFull(cap, sent, rule, context.now)));
  const open = severe.filter((one) => isFirstOfAlert(sent, one) || !full.has(ruleOf(one.member)));
  const critical = new Set(open.map(({ member }) => member));
  const isOpenToCommon = critical.size > 0 || !isCommonFull(cap, sent, context.now);
  return (member) => (isCritical(member) ? critical.has(member) : isOpenToCommon);
}

function isCritical({ severity }: GroupMember): boolean {
  return severity === 'critical';
}

/** True for a begin if no message to the target contained the alert for ten minutes. A critical one passes the cap. */
function isFirstOfAlert({ heardOf }: SentTally, { member, lines }: Candidate): boolean {
  return lines.some(isBegin) && !heardOf.has(alertOf(member));
}

/** True also for a begin that is sent again for a `renewed` reason, but not for a usual repeat. */
function isBegin({ item, renewed }: ClosedLine): boolean {
  return isNowTrue(item.transition) && (item.as !== 'repeat' || renewed !== null);
}

function dueAtOf({ member, next, timers }: Of<'news'>, closedAt: Instant | null, now: Instant): Instant {
  const at = next.lines[0]?.item.at ?? now;
  return newsDueAt({ at, severity: member.severity }, timers, closedAt, now);
}

/** One message for each transition. The end of a sent begin passes the cap: a machine takes no end from a summary. */
function* tellSingly(round: Round, one: Of<'news'>, dueAt: Instant): Steps<void> {
  const { lines } = one.next;
  for (const [index, line] of lines.entries()) {
    if (!line.item.isEnd && !withinCap(round, [{ member: one.member, lines: [line] }])(one.member)) {
      overCap(round, one, index);
      return;
    }
    yield* close(round, 'news', [line], dueAt);
  }
  told(round, one, lines.length);
}

/** Repeats all open members together with the one that is due. */
function* tellAgain(round: Round, repeats: readonly Of<'repeat'>[]): Steps<void> {
  const { part, context } = round;
  const { now } = context;
  const ready = repeats.map((one) => ({ one, lines: [one.next.line], at: againAt(one, part.closedAt, now) }));
  const dueAt = earliest(ready.map(({ at }) => at));
  if (dueAt === null) return;
  if (dueAt > now) {
    for (const one of repeats) drop(part, one, { why: 'nothing-new', askAt: dueAt });
  } else
    for (const one of yield* closeWithin(round, 'repeat', ready, dueAt))
      keep(part, one, { type: 'send', as: 'repeat' }, toldAgain(one));
}

/** A renewed member is due at once. */
function againAt(
  { next: { line, notifiedAt, repeatMs }, timers }: Of<'repeat'>,
  closedAt: Instant | null,
  now: Instant,
): Instant {
  return line.renewed === null ? repeatDueAt(notifiedAt, repeatMs, timers, closedAt, now) : now;
}

function toldAgain({ state }: JudgedMember): RecipientState {
  return { ...state, ...FREE, owed: 'untried' };
}

function* close(round: Round, kind: 'news' | 'repeat', lines: readonly ClosedLine[], dueAt: Instant): Steps<void> {
  const { part, context, sent } = round;
  const { target, id } = part.group;
  for (const { alert, item } of lines) if (item.isEnd) part.overtaken.push({ target, key: alert.key });
  const batch = yield* closeBatch({ kind, target, groupId: id, dueAt, closedAt: part.closedAt }, lines);
  part.batches.push(batch);
  part.closedAt = context.now;
  count(sent, batch, context.now);
}

function count(sent: SentTally, { critical }: DeliveryBatch, at: Instant): void {
  if (critical === null) sent.common.push(at);
  else {
    sent.critical.push({ at, rules: critical.rules });
    for (const alert of critical.alerts) sent.heardOf.add(alert);
  }
}

/** `lines`: the number of lines in a message. If a mute lets only the end through, later lines are held back. */
function told({ part, context }: Round, one: Of<'news'>, lines: number): void {
  const { rest } = one.next;
  if (rest !== null) part.wakes.push(wakeOf(rest, context.now));
  keep(part, one, { type: 'send', as: 'news' }, stateTold(one, lines, rest?.why ?? null, context.now));
}

export const CAPPED: Held = { why: 'cap', by: null };

/** `lines`: the number of its lines that were closed before the cap was reached. */
function overCap({ part, context }: Round, one: JudgedMember, lines = 0): void {
  // If another hold was between, the slot of its summary may be over.
  const since = lines > 0 ? context.now : (one.state.heldAt ?? context.now);
  const until = Math.max(slotEnd(since), context.now);
  const state = lines > 0 ? stateTold(one, lines, CAPPED, context.now) : stateHeld(one, CAPPED, context.now);
  part.wakes.push(until);
  keep(part, one, { type: 'hold', until, why: CAPPED }, state);
}

function hold({ part, context }: Round, one: JudgedMember, { why, until }: Hold): void {
  const state = stateHeld(one, why, context.now);
  part.wakes.push(wakeOf({ until }, context.now));
  keep(part, one, { type: 'hold', until, why }, state);
}

function wait(part: GroupDecision, one: JudgedMember, until: Instant): void {
  part.wakes.push(until);
  keep(part, one, { type: 'wait', until }, stateWaiting(one));
}

function drop(
  part: GroupDecision,
  one: JudgedMember,
  { why, askAt }: Pick<Of<'nothing'>['next'], 'why' | 'askAt'>,
): void {
  if (askAt !== null) part.wakes.push(askAt);
  const isDropped = why === 'silenced' || why === 'inhibited' || why === 'acked';
  keep(part, one, { type: 'suppress', why }, isDropped ? stateCounted(one) : stateLeft(one));
}

function keep(
  part: GroupDecision,
  { member: { key } }: JudgedMember,
  verdict: MemberVerdict,
  state: RecipientState,
): void {
  part.verdicts.set(key, verdict);
  part.states.set(key, state);
}

function withdraw({ group, withdrawn }: GroupDecision, { member, owed }: JudgedMember): void {
  if (owed.withdraw !== null) withdrawn.push({ target: group.target, key: member.key, ...owed.withdraw });
}

const MINUTE_MS = 60_000;

/** Members that wait for a change are decided again at each full minute: all groups of a target together. */
function wakeOf({ until }: Pick<Hold, 'until'>, now: Instant): Instant {
  return until === 'change' ? (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS : until;
}

function emptyPart(group: DispatchGroup): GroupDecision {
  return {
    group,
    closedAt: group.closedAt,
    verdicts: new Map(),
    states: new Map(),
    batches: [],
    withdrawn: [],
    overtaken: [],
    counted: [],
    wakes: [],
  };
}
