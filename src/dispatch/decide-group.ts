// One group at one instant: what of it goes out, what waits for its timer, and what its target was sent too much for.
//
//   quiet    nothing is owed           news -> waiting, a repeat is due -> paced
//   waiting  news waits for its timer  the timer is over -> paced
//   paced    closed a batch lately     its interval is over -> quiet, or the next batch
//   capped   its target had its share  the slot is over: all of it in one summary -> paced
import { earliest, type Instant } from '../lib/clock.ts';
import { mapInSteps, type Steps } from '../lib/steps.ts';
import { closeBatch, type ClosedLine } from './rounds/close-batch.ts';
import { judge, type JudgedMember, type Next } from './decide.ts';
import { newsDueAt, repeatDueAt } from './group.ts';
import type { Context, Hold } from './policy/holds.ts';
import type {
  DeliveryBatch,
  DispatchGroup,
  Held,
  Key,
  NeedlessRepeat,
  RecipientState,
  MemberVerdict,
  Withdrawal,
} from './model.ts';
import { isFull, slotEnd } from './policy/rate.ts';
import { stateCounted, stateHeld, stateLeft, stateTold, stateWaiting } from './states.ts';

/** What becomes of one group. It grows while the group is decided. */
export interface GroupDecision {
  readonly group: DispatchGroup;
  closedAt: Instant | null;
  readonly verdicts: Map<Key, MemberVerdict>;
  readonly states: Map<Key, RecipientState>;
  readonly batches: DeliveryBatch[];
  readonly withdrawn: Withdrawal[];
  readonly needless: NeedlessRepeat[];
  /** What waits for a summary of the target. */
  readonly counted: Of<'count'>[];
  /** When to ask again. */
  readonly wakes: Instant[];
}

/** A member with one certain result. */
export type Of<T extends Next['type']> = JudgedMember & { readonly next: Extract<Next, { type: T }> };

/** `sentAt`: messages of the target within the last hour; those of this group are added. */
export function* decideGroup(
  context: Context,
  group: DispatchGroup,
  states: ReadonlyMap<Key, RecipientState>,
  sentAt: Instant[],
): Steps<GroupDecision> {
  const part = emptyPart(group);
  const round = { context, part, sentAt };
  const judged = yield* mapInSteps(group.members, (member) =>
    judge(context, group.unit, member, states.get(member.key)),
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

interface Round {
  readonly context: Context;
  readonly part: GroupDecision;
  readonly sentAt: Instant[];
}

function is<T extends Next['type']>(type: T): (one: JudgedMember) => one is Of<T> {
  return (one): one is Of<T> => one.next.type === type;
}

/** News goes out together as soon as some of it is due. */
function* tellNews(round: Round, news: readonly Of<'news'>[]): Steps<void> {
  const { part, context } = round;
  const dueAt = earliest(news.map((one) => dueAtOf(one, part.closedAt, context.now)));
  if (dueAt === null) return;
  if (dueAt > context.now) {
    for (const one of news) wait(part, one, dueAt);
    return;
  }
  if (part.group.unit === 'alert') for (const one of news) yield* tellSingly(round, one, dueAt);
  else if (isFull(part.group.cap, round.sentAt, context.now)) for (const one of news) overCap(round, one);
  else {
    yield* close(
      round,
      'news',
      news.flatMap(({ next }) => next.lines),
      dueAt,
    );
    for (const one of news) told(round, one, one.next.lines.length);
  }
}

function dueAtOf({ member, next, timers }: Of<'news'>, closedAt: Instant | null, now: Instant): Instant {
  const at = next.lines[0]?.item.at ?? now;
  return newsDueAt({ at, severity: member.severity }, timers, closedAt, now);
}

/** A machine that was told of a begin is told of its end, whatever it was sent: it keeps no summaries. */
function* tellSingly(round: Round, one: Of<'news'>, dueAt: Instant): Steps<void> {
  const { part, context, sentAt } = round;
  const { lines } = one.next;
  for (const [index, line] of lines.entries()) {
    if (!line.item.isEnd && isFull(part.group.cap, sentAt, context.now)) {
      overCap(round, one, index);
      return;
    }
    yield* close(round, 'news', [line], dueAt);
  }
  told(round, one, lines.length);
}

/** All that is open is told again with the one that is due. */
function* tellAgain(round: Round, repeats: readonly Of<'repeat'>[]): Steps<void> {
  const { part, context } = round;
  const { now } = context;
  const dueAt = earliest(
    repeats.map(({ next, timers }) => repeatDueAt(next.notifiedAt, next.repeatMs, timers, part.closedAt, now)),
  );
  if (dueAt === null) return;
  if (dueAt > now) {
    for (const one of repeats) drop(part, one, { why: 'nothing-new', askAt: dueAt });
  } else if (isFull(part.group.cap, round.sentAt, now)) for (const one of repeats) overCap(round, one);
  else {
    yield* close(
      round,
      'repeat',
      repeats.map(({ next }) => next.line),
      dueAt,
    );
    for (const one of repeats) keep(part, one, { type: 'send', as: 'repeat' }, toldAgain(one));
  }
}

function toldAgain({ state }: JudgedMember): RecipientState {
  return { ...state, held: null, heldAt: null, owed: 'untried' };
}

function* close(round: Round, kind: 'news' | 'repeat', lines: readonly ClosedLine[], dueAt: Instant): Steps<void> {
  const { part, context, sentAt } = round;
  const { target, id } = part.group;
  for (const { alert, item } of lines) if (item.isEnd) part.needless.push({ target, key: alert.key });
  part.batches.push(yield* closeBatch({ kind, target, groupId: id, dueAt, closedAt: part.closedAt }, lines));
  part.closedAt = context.now;
  sentAt.push(context.now);
}

/** `rest` of what was told is held: a mute lets only the end through. */
function told({ part, context }: Round, one: Of<'news'>, lines: number): void {
  const { rest } = one.next;
  if (rest !== null) part.wakes.push(wakeOf(rest, context.now));
  keep(part, one, { type: 'send', as: 'news' }, stateTold(one, lines, rest?.why ?? null, context.now));
}

const CAPPED: Held = { why: 'cap', by: null };

/** `lines`: so many of it went out before the target had its share. */
function overCap({ part, context }: Round, one: JudgedMember, lines = 0): void {
  const until = slotEnd(context.now);
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

/** What waits for a change is looked at each whole minute: all groups of a target at once. */
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
    needless: [],
    counted: [],
    wakes: [],
  };
}
