// What people are spared and what they are not: a bounded number of messages, and to be told again of what still fires.
import type { Instant, Logs, Made, PeopleReference, Poll, Taken, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';
import { threadsOf, type Thread } from './tellings.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The daemon may have been down when it was to tell again, or the receivers may have refused. */
const REPEATED_WITHIN_MS = 16 * HOUR;

export function judgePeople({ logs, references: { people } }: Evidence): Verdict[] {
  const threads = threadsOf(logs);
  return [
    ...people.recipients.flatMap((recipient) => tooManyTo(recipient, logs, people)),
    ...repeatsIn(threads).flatMap((repeat) => judgeRepeat(repeat, people)),
    ...threads
      .filter(({ recipient }) => people.recipients.includes(recipient))
      .flatMap((thread) => notRepeatedIn(thread, logs.span.to)),
  ];
}

function tooManyTo(recipient: string, { made, polls }: Logs, { burst, perHour }: PeopleReference): Verdict[] {
  const own = made.filter((one) => one.recipient === recipient);
  const isEven = evenClockOf(polls);
  return [...overIn(own, 10 * MINUTE, burst, isEven), ...overIn(own, HOUR, perHour, isEven)].map((at) => ({
    check: 'too-many',
    at,
    watch: recipient,
    what: 'got more messages than people are to get',
  }));
}

/** When there were more messages within that time than may be. */
function overIn(
  made: readonly Made[],
  ms: number,
  most: number,
  isEven: (from: Instant, to: Instant) => boolean,
): Instant[] {
  return made.flatMap(({ at }, n) => {
    const first = made[n - most];
    return first !== undefined && at - first.at < ms && isEven(first.at, at) ? [at] : [];
  });
}

/** Whether the clock of the daemon went as time does. */
function evenClockOf(polls: readonly Poll[]): (from: Instant, to: Instant) => boolean {
  const ahead = polls.flatMap(({ decided }) =>
    decided === null ? [] : [{ at: decided.at, ms: decided.clockAt - decided.at }],
  );
  const jumps = ahead.filter(({ ms }, n) => Math.abs(ms - (ahead[n - 1]?.ms ?? ms)) > 1000).map(({ at }) => at);
  return (from, to) => jumps.every((at) => at < from - HOUR || at > to + HOUR);
}

/** A message that tells again of what still fires. */
interface Repeat {
  readonly message: Taken;
  readonly place: number;
  readonly threads: readonly Thread[];
}

function repeatsIn(threads: readonly Thread[]): Repeat[] {
  const lines = threads.flatMap((thread) => thread.repeats.map(({ message, place }) => ({ message, place, thread })));
  return [...Map.groupBy(lines, ({ place }) => place).values()].flatMap((own) =>
    own.slice(0, 1).map(({ message, place }) => ({ message, place, threads: own.map(({ thread }) => thread) })),
  );
}

/** All that still fires is told again with the first of it that is due. */
function judgeRepeat({ message, place, threads }: Repeat, people: PeopleReference): Verdict[] {
  const { at, id, recipient } = message;
  const wrong = (what: string): Verdict[] => [
    { check: 'invented', at, watch: recipient, what: `message ${id}: ${what}` },
  ];
  if (!people.recipients.includes(recipient)) return wrong('a program was told again');
  if (threads.some((thread) => isOver(thread, place))) return wrong('told again after it was told as over');
  const isDue = threads.some((thread) => passed(lastBefore(thread, place), message) >= people.repeatMs);
  return isDue ? [] : wrong('told again too early');
}

/** The last line before it was an end. */
function isOver({ episodes }: Thread, place: number): boolean {
  const isBefore = (one: { readonly place: number }): boolean => one.place < place;
  const begun = episodes.findLast(({ begin }) => begin.told.some(isBefore));
  return begun?.end?.told.some(isBefore) === true;
}

/** The last message about it that was taken over before. */
function lastBefore({ items, repeats }: Thread, place: number): Taken | undefined {
  const lines = [...items.flatMap(({ told }) => told), ...repeats].filter((one) => one.place < place);
  return lines.toSorted((a, b) => a.place - b.place).at(-1)?.message;
}

/**
 * A clock that is set back while the daemon runs takes none of the time that has passed away; one that is set forward
 * while it is down cannot be told from a long stop.
 */
function passed(before: Taken | undefined, { at, clockAt }: Taken): number {
  return before === undefined ? Infinity : Math.max(at - before.at, clockAt - before.clockAt);
}

/** A condition that was told as firing, and nothing of it since. */
function notRepeatedIn({ episodes, items, repeats, recipient }: Thread, end: Instant): Verdict[] {
  const lines = [...items.flatMap(({ told }) => told), ...repeats].map(({ message }) => message.at);
  return episodes.flatMap(({ begin, end: over }): Verdict[] => {
    const from = begin.told[0]?.message.at;
    if (begin.owed.type !== 'alert.firing' || from === undefined) return [];
    const to = over?.owed.at ?? end;
    const told = [...lines.filter((at) => at >= from && at <= to).toSorted((a, b) => a - b), to];
    const gap = told.findIndex((at, n) => n > 0 && at - (told[n - 1] ?? at) > REPEATED_WITHIN_MS);
    if (gap === -1) return [];
    const { watch, alert } = begin.owed;
    const at = (told[gap - 1] ?? from) + REPEATED_WITHIN_MS;
    return [{ check: 'lost', at, watch, what: `${alert} still fires, and ${recipient} was not told again` }];
  });
}
