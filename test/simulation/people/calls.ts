// What follows while an alert stays open and nobody answers: steps, failover, repeats (dispatch.md 6), the message after an
// acknowledgement that has ended (101), and that of a raised severity (114).
import type { Instant, Span } from '../model.ts';
import { isBeginLine, openUntil, sentOf } from './begins.ts';
import { acrossReloads } from './excuses.ts';
import type { Line } from './facts/messages.ts';
import { judgeOwed, repeatOf, type Court, type Owed } from './owed.ts';
import { failoversIn, stepsIn, type CallDue } from './steps.ts';
import { common, gapsIn, merged, spanAt } from './facts/spans.ts';
import { RANK, type Story } from './facts/stories.ts';
import type { Version } from './facts/timeline.ts';
import type { PeopleVerdict } from './verdict.ts';

type Named = ReadonlyMap<string, readonly Span[]>;

export function judgeCalls(court: Court, story: Story, named: Named): PeopleVerdict[] {
  const open = { from: story.from, to: Math.min(openUntil(court, story), court.log.span.to) };
  // A critical event fails over in any case (111).
  const failing = { from: story.from, to: Math.min(story.to, court.log.span.to) };
  const failovers = failoversIn(court, story, failing).flatMap((call) => judgeStep(court, story, named, call));
  if (open.to <= open.from) return failovers;
  return [
    ...failovers,
    ...stepsIn(court, story, open).flatMap((step) => judgeStep(court, story, named, step)),
    ...[...named].flatMap(([target, spans]) => [
      ...judgeAckEnds(court, story, target, spans, open),
      ...judgeRaises(court, story, target, spans, open),
      ...judgeRepeats(court, story, target, spans, open),
    ]),
  ];
}

type Call = Pick<Owed, 'duty' | 'from' | 'until' | 'isMet' | 'step' | 'excused'> & Partial<Pick<Owed, 'endsWith'>>;

function judgeCall(court: Court, story: Story, target: string, call: Call): PeopleVerdict[] {
  return judgeOwed(court, {
    endsWith: [],
    ...call,
    story,
    target,
    lines: court.linesOf(story, target),
    holds: 'calls',
  });
}

/** Who is named by a route knows it already. */
function judgeStep(court: Court, story: Story, named: Named, call: CallDue): PeopleVerdict[] {
  const { target, duty, since, count, isPassed, again } = call;
  const begins = court.linesOf(story, target).filter(isBeginLine);
  const calls = begins.filter(({ message }) => message.closedAt >= since);
  const endsWith = endsWithOf(begins, since);
  const isMet = (line: Line): boolean => calls.indexOf(line) >= count - 1;
  const step = duty === 'step' ? { count, isPassed, again } : null;
  return gapsIn(merged(named.get(target) ?? []), { from: call.from, to: call.until }).flatMap(({ from, to: until }) =>
    judgeCall(court, story, target, { duty, from, until, isMet, step, endsWith }),
  );
}

/** Only a begin is tried again after it was given up: who accepted it knows of the alert (109). */
function endsWithOf(begins: readonly Line[], since: Instant): Owed['endsWith'] {
  return begins.some(({ message }) => message.closedAt < since && message.acceptedAt !== null) ? ['given-up'] : [];
}

function judgeAckEnds(court: Court, story: Story, target: string, spans: readonly Span[], open: Span): PeopleVerdict[] {
  if (story.form === 'event') return [];
  const begins = court.linesOf(story, target).filter(isBeginLine);
  const ends = court.acksOf(story).filter(({ end }) => end === 'over' || end === 'withdrawn');
  return ends.flatMap(({ to: from }) => {
    const span = spanAt(merged(spans), from);
    if (span === null || from >= open.to) return [];
    // A begin that is accepted only then tells it, too.
    const isMet = (line: Line): boolean =>
      isBeginLine(line) && (line.message.closedAt >= from - UNDER_WAY_MS || (line.message.sentAt ?? 0) >= from);
    return judgeCall(court, story, target, {
      duty: 'ack-ended',
      from,
      until: Math.min(span.to, open.to),
      isMet,
      endsWith: endsWithOf(begins, from),
    });
  });
}

const UNDER_WAY_MS = 10_000;

function judgeRaises(court: Court, story: Story, target: string, spans: readonly Span[], open: Span): PeopleVerdict[] {
  return court.raisesOf(story).flatMap(({ at: from, severity }) => {
    const span = spanAt(merged(spans), from);
    if (span === null) return [];
    const isMet = ({ member, message }: Line): boolean =>
      message.closedAt >= from - UNDER_WAY_MS && RANK[member.severity] >= RANK[severity];
    return judgeCall(court, story, target, {
      duty: 'raised',
      from,
      until: Math.min(span.to, open.to),
      isMet,
    });
  });
}

/** Each message that was sent begins the time to the next one; so does the end of an acknowledgement. */
function judgeRepeats(court: Court, story: Story, target: string, spans: readonly Span[], open: Span): PeopleVerdict[] {
  const lines = court.linesOf(story, target).filter(isBeginLine);
  if (sentOf(lines) === null || !isRepeated(court, story)) return [];
  // Of a message that was sent twice, since nobody knew whether it had arrived, the copy that was recorded counts.
  const times = lines.flatMap(({ message }) => message.knownAt ?? message.sentAt ?? []).toSorted((a, b) => a - b);
  const acks = merged(court.acksOf(story));
  return times.flatMap((at, n) => {
    const next = times.slice(n + 1).find((other) => other > at) ?? Infinity;
    const from = dueAfter(court, story, target, at, acks);
    const span = from === null ? null : spanAt(merged(spans), from);
    if (from === null || span === null || from >= next || from >= open.to) return [];
    const until = Math.min(span.to, open.to, nextOff(court, story, target, from));
    const isMet = (line: Line): boolean => isBeginLine(line) && (line.message.sentAt ?? Infinity) > at;
    const everyMs = repeatOf(court, story, target, at) ?? 0;
    return judgeCall(court, story, target, {
      duty: 'repeat',
      from,
      until,
      isMet,
      excused: { by: 'jump', spans: dueAgain(court, from, everyMs) },
    });
  });
}

/** The clock is looked at so often. */
const NOTICED_MS = 60_000;

/**
 * What was due and is held waits for its time once more where the clock is set back before it, from then on where it is set
 * back before the last time.
 */
function dueAgain({ clock, log }: Court, from: Instant, everyMs: number): readonly Span[] {
  const shown = clock.at(from);
  const set = log.jumps.filter(({ at, ms }) => ms < 0 && at > from && clock.at(at) < shown - everyMs);
  return merged([
    ...common(clock.between(shown - everyMs, shown), [{ from, to: Infinity }]),
    ...set.map(({ at }) => ({ from: at, to: at + everyMs + NOTICED_MS })),
  ]);
}

export function isRepeated({ timeline }: Court, story: Story, at: Instant = story.from): boolean {
  return !story.isSelf && isRepeatedUnder(timeline.at(at), story);
}

/** Events are, where they need an acknowledgement: when they happen, and still when they are due. */
function isRepeatedUnder(version: Version, { form, rule }: Story): boolean {
  return form === 'condition' || version.namedFor(rule)?.requireAck === true;
}

/** Null: never. */
function dueAfter(court: Court, story: Story, target: string, at: Instant, acks: readonly Span[]): Instant | null {
  const everyMs = everyAfter(court, story, target, at);
  if (everyMs === null) return null;
  // Where it is acknowledged then, the time begins with the end of that.
  const held = acks.filter((span) => span.to > at && span.from <= at + everyMs).at(-1);
  const begun = held?.to ?? at;
  const againMs = everyAfter(court, story, target, begun);
  if (againMs === null) return null;
  const from = court.clock.waitUntil(begun, court.clock.at(begun) + againMs);
  const isOff = court.severityAt(story, from) === 'info' || !isRepeatedUnder(court.timeline.at(from), story);
  return isOff ? null : from;
}

/** Null: it is not repeated. */
function everyAfter(court: Court, story: Story, target: string, at: Instant): number | null {
  const shown = court.clock.at(at);
  return acrossReloads((ms) => repeatOf(court, story, target, court.clock.waitUntil(at, shown + ms)));
}

/** When a reload makes it one that is not repeated, or not so soon. */
function nextOff(court: Court, story: Story, target: string, from: Instant): Instant {
  const everyMs = repeatOf(court, story, target, from) ?? Infinity;
  const versions = court.timeline.within({ from, to: court.log.span.to });
  const other = versions.find((version) => {
    const nowMs = repeatOf(court, story, target, version.from) ?? Infinity;
    const isOff = court.severityAt(story, version.from) === 'info' || !isRepeatedUnder(version, story);
    return version.from > from && (nowMs > everyMs || isOff);
  });
  return other?.from ?? Infinity;
}
