// Messages that were taken back before their recipient can have seen them: they count for no cap (103).
import type { Instant } from '../model.ts';
import { isBeginLine } from './begins.ts';
import type { Closing } from './caps.ts';
import type { TryMember } from './log.ts';
import type { Message } from './facts/messages.ts';
import type { Court } from './owed.ts';
import { LEFT_MS, type Version } from './facts/timeline.ts';

/** It was not tried; or each try was refused, and all that it told of is over by then, or was moved to other targets. */
export function isTakenBack(court: Court, { message }: Closing, at: Instant): boolean {
  if (message === null) return true;
  if (message.isMaybeSent) return false;
  // One that was given up before counts.
  const until = Math.min(at, message.deadAt ?? at);
  return message.members.every((member) => isOver(court, member, until) || isMoved(court, message, member, until));
}

function isOver({ stories }: Court, { key, seq }: TryMember, until: Instant): boolean {
  return stories.storiesOf(key, seq).every(({ to }) => to <= until);
}

/**
 * A reload named its target no more, or took it away for so long that what waits is cancelled (99). Who was called in is
 * named by no route, and stays called in.
 */
function isMoved(court: Court, message: Message, member: TryMember, until: Instant): boolean {
  const { target, closedAt } = message;
  const isNamed = (version: Version): boolean =>
    version.namedFor(`${member.watch}/${member.alert}`)?.targets.includes(target) === true;
  const [first, ...later] = court.timeline.within({ from: closedAt, to: until });
  if (first === undefined || !isNamed(first)) return false;
  const isDropped = later.some((version) => version.channelOf(target) !== null && !isNamed(version));
  return isGone(court, message, until) || (isDropped && !wasHeard(court, message, member));
}

function isGone({ timeline }: Court, { target, closedAt }: Message, until: Instant): boolean {
  return timeline.without(target).some((span) => {
    const cancelledAt = Math.max(span.from, closedAt) + LEFT_MS;
    return cancelledAt <= Math.min(span.to, until);
  });
}

/** Who may have been sent the begin is still told what else there is of it. */
function wasHeard({ stories, linesOf }: Court, { target, closedAt }: Message, { key, seq }: TryMember): boolean {
  const lines = stories.storiesOf(key, seq).flatMap((story) => linesOf(story, target));
  return lines.some((line) => isBeginLine(line) && line.message.isMaybeSent && line.message.closedAt < closedAt);
}
