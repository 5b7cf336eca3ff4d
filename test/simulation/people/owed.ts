// One thing that a target is owed, and whether it was sent in time.
import type { Instant } from '../model.ts';
import type { Caps } from './caps.ts';
import type { Evidence } from './facts/evidence.ts';
import { holdExcuses, outerExcuses, pollExcuses, slotExcuses, tryExcuses, type Excused } from './excuses.ts';
import type { Groups } from './groups.ts';
import { SLOT_MS, type Line, type Message } from './facts/messages.ts';
import { nearOf } from './near.ts';
import { common } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';
import { LEFT_MS } from './facts/timeline.ts';
import type { Duty, Excuse, PeopleCheck, PeopleVerdict, StepStory } from './verdict.ts';
import { missedOn, SENT_WITHIN_MS, type Missed } from './walk.ts';

export interface Court extends Evidence {
  readonly caps: Caps;
  readonly groups: Groups;
}

export interface Owed {
  readonly story: Story;
  readonly target: string;
  readonly duty: Duty;
  readonly from: Instant;
  /** When it is owed no more. */
  readonly until: Instant;
  /** About the story, to the target. */
  readonly lines: readonly Line[];
  /** Whether a line is what is owed. */
  readonly isMet: (line: Line) => boolean;
  /** `passes`: no silence and the like holds it. `calls`: it waits for the first poll after a start too. */
  readonly holds: 'held' | 'passes' | 'calls';
  /** Where one of these held it, nothing is owed. */
  readonly endsWith: readonly Excuse[];
  /** What else excuses it; left out: nothing does. */
  readonly excused?: Excused;
  /** Left out: it is no step. */
  readonly step?: StepStory | null;
}

export function judgeOwed(court: Court, owed: Owed): PeopleVerdict[] {
  const met = owed.lines.filter((line) => owed.isMet(line));
  const sent = met.filter(({ message }) => message.sentAt !== null);
  const metAt = Math.min(...sent.map(({ message }) => message.sentAt ?? Infinity));
  if (metAt - owed.from < SENT_WITHIN_MS || owed.until - owed.from < SENT_WITHIN_MS) return [];
  const until = Math.min(owed.until, metAt, court.log.span.to);
  const carrier = met[0]?.message ?? null;
  const happenedAt = HAPPENS_LATER.has(owed.duty) ? owed.from : owed.story.from;
  const { missed, trail } = missedOn({
    ...owed,
    until,
    excused: excusesOf(court, owed, carrier),
    groupUntil: (at, since, isGivenUp) => {
      const sort = owed.duty === 'repeat' || isGivenUp ? 'repeat' : 'news';
      return court.groups.waitsUntil(owed.story, owed.target, { at, since, sort, happenedAt });
    },
    caps: court.caps,
    isOfBegin: !NO_BEGINS.has(owed.duty),
  });
  const came = sent.find(({ message }) => message.sentAt === metAt)?.message ?? null;
  if (missed === null || owed.endsWith.some((one) => trail.has(one)) || isOver(court, owed, missed, came ?? carrier))
    return [];
  return [verdictOn(court, owed, missed, { came, carrier })];
}

/**
 * Another of its group was due before the timer of the group, or it was itself by then, while the cap was full: the summary
 * of that slot has both. It waits there too behind what came before it of the same alert, which is judged by itself.
 */
function isOver(court: Court, { story, target, from, duty }: Owed, missed: Missed, carrier: Message | null): boolean {
  const { caps, clock } = court;
  if (carrier?.kind !== 'overflow_summary' || caps.isFree(target, story, from)) return false;
  if (carrier.members.some(({ key, seq }) => key === story.key && seq < story.begin.seq)) return true;
  if (duty === 'end' && hasRepeatInSlot(court, { story, target, from }, carrier)) return true;
  const heldSince = carrier.members.find(({ key }) => key === story.key)?.heldSinceClock ?? null;
  const heldAt = heldSince === null ? from : clock.whenShown(heldSince, carrier.closedAt);
  return [from, heldAt, ...missed.groupedAt].some((at) => {
    const full = at <= missed.from ? caps.fullFrom(target, story, at, 0) : null;
    if (full === null) return false;
    // A hold that began while it waited for its summary moves it to the summary of the slot in which that hold ends.
    const until = Math.max(full, missed.heldUntil ?? full);
    return carrier.firstAt <= caps.slotEnd(until) + SENT_WITHIN_MS;
  });
}

const HAPPENS_LATER: ReadonlySet<Duty> = new Set(['end', 'change']);

const NO_BEGINS: ReadonlySet<Duty> = new Set(['end', 'change', 'short', 'repeat']);

function excusesOf(court: Court, owed: Owed, carrier: Message | null): Excused[] {
  const { story, target, holds, from, excused } = owed;
  const repeatMsAt = (at: Instant): number | null => repeatOf(court, story, target, at);
  return [
    ...(holds === 'passes' ? [] : holdExcuses(court, story)),
    ...(holds === 'calls' ? pollExcuses(court, story) : []),
    ...tryExcuses(court, { target, key: story.key, from, carrier, repeatMsAt }),
    ...(holds === 'calls' ? [] : againExcuses(court, owed)),
    ...slotExcuses(court, { target, carrier, slotMs: SLOT_MS }),
    ...outerExcuses(court, target),
    ...(excused === undefined ? [] : [excused]),
  ];
}

/** What was given up is tried again as repeats are, so it waits for a poll as they do. */
function againExcuses(court: Court, { story, lines }: Owed): Excused[] {
  const given = { from: Math.min(...lines.flatMap(({ message }) => message.deadAt ?? [])), to: Infinity };
  return pollExcuses(court, story).map(({ by, spans }) => ({ by, spans: common(spans, [given]) }));
}

/** A channel that is gone for so long is cancelled what waits for it, and is owed nothing but ends when it returns. */
export function channelGoneFrom({ timeline }: Court, target: string, at: Instant): Instant {
  return timeline.without(target).find(({ from, to }) => to > at && to - from >= LEFT_MS)?.from ?? Infinity;
}

const FOUR_HOURS_MS = 14_400_000;

/** After how long the target is told again; null: never. */
export function repeatOf({ timeline }: Evidence, story: Story, target: string, at: Instant): number | null {
  const named = timeline.at(at).namedFor(story.rule);
  const ownMs = timeline.kindOf(target, at) === 'people' ? FOUR_HOURS_MS : null;
  const setMs = named === null ? null : named.repeatMs;
  return setMs === 'off' ? null : (setMs ?? ownMs);
}

/** A repeat that met the full cap waits for the summary of that slot, and the end waits there behind it. */
function hasRepeatInSlot(
  { caps }: Court,
  { story, target, from }: Pick<Owed, 'story' | 'target' | 'from'>,
  carrier: Message,
): boolean {
  const end = caps.slotEnd(from);
  const full = caps.fullFrom(target, story, end - SLOT_MS, from - (end - SLOT_MS));
  return full !== null && full <= from && carrier.firstAt <= end + SENT_WITHIN_MS;
}

const CHECKS: Partial<Readonly<Record<Duty, PeopleCheck>>> = {
  end: 'end-unsent',
  step: 'step-wrong',
  failover: 'step-wrong',
  repeat: 'repeat-wrong',
};

interface Sent {
  /** In which it was sent after all. */
  readonly came: Message | null;
  /** In which it was to be sent. */
  readonly carrier: Message | null;
}

function verdictOn(court: Court, owed: Owed, missed: Missed, { came, carrier }: Sent): PeopleVerdict {
  const { story, target, duty } = owed;
  const isOfSummary = missed.trail.has('cap') && hasSummary(court, target, missed.from);
  const cameAt = came?.sentAt ?? null;
  const lateMs = cameAt === null ? null : cameAt - missed.from;
  const told = lateMs === null ? 'never came' : `came ${Math.round(lateMs / 1000)} s later`;
  const why = missed.after === null ? '' : ` after: ${missed.after};`;
  return {
    check: isOfSummary ? 'summary-wrong' : (CHECKS[duty] ?? 'unsent'),
    at: missed.from + SENT_WITHIN_MS,
    watch: story.rule.slice(0, story.rule.lastIndexOf('/')),
    what: `${story.rule} to ${target}: owed (${duty});${why} it ${told}`,
    story: storyOf(court, {
      story,
      target,
      duty,
      carrier,
      at: missed.from,
      after: missed.after,
      trail: [...missed.trail],
      came: came?.kind ?? null,
      lateMs,
      step: owed.step ?? null,
    }),
  };
}

/** A summary of the cap went out, and it was not in it. */
function hasSummary({ messages }: Court, target: string, at: Instant): boolean {
  return messages
    .to(target)
    .some(
      ({ kind, firstAt }) =>
        kind === 'overflow_summary' && Math.abs(firstAt - at) < SENT_WITHIN_MS && firstAt >= at - SENT_WITHIN_MS,
    );
}

interface About {
  readonly story: Story;
  readonly target: string;
  readonly duty: Duty;
  /** In which it came, or was to come; without: none did. */
  readonly carrier?: Message | null;
  readonly at: Instant;
  readonly after: Excuse | null;
  readonly trail: readonly Excuse[];
  readonly came: string | null;
  readonly lateMs: number | null;
  readonly step: StepStory | null;
}

export function storyOf(court: Court, { story, at, carrier, ...about }: About): PeopleVerdict['story'] {
  const { timeline, severityAt } = court;
  const { rule, key, episode, form, from } = story;
  const { target, came } = about;
  const kind = timeline.kindOf(target, at);
  const isFolded = story.begin.foldedKeys !== null;
  const near = nearOf(court, { story, target, came, carrier: carrier ?? null, at });
  const openMs = at - from;
  return { ...about, near, openMs, kind, rule, key, episode, form, isFolded, severity: severityAt(story, from) };
}
