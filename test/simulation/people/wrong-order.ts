// What must not be sent since the receiver knows it already, or knows what came after it.
import type { Line, Message } from './facts/messages.ts';
import type { Happened, Story } from './facts/stories.ts';
import type { Try, TryMember } from './log.ts';
import type { Court } from './owed.ts';
import type { PeopleVerdict } from './verdict.ts';
import { wrong } from './wrong-messages.ts';

export function judgeOrder(court: Court, message: Message): PeopleVerdict[] {
  const lines = message.members.flatMap((member) => {
    const happened = court.stories.transitionOf(member.key, member.seq);
    const story = court.stories.storiesOf(member.key, member.seq).at(-1);
    if (happened === null || story === undefined) return [];
    const line = { message, member };
    return [...toldBefore(court, story, line, happened), ...overtaken(court, story, line)];
  });
  return [...lines, ...sentAgain(court, message)];
}

/** The same of one transition, in another message that the receiver had taken over by then. */
function toldBefore(court: Court, story: Story, line: Line, { knownAt }: Happened): PeopleVerdict[] {
  const { message, member } = line;
  const isCopy = message.tries.some(({ marks }) => marks.maybeCopy || marks.fromMemory);
  if (member.as === 'repeat' || member.reason !== null || message.sentAt === null || isCopy) return [];
  const before = court.messages
    .about(message.target, member.key)
    .find(
      (one) =>
        one.message.id !== message.id &&
        one.member.seq === member.seq &&
        one.member.as !== 'repeat' &&
        one.message.firstAt < message.firstAt &&
        one.message.sentAt !== null &&
        one.message.sentAt >= knownAt,
    );
  if (before === undefined) return [];
  const what = `${member.type} is told twice, in ${before.message.id} before`;
  return [wrong(court, story, line, { check: 'twice', duty: 'known', what })];
}

/** Taken over at a try that began when it was written down that a later one of the same alert had been. */
function overtaken(court: Court, story: Story, line: Line): PeopleVerdict[] {
  const { message, member } = line;
  const taken = takenOverIn(message);
  // What was over meanwhile may have been taken out of it.
  const isIn = taken?.members.some(({ key, seq }) => key === member.key && seq === member.seq) ?? false;
  if (taken === null || !isIn || message.isSummary) return [];
  const later = court.messages
    .about(message.target, member.key)
    .find((one) => isLater(one.member, member) && (one.message.knownAt ?? Infinity) < taken.begunAt);
  if (later === undefined) return [];
  const what = `${member.type} is told behind ${later.member.type}, in ${later.message.id}`;
  return [wrong(court, story, line, { check: 'stale', duty: 'overtaken', what })];
}

/** Null: by no try whose turn it was, since it was told from memory, or given up before. */
function takenOverIn({ tries, sentAt, deadAt }: Message): Try | null {
  const taken = tries.find(({ endedAt, begunAt }) => (endedAt ?? begunAt) === sentAt);
  const isOutOfTurn = taken === undefined || taken.marks.fromMemory || (deadAt !== null && deadAt < taken.begunAt);
  return isOutOfTurn ? null : taken;
}

function isLater(one: TryMember, other: TryMember): boolean {
  return one.seq > other.seq && one.as !== 'repeat';
}

/** Under the same id, though it was written down that it was taken over. */
function sentAgain(court: Court, message: Message): PeopleVerdict[] {
  const { knownAt, tries, members } = message;
  const [member] = members;
  if (knownAt === null || member === undefined) return [];
  const again = tries.find(({ begunAt, marks }) => begunAt > knownAt && !marks.maybeCopy);
  const [story] = court.stories.storiesOf(member.key, member.seq);
  if (again === undefined || story === undefined) return [];
  const what = 'is sent again under its id after it was taken over';
  return [wrong(court, story, { message, member }, { check: 'twice', duty: 'known', what })];
}
