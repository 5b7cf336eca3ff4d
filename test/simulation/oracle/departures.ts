// Alerts about some tokens that leave: each that was held, and then was not for three intervals of right time, is told
// once, by the second poll from then on that reads the list to its end; none is told that was served, or that one poll
// alone lacks.
import type { DepartureReference, Instant, Owed, ReadPoll, Span, Step, Verdict } from '../model.ts';
import { begunBy, decidedAt, type Evidence } from './evidence.ts';

export function judgeDepartures(evidence: Evidence): Verdict[] {
  return evidence.references.departures.flatMap((reference) => {
    const told = evidence.logs.owed.filter(
      ({ watch, alert }) => watch === reference.watch && alert === reference.alert,
    );
    return [...lostOf(evidence, reference, told), ...inventedOf(evidence, reference, told)];
  });
}

function lostOf(evidence: Evidence, reference: DepartureReference, told: readonly Owed[]): Verdict[] {
  const { logs, references } = evidence;
  const rightTime = evidence.rightTimeOf(reference.path);
  const enough = 3 * references.intervalMs;
  const complete = evidence.pollsOf(reference.watch, reference.path).filter(isComplete);
  const completeAfter = (from: Instant): Instant | null =>
    complete.find(({ poll }) => poll.startedAt >= from)?.until ?? null;
  const knownAfter = (from: Instant): Instant | null => {
    const at = rightTime.after(from, enough);
    return at === null ? null : completeAfter(at);
  };
  const goneAfter = (from: Instant): Instant | null => {
    const missingAt = knownAfter(from);
    return missingAt === null ? null : completeAfter(missingAt + ANOTHER_MS);
  };
  return reference.tokens.flatMap((token) =>
    absencesOf(logs.chain.tokens.get(token) ?? [], logs.span).flatMap(({ held, from, to }): Verdict[] => {
      const knownAt = knownAfter(Math.max(held, logs.span.from));
      const dueAt = goneAfter(from);
      const isOwed = knownAt !== null && knownAt <= from && dueAt !== null && dueAt <= to;
      if (!isOwed || told.some(({ item, at }) => item === token && from <= at && at <= dueAt)) return [];
      const what = `${reference.alert}: ${token} left at ${new Date(from).toISOString()} and was not told`;
      return [{ check: 'lost', at: dueAt, watch: reference.watch, what }];
    }),
  );
}

/** Polls that are closer together count as one. */
const ANOTHER_MS = 20_000;

/** A row may stand on a page that was not read. */
function isComplete({ poll, readings }: ReadPoll): boolean {
  const isRead = readings.length > 0 && readings.every(({ isWhole }) => isWhole);
  return isRead && poll.isKept && !poll.isMissed;
}

interface Absence extends Span {
  /** Since when it had been held. */
  readonly held: Instant;
}

function absencesOf(steps: readonly Step[], { to }: Span): Absence[] {
  const turns = steps.filter(({ value }, n) => n === 0 || (value === '0') !== (steps[n - 1]?.value === '0'));
  return turns.flatMap(({ at, value }, n): Absence[] => {
    const before = turns[n - 1];
    return value !== '0' || before === undefined ? [] : [{ held: before.at, from: at, to: turns[n + 1]?.at ?? to }];
  });
}

function inventedOf(
  evidence: Evidence,
  { watch, alert, path, tokens }: DepartureReference,
  told: readonly Owed[],
): Verdict[] {
  const polls = evidence.pollsOf(watch, path);
  return told.flatMap((one): Verdict[] => {
    const { at, item } = one;
    const decided = decidedAt(polls, one);
    const mayLeave = item !== null && (tokens.includes(item) || isFromElsewhere(polls, decided, item));
    const why = mayLeave ? whyNotGone(polls, decided, item) : 'is none of them';
    return why === null ? [] : [{ check: 'invented', at, watch, what: `${alert}: ${item ?? 'nothing'} ${why}` }];
  });
}

/**
 * Another server may have another order, so that a row stands on neither page; and one of another chain shows tokens that
 * leave when it answers no more.
 */
function isFromElsewhere(polls: readonly ReadPoll[], at: Instant, token: string): boolean {
  const upTo = polls.slice(0, begunBy(polls, at));
  return upTo.some(({ served }, n) =>
    served.some(
      ({ replica, answer }) =>
        replica !== 'chain' &&
        answer !== null &&
        (n === upTo.length - 1 || (answer.type === 'page' && answer.page.rows.some(({ id }) => id === token))),
    ),
  );
}

/**
 * Null: the last poll up to then and an earlier one read whole lists without it, and none between showed it. Lists
 * without anything do not count.
 */
export function whyNotGone(polls: readonly ReadPoll[], at: Instant, token: string): string | null {
  const upTo = polls.slice(0, begunBy(polls, at));
  const shows = ({ readings }: ReadPoll): boolean => readings.some(({ rows }) => rows.some(({ id }) => id === token));
  const since = upTo.slice(upTo.findLastIndex(shows) + 1);
  if (since.length === 0) return 'was served';
  return since.filter(isWholeList).length >= 2 ? null : 'was not missing from two polls that read the whole list';
}

function isWholeList({ readings }: ReadPoll): boolean {
  return readings.some(
    ({ below, isWhole, nameless, rows }) => below === null && isWhole && nameless === 0 && rows.length > 0,
  );
}
