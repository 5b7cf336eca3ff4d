// How many messages a recipient may be sent (103): a bucket for messages with a critical line, and the common one. One rule
// takes at most a quarter of the critical bucket. Summaries are outside of both, one of each sort in a slot.
import type { Instant } from '../model.ts';
import type { Evidence } from './facts/evidence.ts';
import type { Channel, TryMember } from './log.ts';
import { goneFrom, SLOT_MS, SUMMARIES, type Message, type Messages } from './facts/messages.ts';
import { countUntil } from './facts/spans.ts';
import { isBegin, type Story } from './facts/stories.ts';
import { remembered } from './facts/timeline.ts';

export type Bucket = 'common' | 'critical';

export interface Limits {
  readonly burst: number;
  readonly perHour: number;
}

export interface Closing {
  readonly at: Instant;
  /** Null: it was never tried. */
  readonly message: Message | null;
  readonly rules: ReadonlySet<string>;
  /** It passes in any case: the first critical begin of an alert of which nothing was closed in ten minutes. */
  readonly isFree: boolean;
}

export interface Caps {
  readonly closingsOf: (target: string, bucket: Bucket) => readonly Closing[];
  /**
   * When, from `at` on and within `ms`, the recipient had all that it may be sent; null: at no time. Within an hour after
   * the clock was set, or shows again what it had shown, caps are not judged: the end of that hour.
   */
  readonly fullFrom: (target: string, story: Story, at: Instant, ms: number) => Instant | null;
  /** The end of the slot of ten minutes, aligned by the clock of the daemon. */
  readonly slotEnd: (at: Instant) => Instant;
  readonly isFree: (target: string, story: Story, at: Instant) => boolean;
}

export const HOUR_MS = 3_600_000;
/** A group waits from when its message was decided, which is closed a moment later: an hour on, the cap may still count it. */
const DECIDED_MS = 2000;
const PEOPLE: Limits = { burst: 10, perHour: 30 };

/** Null: any number. */
export function limitsOf(channel: Channel | null, bucket: Bucket): Limits | null {
  const common = channel?.cap ?? (channel?.kind === 'people' ? PEOPLE : null);
  if (common === null || bucket === 'common') return common;
  return { burst: common.burst * 2, perHour: common.perHour * 2 };
}

export function bucketOf(evidence: Evidence, message: Counted): Bucket {
  return bucketWith(criticalRules(evidence, message));
}

function bucketWith(rules: ReadonlySet<string>): Bucket {
  return rules.size > 0 ? 'critical' : 'common';
}

type Counted = Pick<Message, 'members' | 'closedAt'> & Partial<Pick<Message, 'tries'>>;

/** The rules of its critical lines as it was closed, with those that left it before its first try. */
function criticalRules(evidence: Evidence, { members, closedAt, tries = [] }: Counted): Set<string> {
  const { stories, severityAt } = evidence;
  const gone = goneFrom({ members, tries }).flatMap(({ key, seq }) => stories.storiesOf(key, seq).at(-1) ?? []);
  return new Set([
    ...criticalIn(evidence, { members, closedAt }).map(({ watch, alert }) => `${watch}/${alert}`),
    ...gone.filter((story) => severityAt(story, closedAt) === 'critical').map(({ rule }) => rule),
  ]);
}

/** An alert that a message tells of two episodes counts as the later one. */
function criticalIn(evidence: Evidence, { members, closedAt }: Pick<Counted, 'members' | 'closedAt'>): TryMember[] {
  const last = new Map(members.toSorted((a, b) => a.seq - b.seq).map((member) => [member.key, member]));
  return members.filter((member) => isCritical(evidence, last.get(member.key) ?? member, closedAt));
}

/** What is open counts as its rule in force has it, also an event; all else as it was told. */
function isCritical({ stories, severityAt }: Evidence, { key, seq, severity }: TryMember, at: Instant): boolean {
  const story = stories.storiesOf(key, seq).at(-1);
  const isOpen = story !== undefined && story.from <= at && at < story.to;
  return (isOpen ? severityAt(story, at) : severity) === 'critical';
}

export function capsIn(evidence: Evidence): Caps {
  const { messages, timeline, clock, severityAt } = evidence;
  const closings = new Map<string, readonly Closing[]>();
  const made = new Map<string, readonly Closing[]>();
  const alerts = new Map<string, ReadonlyMap<string, readonly Instant[]>>();
  const alertsTo = (target: string): ReadonlyMap<string, readonly Instant[]> =>
    remembered(alerts, target, () => closedByAlert(closedTo(messages, target)));

  /** Nothing about it was closed in the ten minutes before. */
  function isQuiet(target: string, alert: string, at: Instant): boolean {
    const times = alertsTo(target).get(alert) ?? [];
    const last = times[countUntil(times.length, (n) => (times[n] ?? Infinity) < at) - 1];
    return last === undefined || at - last >= SLOT_MS;
  }

  const closedIn = (closed: readonly Closed[], target: string, bucket: Bucket): readonly Closing[] =>
    closed
      .filter(({ kind }) => !SUMMARIES.has(kind))
      .map((one) => ({ one, rules: criticalRules(evidence, one) }))
      .filter(({ rules }) => bucketWith(rules) === bucket)
      .map(({ one, rules }) => {
        const begins = criticalIn(evidence, one).filter(({ type }) => isBegin(type));
        const isFree = begins.some((member) => isQuiet(target, alertOf(member), one.closedAt));
        return { at: one.closedAt, message: one.message, rules, isFree };
      })
      .toSorted((a, b) => a.at - b.at);

  const closingsOf = (target: string, bucket: Bucket): readonly Closing[] =>
    remembered(closings, `${target} ${bucket}`, () => closedIn(closedTo(messages, target), target, bucket));

  /** With those that were put back: until then they counted. */
  const madeFor = (target: string, bucket: Bucket): readonly Closing[] =>
    remembered(made, `${target} ${bucket}`, () => closedIn(closedTo(messages, target, true), target, bucket));

  const slotEnd = (at: Instant): Instant => {
    const end = clock.waitUntil(at, clock.at(at) + SLOT_MS - (clock.at(at) % SLOT_MS));
    const setAt = clock.setAt(end);
    // By the clock as it is set, another slot lasts then.
    return setAt === null || setAt <= at ? end : Math.max(end, slotEnd(setAt));
  };

  // By a clock that was set the daemon may have told of it just now.
  const isFree = (target: string, story: Story, at: Instant): boolean =>
    severityAt(story, at) === 'critical' &&
    at >= (evenAgainAt(clock, at) ?? at) &&
    isQuiet(target, story.form === 'event' ? story.rule : story.key, at);

  return {
    closingsOf,
    slotEnd,
    isFree,
    fullFrom(target, story, at, ms) {
      const bucket = severityAt(story, at) === 'critical' ? 'critical' : 'common';
      const limits = limitsOf(timeline.at(at).channelOf(target), bucket);
      if (limits === null) return null;
      const judgedFrom = evenAgainAt(clock, at);
      if (judgedFrom !== null && at < judgedFrom) return judgedFrom;
      const all = madeFor(target, bucket);
      const rule = bucket === 'critical' ? story.rule : null;
      const after = all.slice(...rangeOf(all, at, at + ms)).map((one) => one.at);
      if (countIn(all, at - DECIDED_MS, HOUR_MS) >= limits.perHour) return at;
      return [at, ...after].find((time) => isFull(all, time, limits, rule)) ?? null;
    },
  };
}

/** An hour after the clock was set; where it was set back, after it shows again what it had shown. Null: it never was. */
function evenAgainAt(clock: Evidence['clock'], at: Instant): Instant | null {
  const setAt = clock.setAt(at);
  return setAt === null ? null : setAt + HOUR_MS + Math.max(0, clock.at(setAt - 1) - clock.at(setAt));
}

interface Closed extends Pick<Message, 'kind'>, Counted {
  readonly message: Message | null;
}

function closedTo(messages: Messages, target: string, withPutBack = false): Closed[] {
  return [
    ...messages
      .to(target)
      .flatMap((message) =>
        message.recordedAt === null ? [] : [{ ...message, closedAt: message.recordedAt, message }],
      ),
    ...messages.untriedTo(target).flatMap((one) => (one.isPutBack && !withPutBack ? [] : [{ ...one, message: null }])),
  ];
}

/** Indices of what was closed after `from` and until `to`. */
export function rangeOf(closings: readonly Closing[], from: Instant, to: Instant): [number, number] {
  const until = (time: Instant): number => countUntil(closings.length, (n) => (closings[n]?.at ?? Infinity) <= time);
  return [until(from), until(to)];
}

function countIn(all: readonly Closing[], at: Instant, ms: number): number {
  const [from, to] = rangeOf(all, at - ms, at);
  return to - from;
}

function isFull(all: readonly Closing[], at: Instant, { burst, perHour }: Limits, rule: string | null): boolean {
  const within = (ms: number): readonly Closing[] => all.slice(...rangeOf(all, at - ms, at));
  const [slot, hour] = [within(SLOT_MS), within(HOUR_MS)];
  if (slot.length >= burst || hour.length >= perHour) return true;
  if (rule === null) return false;
  const ofRule = (some: readonly Closing[]): number => some.filter(({ rules }) => rules.has(rule)).length;
  return ofRule(slot) >= quarter(burst) || ofRule(hour) >= quarter(perHour);
}

/** What one rule may take of a limit of the critical bucket. */
export function quarter(limit: number): number {
  return Math.ceil(limit / 4);
}

/** The instance for conditions, the rule for events. */
function alertOf({ type, key, watch, alert }: Message['members'][number]): string {
  return type === 'firing' || type === 'resolved' ? key : `${watch}/${alert}`;
}

function closedByAlert(messages: readonly Closed[]): Map<string, Instant[]> {
  const times = new Map<string, Instant[]>();
  for (const message of messages)
    for (const alert of new Set(message.members.map(alertOf))) {
      const known = times.get(alert);
      if (known === undefined) times.set(alert, [message.closedAt]);
      else known.push(message.closedAt);
    }
  for (const own of times.values()) own.sort((a, b) => a - b);
  return times;
}
