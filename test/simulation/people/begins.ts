// Who must know of what happened (79, 99): whoever a route names while it is open, and was not sent it; of an event, whoever
// is named when it happens, and in their place those of today, where they are named no more before it was sent. What was
// over before it was sent is one thing (95, 108, 116).
import type { Instant, Span } from '../model.ts';
import type { Acked } from './facts/holds.ts';
import { isTaken, type Line } from './facts/messages.ts';
import { channelGoneFrom, judgeOwed, type Court } from './owed.ts';
import { coversAll, merged, nextStart, spanAt, touches } from './facts/spans.ts';
import { isBegin, type Story } from './facts/stories.ts';
import type { Excuse, PeopleVerdict } from './verdict.ts';

/** Of a begin that was told, for now or later. */
export function isBeginLine({ member }: Line): boolean {
  return member.as !== 'fired-and-resolved' && (isBegin(member.type) || member.type === 'corrected');
}

/** When the target was sent that it began; null: never. */
export function sentOf(lines: readonly Line[]): Instant | null {
  const times = lines.flatMap((line) => (isBeginLine(line) ? (line.message.sentAt ?? []) : []));
  return times.length === 0 ? null : Math.min(...times);
}

/** By target: when it is named for what is open, or waits to be told. */
export function namedSpans(court: Court, story: Story): Map<string, Span[]> {
  const spans = new Map<string, { from: Instant; to: Instant }[]>();
  const add = (target: string, { from, to }: Span): void => {
    const known = spans.get(target) ?? [];
    const last = known.at(-1);
    if (last?.to === from) last.to = to;
    else spans.set(target, [...known, { from, to }]);
  };
  const open = { from: story.from, to: openUntil(court, story) };
  for (const version of court.timeline.within(open)) {
    const span = { from: Math.max(version.from, open.from), to: Math.min(version.to, open.to) };
    for (const target of version.namedFor(story.rule)?.targets ?? []) add(target, span);
  }
  if (story.form === 'event' && open.to === story.from) movedIn(court, story, add);
  return spans;
}

const EVENT_OPEN_MS = 7 * 86_400_000;

/** An event that nobody has to acknowledge is not open. */
export function openUntil(court: Court, story: Story): Instant {
  if (story.form === 'condition') return story.to;
  const named = court.timeline.at(story.from).namedFor(story.rule);
  if (named === null || !(named.requireAck || named.steps.length > 0)) return story.from;
  const acked = court.acksOf(story).find((one) => !opensAgain(one))?.from ?? Infinity;
  return Math.min(story.to, acked, court.clock.waitUntil(story.from, court.clock.at(story.from) + EVENT_OPEN_MS));
}

/** Only the end of a snooze does, and a withdrawal (111). */
function opensAgain({ end, isShort }: Acked): boolean {
  return end === 'withdrawn' || end === 'replaced' || (end === 'over' && isShort);
}

/** Those of today take the place of those who are named no more, and were not sent it. */
function movedIn(court: Court, story: Story, add: (target: string, span: Span) => void): void {
  const { timeline, log } = court;
  let waiting: readonly string[] = [];
  let involved: readonly string[] = [];
  for (const version of timeline.within({ from: story.from, to: Math.min(story.to, log.span.to) })) {
    const today = version.namedFor(story.rule)?.targets ?? [];
    const span = { from: Math.max(version.from, story.from), to: Math.min(version.to, story.to) };
    waiting = waiting.filter(
      (target) => !isSentBefore(court, story, target, span.from) && !isLeftOut(court, story, target, span.from),
    );
    const lost = waiting.filter((target) => !today.includes(target));
    const joining = involved.length === 0 || lost.length > 0 ? today.filter((one) => !involved.includes(one)) : [];
    waiting = [...waiting.filter((target) => today.includes(target)), ...joining];
    involved = [...new Set([...involved, ...joining])];
    for (const target of waiting) add(target, span);
    if (waiting.length === 0) return;
  }
}

/** A try that is under way then is settled first. */
function isSentBefore(court: Court, story: Story, target: string, at: Instant): boolean {
  return court
    .linesOf(story, target)
    .some(
      ({ message: { tries, deadAt } }) => (tries.find(isTaken)?.begunAt ?? Infinity) <= at || (deadAt ?? Infinity) < at,
    );
}

/** A program hears nothing of an event that something held, once that is over. */
function isLeftOut({ holds, clock, timeline }: Court, story: Story, target: string, at: Instant): boolean {
  // Its channel may be of another kind from then on.
  if (timeline.kindOf(target, at - 1) === 'people') return false;
  const { silence, inhibition, sureInhibition } = holds.of(story.rule);
  const begunAt = clock.whenShown(story.begin.decidedClock, story.from);
  // It may be named only later, while something holds it.
  const starts = [silence, inhibition].map((spans) => (spanAt(spans, begunAt) ? begunAt : nextStart(spans, begunAt)));
  const heldFrom = Math.max(Math.min(...starts), story.from);
  return heldFrom < Math.max(at, story.from + 1) && !coversAll(merged([...silence, ...sureInhibition]), heldFrom, at);
}

export function judgeBegins(court: Court, story: Story, spans: ReadonlyMap<string, readonly Span[]>): PeopleVerdict[] {
  return [...spans].flatMap(([target, own]) => {
    const lines = court.linesOf(story, target);
    const sentAt = sentOf(lines) ?? Infinity;
    const begins = own
      .filter(({ from }) => sentAt >= from && !wasLeftOut(court, story, target, own, from))
      .flatMap((span) => judgeBegin(court, story, target, span, lines));
    return begins.length > 0 ? begins : judgeShort(court, story, target, own, lines);
  });
}

/** A program that was named before, and then heard nothing of an event since something held it, is not named anew. */
function wasLeftOut(
  { holds, timeline }: Court,
  story: Story,
  target: string,
  own: readonly Span[],
  at: Instant,
): boolean {
  if (story.form !== 'event') return false;
  const { silence, inhibition } = holds.of(story.rule);
  const before = own.filter(({ to }) => to <= at && timeline.kindOf(target, to - 1) !== 'people');
  return before.some(({ from, to }) => touches(silence, from, to) || touches(inhibition, from, to));
}

function judgeBegin(court: Court, story: Story, target: string, span: Span, lines: readonly Line[]): PeopleVerdict[] {
  if (isNeverKept(story) || isDropped(court, story)) return [];
  const isFirst = span.from <= story.from;
  const kind = court.timeline.kindOf(target, span.from);
  const isCounted = story.form === 'event' && kind !== 'people';
  const given = lines.flatMap(({ message }) => (story.form === 'event' ? (message.deadAt ?? []) : []));
  const found = judgeOwed(court, {
    story,
    target,
    lines,
    duty: isFirst ? (story.form === 'event' ? 'event' : 'begin') : 'reload',
    from: span.from,
    until: Math.min(span.to, story.to, ...given),
    // A summary of what a silence held counts it.
    isMet: (line) => isBegin(line.member.type) || line.member.type === 'corrected' || line.message.isSummary,
    holds: 'held',
    endsWith: isCounted ? HELD_BY_OTHERS : dropsEvents(court, story) ? ['inhibition'] : [],
  });
  return isCounted && isHeldAtFirst(court, story) ? [] : found;
}

/** Only what is critical is told from memory; a poll that the store keeps decided otherwise. */
function isNeverKept({ begin }: Story): boolean {
  return begin.at === null && begin.severity !== 'critical';
}

const HELD_BY_OTHERS: readonly Excuse[] = ['silence', 'inhibition'];

function dropsEvents({ timeline }: Court, { form, from }: Story): boolean {
  return form === 'event' && timeline.at(from).config.inhibit.some(({ events }) => events === 'drop');
}

/** Whatever else held it too, as a silence. */
function isDropped(court: Court, story: Story): boolean {
  return dropsEvents(court, story) && touches(court.holds.of(story.rule).inhibition, story.from, story.from + 1);
}

/** What happened in a silence is silenced, though it was over when it was committed. */
function isHeldAtFirst({ holds, clock }: Court, { rule, begin, from }: Story): boolean {
  const { silence, inhibition } = holds.of(rule);
  const decidedAt = clock.whenShown(begin.decidedClock, from);
  return touches(silence, decidedAt, from + 1) || touches(inhibition, decidedAt, from + 1);
}

/** It was over before it was sent. */
function judgeShort(
  court: Court,
  story: Story,
  target: string,
  spans: readonly Span[],
  lines: readonly Line[],
): PeopleVerdict[] {
  const { end, to } = story;
  const isNamed = spans.some((span) => span.from < to && to <= span.to);
  const wasTold = lines.some((line) => isBeginLine(line) && line.message.isMaybeSent);
  if (end === null || end.type !== 'resolved' || !isNamed || wasTold) return [];
  const { silence, inhibition } = court.holds.of(story.rule);
  const isSilenced = touches(silence, story.from, to) || touches(inhibition, story.from, to);
  const kind = court.timeline.kindOf(target, to);
  const wasTried = lines.some((line) => isBeginLine(line));
  // Programs hear nothing of what a silence held, and a pager only where it may know of it.
  if ((kind !== 'people' && isSilenced) || (kind === 'pager' && !wasTried)) return [];
  const isMet = ({ member, message }: Line): boolean =>
    member.as === 'fired-and-resolved' || member.type === 'resolved' || message.isSummary;
  // What was given up is tried again only while the alert is open (109).
  const given = lines.filter(isMet).flatMap(({ message }) => message.deadAt ?? []);
  return judgeOwed(court, {
    story,
    target,
    lines,
    duty: 'short',
    from: to,
    until: Math.min(nextOf(court, story), channelGoneFrom(court, target, to), ...given),
    isMet,
    holds: 'held',
    endsWith: kind === 'people' ? [] : HELD_BY_OTHERS,
  });
}

/** When it fires again: both may be told as one. */
export function nextOf({ stories, log }: Court, story: Story): Instant {
  return stories.after(story)?.from ?? log.span.to;
}
