// What is wrong with a message as a whole: more of them than a recipient may be sent (103), counts that do not add up, and
// repeats that are not due, or leave some out.
import type { Instant } from '../model.ts';
import { isBeginLine, openUntil, sentOf } from './begins.ts';
import { bucketOf, HOUR_MS, limitsOf, quarter, rangeOf, type Closing } from './caps.ts';
import { isRepeated } from './calls.ts';
import { GIVEN_UP_MS, pollExcuses } from './excuses.ts';
import type { CountedLine, TryMember } from './log.ts';
import { SLOT_MS, type Message } from './facts/messages.ts';
import { repeatOf, storyOf, type Court } from './owed.ts';
import { spanAt, merged } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';
import { isTakenBack } from './taken-back.ts';
import type { Duty, PeopleCheck, PeopleVerdict } from './verdict.ts';

/** Jumps of less than a minute shift nothing. */
const EARLY_MS = 60_000;

function wrong(
  court: Court,
  message: Message,
  check: PeopleCheck,
  duty: Duty,
  what: string,
  of?: Story,
): PeopleVerdict[] {
  const [member] = message.members;
  const story = of ?? (member === undefined ? undefined : court.stories.storiesOf(member.key, member.seq)[0]);
  if (story === undefined) return [];
  const { target, id, firstAt, kind } = message;
  return [
    {
      check,
      at: firstAt,
      watch: story.rule.slice(0, story.rule.lastIndexOf('/')),
      what: `message ${id} to ${target}: ${what}`,
      story: storyOf(court, {
        story,
        target,
        duty,
        at: firstAt,
        after: null,
        trail: [],
        came: kind,
        lateMs: null,
        step: null,
      }),
    },
  ];
}

export function judgeCap(court: Court, message: Message): PeopleVerdict[] {
  const { target, recordedAt: closedAt } = message;
  if (closedAt === null || !court.clock.isEven(closedAt - HOUR_MS, closedAt + HOUR_MS)) return [];
  if (message.isSummary) return judgeSlot(court, message);
  // A store that refuses cannot be asked how many there were.
  if (message.tries[0]?.marks.fromMemory === true) return [];
  const bucket = bucketOf(court, { ...message, closedAt });
  const limits = limitsOf(court.timeline.at(closedAt).channelOf(target), bucket);
  const all = court.caps.closingsOf(target, bucket);
  const own = all.find((one) => one.message === message);
  if (limits === null || own === undefined || own.isFree) return [];
  // Those that were taken back before anybody could see them disturb nobody. What passes in any case may have come behind.
  const within = (ms: number): readonly Closing[] =>
    all
      .slice(...rangeOf(all, closedAt - ms, closedAt))
      .filter((one) => !isTakenBack(court, one, closedAt) && !(one.isFree && one.at === closedAt));
  const [slot, hour] = [within(SLOT_MS), within(HOUR_MS)];
  const over = (duty: Duty, what: string): PeopleVerdict[] => wrong(court, message, 'over-the-cap', duty, what);
  if (slot.length > limits.burst) return over('burst', `${slot.length} ${bucket} messages in ten minutes`);
  if (hour.length > limits.perHour) return over('hour', `${hour.length} ${bucket} messages in an hour`);
  const isGreedy = [...own.rules].find((rule) => {
    const count = (some: readonly Closing[]): number => some.filter(({ rules }) => rules.has(rule)).length;
    return count(slot) > quarter(limits.burst) || count(hour) > quarter(limits.perHour);
  });
  return bucket === 'common' || isGreedy === undefined ? [] : over('rule', `${isGreedy} takes more than a quarter`);
}

/** One summary of each sort and bucket in a slot. */
function judgeSlot(court: Court, message: Message): PeopleVerdict[] {
  if (message.kind !== 'overflow_summary') return [];
  const slotOf = ({ closedAt }: Message): number => Math.floor(court.clock.at(closedAt) / SLOT_MS);
  // A clock that was set back shows a slot again.
  const since = court.clock.setAt(message.closedAt) ?? -Infinity;
  const other = court.messages
    .to(message.target)
    .find(
      (one) =>
        one.kind === message.kind &&
        one.firstAt < message.firstAt &&
        one.closedAt >= since &&
        slotOf(one) === slotOf(message) &&
        bucketOf(court, one) === bucketOf(court, message),
    );
  return other === undefined ? [] : wrong(court, message, 'over-the-cap', 'slot', 'a second summary in one slot');
}

/** What is counted below the list is what is not listed, and there is an end to both. */
export function judgeCounts(court: Court, message: Message): PeopleVerdict[] {
  const more = message.tries[0]?.more ?? [];
  const unlisted = message.members.filter(({ isListed }) => !isListed);
  const isSame = sameCounts(sumsOf(more), sumsOf(unlisted));
  if (isSame) return judgeMembers(court, message);
  const folded = unlisted.find(({ count }) => count > 1);
  const about = folded === undefined ? undefined : court.stories.storiesOf(folded.key, folded.seq)[0];
  return wrong(court, message, 'summary-wrong', 'counts', 'the printed counts do not add up to its members', about);
}

function sumsOf(lines: readonly (CountedLine | TryMember)[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { watch, alert, severity, type, count } of lines) {
    const name = `${watch}/${alert} ${severity} ${type}`;
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums;
}

function sameCounts(some: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean {
  return some.size === others.size && [...some].every(([name, count]) => others.get(name) === count);
}

/** A summary stands for nothing that was retracted before its first try. */
function judgeMembers(court: Court, message: Message): PeopleVerdict[] {
  if (!message.isSummary) return [];
  return message.members.flatMap(({ key, seq, type }) => {
    const [story] = type === 'event' ? court.stories.storiesOf(key, seq) : [];
    const isOver = story?.end?.type === 'retracted' && story.to + 10_000 < message.firstAt;
    if (story === undefined || !isOver) return [];
    return wrong(court, message, 'summary-wrong', 'of-nothing', `${story.rule} was retracted before`, story);
  });
}

export interface SentStory {
  readonly story: Story;
  readonly from: number;
  readonly to: number;
}

/** At least one member is due, and all are in it that are open, sent and unacknowledged. The cap holds only what is due. */
export function judgeRepeat(court: Court, message: Message, sent: readonly SentStory[]): PeopleVerdict[] {
  if (message.kind === 'overflow_summary') return earlyIn(court, message);
  if (message.kind !== 'repeat') return [];
  const repeated = message.members.filter(({ as }) => as === 'repeat');
  const isOwed =
    repeated.some(({ reason }) => reason !== null) || repeated.some((member) => isDue(court, message, member));
  const early = isOwed ? [] : wrong(court, message, 'repeat-wrong', 'early', 'no member of the repeat was due');
  return [...early, ...missingIn(court, message, sent)];
}

function earlyIn(court: Court, message: Message): PeopleVerdict[] {
  const early = message.members.find(
    // Of what is only counted it does not say why it is told again.
    (one) => one.as === 'repeat' && one.isListed && one.reason === null && !isDue(court, message, one),
  );
  if (early === undefined) return [];
  return wrong(court, message, 'repeat-wrong', 'early', `the repeat of ${early.watch}/${early.alert} was not due`);
}

function isDue(court: Court, { target, closedAt }: Message, { key, seq }: TryMember): boolean {
  const [story] = court.stories.storiesOf(key, seq);
  if (story === undefined) return true;
  const begins = court.linesOf(story, target).filter(isBeginLine);
  const times = begins.flatMap(({ message: { sentAt } }) => (sentAt !== null && sentAt < closedAt ? [sentAt] : []));
  const isGivenUp = begins.some(({ message: { deadAt } }) => deadAt !== null && deadAt < closedAt);
  const everyMs = repeatOf(court, story, target, closedAt) ?? (isGivenUp ? GIVEN_UP_MS : null);
  if (everyMs === null) return false;
  // It may have been told from memory before it was stored.
  const last = Math.max(...times, Math.min(story.from, story.begin.fromMemoryAt ?? story.from));
  return court.clock.waitUntil(last, court.clock.at(last) + everyMs) <= closedAt + EARLY_MS;
}

function missingIn(court: Court, message: Message, sent: readonly SentStory[]): PeopleVerdict[] {
  const { target, closedAt, firstAt } = message;
  const [first] = message.members;
  if (court.timeline.kindOf(target, closedAt) !== 'people' || first === undefined) return [];
  const group = court.groups.groupAt(`${first.watch}/${first.alert}`, target, closedAt);
  const keys = new Set(message.members.map(({ key }) => key));
  const missing = sent.find(({ story, from, to }) => {
    const isThere = from < closedAt - EARLY_MS && firstAt < to && !keys.has(story.key);
    return (
      isThere &&
      [story.from, closedAt].every((at) => isRepeated(court, story, at)) &&
      // A reload may be under way that moves it to another group.
      [closedAt, closedAt - 10_000].every((at) => court.groups.groupAt(story.rule, target, at) === group) &&
      isToBeRepeated(court, story, message) &&
      // One that is over the cap waits for its own time, and one that was for the summary.
      court.caps.fullFrom(target, story, closedAt - 1, 0) === null &&
      !isInNextSummary(court, story, message)
    );
  });
  if (missing === undefined) return [];
  const { story } = missing;
  return wrong(
    court,
    message,
    'repeat-wrong',
    'member-missing',
    `${story.rule} is open and is not in the repeat`,
    story,
  );
}

function isInNextSummary({ linesOf, caps }: Court, story: Story, { target, closedAt }: Message): boolean {
  const until = caps.slotEnd(closedAt);
  return linesOf(story, target).some(
    ({ message }) => message.kind === 'overflow_summary' && message.closedAt >= closedAt && message.closedAt <= until,
  );
}

function isToBeRepeated(court: Court, story: Story, { target, closedAt }: Message): boolean {
  const { silence, mute, inhibition } = court.holds.of(story.rule);
  const unpolled = pollExcuses(court, story).flatMap(({ spans }) => spans);
  const isHeld = [silence, mute, inhibition, merged(court.acksOf(story)), unpolled].some(
    (spans) => spanAt(spans, closedAt) !== null || spanAt(spans, closedAt - 10_000) !== null,
  );
  const isNamed = court.timeline.at(closedAt).namedFor(story.rule)?.targets.includes(target) === true;
  return (
    !isHeld &&
    isNamed &&
    !isUnderWay(court, story, target, closedAt) &&
    repeatOf(court, story, target, closedAt) !== null &&
    court.severityAt(story, closedAt) !== 'info'
  );
}

/** Nothing is told again while the last message about it is tried. */
function isUnderWay({ linesOf }: Court, story: Story, target: string, at: Instant): boolean {
  return linesOf(story, target).some(({ message: { closedAt, knownAt, deadAt } }) => {
    return closedAt < at && (knownAt ?? Infinity) >= at && (deadAt ?? Infinity) >= at;
  });
}

/** By target: what it knows to be open, and until when. */
export function sentStories(court: Court, story: Story, target: string): SentStory[] {
  const from = sentOf(court.linesOf(story, target));
  const to = openUntil(court, story);
  return from === null || from >= to ? [] : [{ story, from, to }];
}
