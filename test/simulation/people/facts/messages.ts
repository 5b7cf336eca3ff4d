// What receivers saw, by message: every try of one id. A message is *sent* when its receiver took it over; it is *open*
// until the daemon knows so, or has given it up.
import type { Instant, Span } from '../../model.ts';
import type { DaemonClock } from './clock.ts';
import type { Channel, ClosedMember, PeopleLog, Try, TryMember, UntriedMessage } from '../log.ts';
import { restingIn } from './resting.ts';
import { common, merged, type Spans } from './spans.ts';
import { remembered, type Timeline } from './timeline.ts';

export interface Message {
  readonly id: string;
  readonly target: string;
  readonly channel: string;
  readonly kind: Try['kind'];
  /** Of the first try. */
  readonly members: readonly TryMember[];
  /** Keys of those, and of what has left it before. */
  readonly keys: readonly string[];
  readonly isSummary: boolean;
  readonly closedAt: Instant;
  /** The same of what the store has: null where all was told from memory, and the process ended before it could store that. */
  readonly recordedAt: Instant | null;
  /** When a receiver took it over, as the store has it; null: it has no such try. */
  readonly acceptedAt: Instant | null;
  readonly firstAt: Instant;
  readonly tries: readonly Try[];
  /** When the receiver took it over; null: it never did. */
  readonly sentAt: Instant | null;
  /** When the daemon had written down that it did; null: it never did. */
  readonly knownAt: Instant | null;
  /** The receiver may have taken it over. */
  readonly isMaybeSent: boolean;
  /** When it was given up; null: it was not. */
  readonly deadAt: Instant | null;
}

/** One member of a message. */
export interface Line {
  readonly message: Message;
  readonly member: TryMember;
}

/** It left the message before that was tried. */
export interface GoneLine {
  readonly message: Message;
  readonly member: ClosedMember;
}

export interface Messages {
  /** In the order of their first tries. */
  readonly all: readonly Message[];
  readonly to: (target: string) => readonly Message[];
  readonly untriedTo: (target: string) => readonly UntriedMessage[];
  /** Alerts of messages that one alert was in when they were closed, and had left before they were tried. */
  readonly leftBy: (target: string, key: string) => readonly string[];
  /** About one alert, in that order. */
  readonly about: (target: string, key: string) => readonly Line[];
  /** Those among them of which a try was not accepted. */
  readonly troubled: (target: string, key: string) => readonly Message[];
  readonly aboutKey: (key: string) => readonly Line[];
  /** What had left messages before they were tried. */
  readonly goneOf: (key: string) => readonly GoneLine[];
  readonly targets: readonly string[];
  /** When a receiver that was failing took something over (117). */
  readonly wakes: (target: string) => readonly Instant[];
  /** When the receiver failed, or wanted nothing. */
  readonly resting: (target: string) => Spans;
  /** When something was on its way on the channel. */
  readonly busy: (channel: string) => Spans;
}

/** The time for which a summary of the cap collects. */
export const SLOT_MS = 600_000;

export const SUMMARIES: ReadonlySet<Try['kind']> = new Set([
  'overflow_summary',
  'silence_summary',
  'inhibition_summary',
]);
const NO_LINES: readonly Line[] = [];

export function messagesIn(
  log: Pick<PeopleLog, 'transitions' | 'tries' | 'untried' | 'lives'>,
  clock: DaemonClock,
  timeline: Timeline,
): Messages {
  const byId = Map.groupBy(
    log.tries.filter(({ kind }) => kind !== 'report'),
    ({ id, target }) => `${target.channel}/${target.recipient} ${id}`,
  );
  const given = { clock, timeline, ageOf: runTimes(log, timeline), isStored: storedTries(log), lives: log.lives };
  const all = [...byId.values()].flatMap((tries) => messageOf(tries, given)).toSorted((a, b) => a.firstAt - b.firstAt);
  const byTarget = Map.groupBy(all, ({ target }) => target);
  const byPlace = new Map<string, Line[]>();
  const byKey = new Map<string, Line[]>();
  const troubled = new Map<string, Message[]>();
  const goneByKey = new Map<string, GoneLine[]>();
  for (const message of all) {
    for (const member of goneFrom(message)) push(goneByKey, member.key, { message, member });
    for (const member of message.members) {
      if (message.tries.some(({ outcome }) => outcome.type !== 'accepted'))
        push(troubled, `${message.target} ${member.key}`, message);
      const line = lineOf(message, member, given);
      push(byPlace, `${message.target} ${member.key}`, line);
      push(byKey, member.key, line);
    }
  }
  const wakes = new Map([...byTarget].map(([target, own]) => [target, wakesIn(own, log.lives)]));
  const resting = new Map([...byTarget].map(([target, own]) => [target, restingIn(own.flatMap(({ tries }) => tries))]));
  const byChannel = Map.groupBy(log.tries, ({ target }) => target.channel);
  const untried = Map.groupBy(log.untried, ({ target }) => `${target.channel}/${target.recipient}`);
  const left = alertsLeft(all, log.untried);
  const busy = new Map([...byChannel].map(([channel, own]) => [channel, merged(own.map((one) => underWay(one)))]));
  return {
    all,
    to: (target) => byTarget.get(target) ?? [],
    untriedTo: (target) => untried.get(target) ?? [],
    leftBy: (target, key) => left.get(`${target} ${key}`) ?? [],
    about: (target, key) => byPlace.get(`${target} ${key}`) ?? NO_LINES,
    troubled: (target, key) => troubled.get(`${target} ${key}`) ?? [],
    aboutKey: (key) => byKey.get(key) ?? NO_LINES,
    goneOf: (key) => goneByKey.get(key) ?? [],
    targets: [...byTarget.keys()],
    wakes: (target) => wakes.get(target) ?? [],
    resting: (target) => resting.get(target) ?? [],
    busy: (channel) => busy.get(channel) ?? [],
  };
}

/** What left it before its first try. */
export function goneFrom({ members, tries: [first] }: Pick<Message, 'members' | 'tries'>): readonly ClosedMember[] {
  const tried = new Set(members.map(({ key, seq }) => `${key} ${seq}`));
  return (first?.closedMembers ?? []).filter(({ key, seq }) => !tried.has(`${key} ${seq}`));
}

/** As many of each as matter. */
function alertsLeft(all: readonly Message[], untried: readonly UntriedMessage[]): ReadonlyMap<string, string[]> {
  const left = new Map<string, string[]>();
  const leave = (target: string, gone: readonly string[], keys: readonly string[]): void => {
    for (const key of gone) for (const other of keys.slice(0, MOST_OTHERS)) push(left, `${target} ${key}`, other);
  };
  for (const { target, keys, members } of all) {
    const tried = new Set(members.map(({ key }) => key));
    const gone = keys.filter((key) => !tried.has(key));
    leave(target, gone, keys);
  }
  for (const { target, members } of untried) {
    const keys = members.map(({ key }) => key);
    leave(`${target.channel}/${target.recipient}`, keys, keys);
  }
  return left;
}

export const MOST_OTHERS = 60;

function push<V>(to: Map<string, V[]>, key: string, value: V): void {
  const known = to.get(key);
  if (known === undefined) to.set(key, [value]);
  else known.push(value);
}

/** For how long its channel was there, also without the recipient, and the daemon ran, between the two. */
type RunTimeOf = (target: string, from: Instant, to: Instant) => number;

function runTimes({ lives }: Pick<PeopleLog, 'lives'>, { versions }: Timeline): RunTimeOf {
  const running = new Map<string, Spans>();
  const withChannel = (target: string): Spans =>
    merged(versions.filter(({ config }) => config.channels.some(({ name }) => target.startsWith(`${name}/`))));
  return (target, from, to) => {
    const there = remembered(running, target, () => common(merged(lives), withChannel(target)));
    return common(there, [{ from, to }]).reduce((sum, one) => sum + one.to - one.from, 0);
  };
}

interface Given {
  readonly clock: DaemonClock;
  readonly timeline: Timeline;
  readonly ageOf: RunTimeOf;
  readonly isStored: (one: Try) => boolean;
  readonly lives: readonly Span[];
}

/** Whether the store has a try. What was told from memory is stored by the same process, or never. */
function storedTries({ transitions, lives }: Pick<PeopleLog, 'transitions' | 'lives'>): Given['isStored'] {
  const storedAt = new Map(transitions.map(({ key, seq, at }) => [`${key} ${seq}`, at]));
  return ({ marks, outcome, members: [member], begunAt }) => {
    if (!marks.fromMemory) return true;
    const at = member === undefined ? null : (storedAt.get(`${member.key} ${member.seq}`) ?? null);
    return at !== null && outcome.type !== 'refused' && !lives.some(({ to }) => begunAt < to && to <= at);
  };
}

function messageOf(tries: readonly Try[], given: Given): Message[] {
  const [first] = tries;
  if (first === undefined) return [];
  const target = `${first.target.channel}/${first.target.recipient}`;
  const closedAt = closingOf(first, given.clock);
  return [
    {
      id: first.id,
      target,
      channel: first.target.channel,
      kind: first.kind,
      members: first.members,
      keys: [...new Set([...first.members, ...first.closedMembers].map(({ key }) => key))],
      isSummary: SUMMARIES.has(first.kind),
      closedAt,
      firstAt: first.begunAt,
      ...fateOf(tries, { target, closedAt, isSummary: SUMMARIES.has(first.kind) }, given),
    },
  ];
}

type Fate = Pick<Message, 'tries' | 'recordedAt' | 'acceptedAt' | 'sentAt' | 'knownAt' | 'isMaybeSent' | 'deadAt'>;

function fateOf(
  tries: readonly Try[],
  { target, closedAt, isSummary }: Pick<Message, 'target' | 'closedAt' | 'isSummary'>,
  { clock, timeline, ageOf, isStored, lives }: Given,
): Fate {
  const took = tries.find(isTaken);
  const stored = tries.filter(isStored);
  const [firstStored] = stored;
  const accepted = stored.find(isTaken);
  return {
    tries,
    recordedAt: firstStored === undefined ? null : closingOf(firstStored, clock),
    acceptedAt: accepted === undefined ? null : (accepted.endedAt ?? accepted.begunAt),
    sentAt: took === undefined ? null : (took.endedAt ?? took.begunAt),
    knownAt: tries.find(({ outcome, knownAt }) => outcome.type === 'accepted' && knownAt !== null)?.knownAt ?? null,
    isMaybeSent: tries.some(({ outcome, marks }) => outcome.type !== 'refused' || marks.maybeCopy),
    deadAt: firstDeadOf(tries, {
      channel: timeline.channelOf(target),
      // A summary is as old as its slot, which may have begun before it was closed.
      age: (at) => ageOf(target, closedAt, at) + (isSummary ? SLOT_MS : 0),
      isOneLife: (from, to) => lives.some((life) => life.from <= from && to <= life.to),
    }),
  };
}

/** What was over meanwhile is taken out of a message that waits for its next try. */
function lineOf(message: Message, member: TryMember, given: Given): Line {
  const isIn = ({ members }: Try): boolean => members.some(({ key, seq }) => key === member.key && seq === member.seq);
  if (message.tries.every(isIn)) return { message, member };
  return { message: { ...message, ...fateOf(message.tries.filter(isIn), message, given) }, member };
}

function closingOf({ closedAt, closedClock, begunAt }: Try, clock: DaemonClock): Instant {
  return closedAt ?? clock.whenShown(closedClock, begunAt);
}

export function isTaken({ outcome }: Try): boolean {
  return outcome.type === 'accepted' || (outcome.type === 'unknown' && outcome.took);
}

/** Its age is written down each minute, after a rest of up to a minute. */
const AGE_STEP_MS = 120_000;

/** By what a message is given up. */
interface Mortality {
  readonly channel: Channel | null;
  readonly age: (at: Instant) => number;
  /** True if one process ran for all of this time. */
  readonly isOneLife: (from: Instant, to: Instant) => boolean;
}

/** One that was given up may be made anew, under its id: its tries are counted anew. */
function firstDeadOf(tries: readonly Try[], given: Mortality): Instant | null {
  const anew = tries.findIndex(({ attempt }, n) => attempt <= (tries[n - 1]?.attempt ?? 0));
  if (anew === -1) return deadOf(tries, given);
  return deadOf(tries.slice(0, anew), given) ?? firstDeadOf(tries.slice(anew), given);
}

/** One that is refused for good ends at its third try; else it has to be tried often enough, and be owed for long (53). */
function deadOf(tries: readonly Try[], { channel, age, isOneLife }: Mortality): Instant | null {
  const last = tries.at(-1);
  if (last === undefined || last.outcome.type === 'accepted' || channel === null) return null;
  const endedAt = last.endedAt ?? last.begunAt;
  // A process counts the refusals of its own tries.
  const refused = tries.filter(
    ({ outcome, begunAt }) => outcome.type === 'refused' && outcome.why === 'body' && isOneLife(begunAt, endedAt),
  );
  const isOld = tries.length >= channel.giveUp.tries && age(endedAt) >= channel.giveUp.afterMs - AGE_STEP_MS;
  return refused.length >= 3 || isOld ? endedAt : null;
}

const FAILING = 3;

/** It was failing: its last three tries were refused, not for what they said. */
function wakesIn(messages: readonly Message[], lives: readonly Span[]): Instant[] {
  const ended = messages.flatMap(({ tries }) => tries.map((one) => ({ one, at: one.endedAt ?? one.begunAt })));
  let refused = 0;
  let last = -Infinity;
  return ended
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ one, at }) => {
      const started = lives.findLast(({ from }) => from > last && from <= at);
      if (started !== undefined) refused = isRecalled(messages, started.from) ? FAILING : 0;
      last = at;
      const wasFailing = refused >= FAILING;
      if (isRefused(one)) refused += 1;
      else if (one.outcome.type !== 'refused') refused = 0;
      return wasFailing && one.outcome.type === 'accepted' ? [at] : [];
    });
}

/** A new process knows by what waits whether its receiver was failing. */
function isRecalled(messages: readonly Message[], at: Instant): boolean {
  return messages.some(({ tries }) => {
    const next = tries.findIndex(({ begunAt }) => begunAt >= at);
    const before = tries[next - 1];
    return before !== undefined && before.attempt >= FAILING && isRefused(before);
  });
}

function isRefused({ outcome }: Try): boolean {
  return outcome.type === 'refused' && outcome.why !== 'body';
}

/** It is a little longer under way than its receiver sees. */
function underWay({ begunAt, endedAt }: Try): Span {
  return { from: begunAt, to: (endedAt ?? begunAt) + 1000 };
}
