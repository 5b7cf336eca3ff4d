// What must not be sent: what never happened, what is over, what is held.
import { LEFT_MS } from './facts/timeline.ts';
import type { Instant } from '../model.ts';
import { isBeginLine, namedSpans, openUntil } from './begins.ts';
import type { TryMember } from './log.ts';
import type { Line, Message } from './facts/messages.ts';
import { storyOf, type Court } from './owed.ts';
import { failoversIn, stepsIn } from './steps.ts';
import { coversAll, merged, touches, type Spans } from './facts/spans.ts';
import { isBegin, isEnd, type Happened, type Story } from './facts/stories.ts';
import type { Duty, Excuse, PeopleCheck, PeopleVerdict } from './verdict.ts';

/** For so long a change may be under way. */
const UNDER_WAY_MS = 10_000;
const STALE_MS = 60_000;

export function judgeMessage(court: Court, message: Message): PeopleVerdict[] {
  return message.members.flatMap((member) => {
    const happened = court.stories.transitionOf(member.key, member.seq);
    const stories = court.stories.storiesOf(member.key, member.seq);
    const story = stories.at(-1) ?? null;
    if (happened === null || happened.type !== member.type || firstKnown(happened) > message.firstAt)
      return [ofNothing(message, member)];
    if (story === null) return [];
    const line = { message, member };
    return isEnd(member.type)
      ? judgeEndLine(court, story, line, stories)
      : [...staleIn(court, story, line), ...notNamed(court, story, line), ...heldIn(court, story, line)];
  });
}

/** What is told from memory may be in the store later. */
function firstKnown({ knownAt, fromMemoryAt }: Happened): Instant {
  return Math.min(knownAt, fromMemoryAt ?? Infinity);
}

function ofNothing({ firstAt, target, id, kind }: Message, member: TryMember): PeopleVerdict {
  const { watch, alert, key, episode, severity, type } = member;
  const rule = `${watch}/${alert}`;
  const form = type === 'firing' || type === 'resolved' ? 'condition' : 'event';
  const story = { target, kind: 'program', rule, key, episode, form, isFolded: false, severity } as const;
  return {
    check: 'invented',
    at: firstAt,
    watch,
    what: `message ${id} to ${target}: ${rule} ${type} never happened`,
    story: {
      ...story,
      duty: 'of-nothing',
      after: null,
      trail: [],
      near: [],
      came: kind,
      lateMs: null,
      openMs: 0,
      step: null,
    },
  };
}

export interface Wrong {
  readonly check: PeopleCheck;
  readonly duty: Duty;
  readonly what: string;
  readonly after?: Excuse;
}

/** A verdict on one line of a message. */
export function wrong(
  court: Court,
  story: Story,
  { message }: Line,
  { check, duty, what, after }: Wrong,
): PeopleVerdict {
  const { target, id, firstAt, kind } = message;
  return {
    check,
    at: firstAt,
    watch: story.rule.slice(0, story.rule.lastIndexOf('/')),
    what: `message ${id} to ${target}: ${story.rule} ${what}`,
    story: storyOf(court, {
      story,
      target,
      duty,
      at: firstAt,
      after: after ?? null,
      trail: [],
      came: kind,
      lateMs: null,
      step: null,
    }),
  };
}

/** Of an end: who was never sent the begin is told of one thing, or not at all. */
function judgeEndLine(court: Court, story: Story, line: Line, stories: readonly Story[]): PeopleVerdict[] {
  const { message, member } = line;
  // A line about the ends of many is for those who were told of one of them.
  const before = stories.flatMap((one) => linesBefore(court, one, message)).filter(isBeginLine);
  const wasMaybeTold = before.some((one) => mayCount(one, line));
  if (member.as === 'fired-and-resolved') {
    const wasKnown = before.some((one) => (one.message.knownAt ?? Infinity) < message.closedAt);
    const what = 'is told as never told before, though its begin was';
    return wasKnown ? [wrong(court, story, line, { check: 'invented', duty: 'told-as-untold', what })] : [];
  }
  if (wasMaybeTold || message.isSummary) return [];
  const what = 'is told as over, and nobody had told that it began';
  return [wrong(court, story, line, { check: 'invented', duty: 'end-without-begin', what })];
}

/**
 * A begin whose tries were all refused was told to nobody (116), unless one was under way when its end was closed. A
 * retraction does not wait for a summary that is owed.
 */
function mayCount({ message, member: { count } }: Line, end: Line): boolean {
  const { closedAt, firstAt } = end.message;
  const isUnderWay = message.tries.some(
    ({ begunAt, endedAt }) => begunAt <= closedAt && closedAt <= (endedAt ?? begunAt),
  );
  const isOwed = (message.deadAt ?? Infinity) > firstAt;
  return message.isMaybeSent || isUnderWay || (end.member.type === 'retracted' && count > 1 && isOwed);
}

/** Of two that were sent at one moment, the first comes first. */
function linesBefore(court: Court, story: Story, { id, target }: Message): readonly Line[] {
  const lines = court.linesOf(story, target);
  return lines.slice(
    0,
    Math.max(
      lines.findIndex((one) => one.message.id === id),
      0,
    ),
  );
}

function staleIn(court: Court, story: Story, line: Line): PeopleVerdict[] {
  if (line.message.firstAt <= story.to + STALE_MS || line.member.as === 'fired-and-resolved') return [];
  // An event that was retracted is taken out; one that is over has no end.
  const what = 'is told as open after its end';
  return [wrong(court, story, line, { check: 'stale', duty: line.member.as === 'repeat' ? 'repeat' : 'begin', what })];
}

/** No route names the target, no step is due, and it was not told of this episode before. */
function notNamed(court: Court, story: Story, line: Line): PeopleVerdict[] {
  const { target, closedAt, firstAt } = line.message;
  const spans = namedSpans(court, story).get(target) ?? [];
  const versions = court.timeline.within({ from: closedAt - LEFT_MS, to: firstAt + 1 });
  const isNamed =
    spans.some(({ from, to }) => from <= firstAt && closedAt - LEFT_MS <= to) ||
    versions.some((version) => version.namedFor(story.rule)?.targets.includes(target) === true);
  if (isNamed || wasTried(court, story, line)) return [];
  const until = Math.max(openUntil(court, story), story.from);
  // Whoever is to be called in the moment in which it is over may be.
  const open = { from: story.from, to: until + UNDER_WAY_MS };
  const calls = [
    ...stepsIn(court, story, open),
    ...failoversIn(court, story, { from: story.from, to: story.to + UNDER_WAY_MS }),
  ];
  const due = calls.filter((step) => step.target === target);
  if (due.some((step) => step.from <= closedAt + UNDER_WAY_MS && closedAt <= step.until + UNDER_WAY_MS)) return [];
  const acked = court.acksOf(story).some(({ from, to }) => from + UNDER_WAY_MS < closedAt && closedAt < to);
  if (acked)
    return [
      wrong(court, story, line, {
        check: 'step-wrong',
        duty: 'acknowledged',
        what: 'calls somebody in though it is acknowledged',
      }),
    ];
  const isCalled =
    due.length > 0 || court.messages.to(target).length > 0 ? isCallTarget(court, story, target, firstAt) : false;
  return [
    isCalled
      ? wrong(court, story, line, {
          check: 'step-wrong',
          duty: 'early',
          what: 'is told to somebody who is not to be called yet',
        })
      : wrong(court, story, line, {
          check: 'invented',
          duty: 'not-named',
          what: 'is told to somebody whom nothing names',
        }),
  ];
}

/** Some version until then had a step or a failover that leads there. */
function isCallTarget({ timeline }: Court, { rule }: Story, target: string, at: Instant): boolean {
  return timeline.versions.some((version) => {
    const named = version.from <= at ? version.namedFor(rule) : null;
    return named !== null && [...named.steps.flatMap((step) => step.targets), ...named.failover].includes(target);
  });
}

function wasTried(court: Court, story: Story, { message }: Line): boolean {
  return court.linesOf(story, message.target).some((one) => one.message.firstAt < message.firstAt);
}

/** Judged at the first try: what held it then, and ten seconds before. */
function heldIn(court: Court, story: Story, line: Line): PeopleVerdict[] {
  const { message, member } = line;
  if (message.kind === 'silence_summary' || message.kind === 'inhibition_summary') return [];
  if (!isBegin(member.type) || member.as === 'fired-and-resolved') return [];
  const { silence, mute, sureInhibition } = court.holds.of(story.rule);
  const acks: Spans = member.as === 'repeat' ? merged(court.acksOf(story)) : [];
  const holds = [
    ['silence', silence],
    ['mute', mute],
    ['inhibition', sureInhibition],
    ['ack', acks],
  ] as const;
  const at = message.firstAt;
  const [held] = holds.filter(([, spans]) => touches(spans, at, at + 1) && coversAll(spans, at - UNDER_WAY_MS, at));
  if (held === undefined) return [];
  const [after] = held;
  const check: PeopleCheck = after === 'ack' && member.as === 'repeat' ? 'repeat-wrong' : 'against-a-hold';
  const duty: Duty = member.as === 'repeat' ? 'repeat' : story.form === 'event' ? 'event' : 'begin';
  return [wrong(court, story, line, { check, duty, after, what: `is told against a hold: ${after}` })];
}
