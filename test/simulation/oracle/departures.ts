// Alerts about some tokens that leave: each that was held, and then was not for three intervals of right time, is told
// once, by the next poll that reads the list to its end; none is told that was served.
import type { DepartureReference, Instant, Owed, ReadPoll, Span, Step, Verdict } from '../model.ts';
import { decidedAt, type Evidence } from './evidence.ts';

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
  const knownAfter = (from: Instant): Instant | null => {
    const at = rightTime.after(from, enough);
    return at === null ? null : (complete.find(({ poll }) => poll.startedAt >= at)?.until ?? null);
  };
  return reference.tokens.flatMap((token) =>
    absencesOf(logs.chain.tokens.get(token) ?? [], logs.span).flatMap(({ held, from, to }): Verdict[] => {
      const knownAt = knownAfter(Math.max(held, logs.span.from));
      const dueAt = knownAfter(from);
      const isOwed = knownAt !== null && knownAt <= from && dueAt !== null && dueAt <= to;
      if (!isOwed || told.some(({ item, at }) => item === token && from <= at && at <= dueAt)) return [];
      const what = `${reference.alert}: ${token} left at ${new Date(from).toISOString()} and was not told`;
      return [{ check: 'lost', at: dueAt, watch: reference.watch, what }];
    }),
  );
}

/** A row may stand on a page that was not read. A list that lacks a row is read once more within the poll. */
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
    const poll = polls.findLast(({ poll }) => poll.startedAt <= decidedAt(polls, one));
    const mayLeave = item !== null && (tokens.includes(item) || isFromElsewhere(poll));
    const why = mayLeave ? whyHeld(poll, item) : 'is none of them';
    return why === null ? [] : [{ check: 'invented', at, watch, what: `${alert}: ${item ?? 'nothing'} ${why}` }];
  });
}

/** Another server may have another order, so that a row stands on neither page. */
function isFromElsewhere(poll: ReadPoll | undefined): boolean {
  return poll?.served.some(({ replica, answer }) => replica !== 'chain' && answer !== null) ?? false;
}

function whyHeld(poll: ReadPoll | undefined, token: string): string | null {
  const readings = poll?.readings ?? [];
  return readings.some(({ rows }) => rows.some(({ id }) => id === token)) ? 'was served' : null;
}
