// Who was sent that it began must know that it is over, or is otherwise than it was told, whoever is named by then (99).
// An end passes every hold but the cap; a correction passes none.
import type { Instant } from '../model.ts';
import type { Line } from './facts/messages.ts';
import { isBeginLine } from './begins.ts';
import { channelGoneFrom, judgeOwed, type Court, type Owed } from './owed.ts';
import { isEnd, type Happened, type Story } from './facts/stories.ts';
import type { PeopleVerdict } from './verdict.ts';

export function judgeEnds(court: Court, story: Story, target: string): PeopleVerdict[] {
  const lines = court.linesOf(story, target);
  const begun = lines.filter((line) => isBeginLine(line) && line.message.isMaybeSent);
  const [first] = begun;
  if (first === undefined) return [];
  const sentAt = Math.min(...begun.map(({ message }) => message.sentAt ?? message.firstAt));
  const ends = [...story.partsEnded, ...(story.end === null ? [] : [story.end])];
  return [
    ...ends.flatMap((end) => judgeEnd(court, story, target, lines, end)),
    ...story.changes
      .filter((change) => change.type === 'corrected' && change.knownAt > sentAt)
      .flatMap((change) => judgeChange(court, story, target, lines, change)),
  ];
}

type Common = Pick<Owed, 'story' | 'target' | 'lines' | 'endsWith'>;

function judgeEnd(court: Court, story: Story, target: string, lines: readonly Line[], end: Happened): PeopleVerdict[] {
  const common: Common = { story, target, lines, endsWith: [] };
  // An end that tells of all of them, or of this one.
  const isMet = ({ member }: Line): boolean => isEnd(member.type) && (member.key !== end.key || member.seq >= end.seq);
  const given = lines.filter(isMet).flatMap(({ message }) => message.deadAt ?? []);
  return judgeOwed(court, {
    ...common,
    duty: 'end',
    from: end.knownAt,
    until: Math.min(court.log.span.to, forgottenFrom(court, target, end.knownAt), ...given),
    isMet,
    holds: 'passes',
  });
}

/** The end that waits for a recipient which the config does not name is kept for so long. */
const KEPT_MS = 30 * 86_400_000;

function forgottenFrom({ timeline }: Court, target: string, at: Instant): Instant {
  const absent = timeline.without(target).filter(({ from, to }) => to - Math.max(from, at) >= KEPT_MS);
  return Math.min(...absent.map(({ from }) => Math.max(from, at)));
}

function judgeChange(
  court: Court,
  story: Story,
  target: string,
  lines: readonly Line[],
  change: Happened,
): PeopleVerdict[] {
  const common: Common = { story, target, lines, endsWith: [] };
  const given = lines.flatMap(({ message }) => message.deadAt ?? []);
  return judgeOwed(court, {
    ...common,
    duty: 'change',
    from: change.knownAt,
    until: Math.min(story.to, channelGoneFrom(court, target, change.knownAt), ...given),
    isMet: ({ member }) => member.key !== change.key || member.seq >= change.seq,
    holds: 'held',
  });
}
