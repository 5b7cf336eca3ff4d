// What the daemon owes is taken over by everyone it is owed to, once and in order. What was over before anybody could be
// told of it is told as one thing, or not at all where it was taken back.
import type { Check, Instant, Owed, Taken, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';
import { isTold, threadsOf, type Episode, type Item } from './tellings.ts';

/** The longest time in which nothing can be sent, and as much again. */
const TOLD_WITHIN_MS = 24 * 3_600_000;

export function judgeDeliveries({ logs }: Evidence): Verdict[] {
  const owedById = Map.groupBy(logs.owed, ({ id }) => id);
  const threads = threadsOf(logs);
  return [
    ...sentAgainIn(logs.taken),
    ...logs.taken.flatMap((message) => whatIsWrongWith(message, owedById)),
    ...threads.flatMap(({ items }) => [...toldTwiceIn(items), ...outOfOrderIn(items), ...lateIn(items, logs.span.to)]),
    ...threads.flatMap(({ episodes }) => episodes.flatMap(judgeEpisode)),
  ];
}

/** Under the same id, though it was on record that it had been taken over. */
function sentAgainIn(taken: readonly Taken[]): Verdict[] {
  return [...Map.groupBy(taken, ({ id }) => id).values()].flatMap((copies) => {
    const again = copies.find((copy, n) => n > 0 && wasKnown(copies[n - 1], copy));
    return again === undefined ? [] : [ofMessage(again, 'doubled', 'was sent again after it was taken over')];
  });
}

function wasKnown(before: Taken | undefined, copy: Taken): boolean {
  return before !== undefined && before.knownAt !== null && before.knownAt < copy.at;
}

function whatIsWrongWith(message: Taken, owedById: ReadonlyMap<string, readonly Owed[]>): Verdict[] {
  const { says, tells, recipient } = message;
  const isOwed = (id: string): boolean => owedById.get(id)?.[0]?.recipient === recipient;
  const foreign = tells.find(({ owed }) => !isOwed(owed));
  return [
    ...(foreign === undefined ? [] : [ofMessage(message, 'invented', `tells of ${foreign.owed}, which was not owed`)]),
    ...(says === tells.length ? [] : [ofMessage(message, 'invented', `counts ${says}, and is about ${tells.length}`)]),
  ];
}

function ofMessage({ at, id, recipient }: Taken, check: Check, what: string): Verdict {
  return { check, at, watch: recipient, what: `message ${id}: ${what}` };
}

function toldTwiceIn(items: readonly Item[]): Verdict[] {
  return items.flatMap((item) => {
    const [, second] = item.told;
    return second === undefined ? [] : [ofItem(item, second.message.at, 'doubled', 'was told in two messages')];
  });
}

function outOfOrderIn(items: readonly Item[]): Verdict[] {
  const told = items.filter(isTold);
  return told.flatMap((item, n) => {
    const [line, before] = [item.told[0], told[n - 1]?.told[0]];
    return line === undefined || before === undefined || line.place >= before.place
      ? []
      : [ofItem(item, line.message.at, 'out-of-order', 'was told before what happened earlier')];
  });
}

/** Something that waits is not lost, but not for ever. */
function lateIn(items: readonly Item[], end: Instant): Verdict[] {
  return items.flatMap((item) => {
    const dueAt = item.owed.at + TOLD_WITHIN_MS;
    return item.isWaiting && dueAt < end ? [ofItem(item, dueAt, 'lost', 'still waits to be told')] : [];
  });
}

function judgeEpisode({ begin, updates, end }: Episode): Verdict[] {
  const over = end?.told[0];
  if (isTold(begin)) return judgeTold(updates, end);
  if (end === null || over === undefined) {
    const isTakenBack = end?.owed.type === 'alert.retracted';
    const waits = [begin, ...updates, end].some((item) => item?.isWaiting === true);
    return isTakenBack || waits || updates.some(isTold) ? [] : [ofItem(begin, begin.owed.at, 'lost', 'was never told')];
  }
  const isOneThing = over.as === 'fired-and-resolved' && end.owed.type === 'alert.resolved';
  // A summary speaks of some whose begin was told and of others.
  if (isOneThing || end.owed.isOfSummary) return [];
  return [ofItem(end, over.message.at, 'invented', 'was told as over, and nobody had told that it began')];
}

/** A begin that was told needs its end, or what has changed since. An end overtakes what it makes void. */
function judgeTold(updates: readonly Item[], end: Item | null): Verdict[] {
  if (end === null)
    return updates.flatMap((item) =>
      isTold(item) || item.isWaiting ? [] : [ofItem(item, item.owed.at, 'lost', 'was never told')],
    );
  const [over] = end.told;
  if (over === undefined) return end.isWaiting ? [] : [ofItem(end, end.owed.at, 'lost', 'was never told')];
  const what = 'was told as never told before, though its begin was';
  return over.as === 'news' ? [] : [ofItem(end, over.message.at, 'doubled', what)];
}

function ofItem(
  { owed: { alert, type, recipient, watch, key } }: Item,
  at: Instant,
  check: Check,
  what: string,
): Verdict {
  return { check, at, watch, what: `${alert} ${type} of ${key} to ${recipient} ${what}` };
}
