// Alerts that count: calls are counted from when a version of the rule is in force, within its window, by their own
// times. Where it is doubtful whether a call was known before, or how it ended, nothing is judged.
import type {
  CountedCalls,
  CountReference,
  Instant,
  Logs,
  Owed,
  ReadPoll,
  References,
  Span,
  Verdict,
} from '../model.ts';
import { decidedAt, type Evidence } from './evidence.ts';
import { headsElsewhere, isHeadDoubtful, madeAt } from './heights.ts';
import type { RightTime } from './right-time.ts';
import { spansOfVersion } from './versions.ts';

const MINUTE = 60_000;
/** One that flaps is silent until it has been steady for so long. */
const STEADY_MS = 50 * MINUTE;
/** Of the window: times of items and polls are not those of the daemon to the second. */
const SLACK_MS = 2 * MINUTE;

interface Case {
  readonly logs: Logs;
  readonly reference: CountReference;
  readonly references: References;
  readonly told: readonly Owed[];
  readonly rightTime: RightTime;
}

export function judgeCounts({ logs, references, pollsOf, rightTimeOf }: Evidence): Verdict[] {
  return references.counts.flatMap((reference) => {
    const { name, watch, alert, path } = reference;
    const told = logs.owed.filter((one) => one.watch === watch && one.alert === alert);
    const given: Case = { logs, reference, references, told, rightTime: rightTimeOf(path) };
    const polls = pollsOf(watch, path);
    const calls = callsIn(polls);
    const heads = { logs, elsewhere: headsElsewhere(logs), intervalMs: references.intervalMs };
    return spansOfVersion(logs, watch, alert, name).flatMap((span) => {
      const judged = judgedIn(polls, calls, span, reference).map((one) =>
        isHeadDoubtful({ ...heads, at: one.at, clockAt: one.poll.poll.decided?.clockAt ?? one.at })
          ? { ...one, holds: null }
          : one,
      );
      const found = [
        ...inventedOf(given, span, judged),
        ...lateOf(given, judged, true),
        ...lateOf(given, judged, false),
      ];
      return found.map((verdict) => ({ ...verdict, what: `${verdict.what}${noteOf(given, span, verdict.at)}` }));
    });
  });
}

/** What may count that a version before this one left behind. */
function noteOf({ logs, reference, told }: Case, span: Span, at: Instant): string {
  const isFirst = span.from <= (logs.people.configs[0]?.from ?? -Infinity);
  if (isFirst) return '';
  if (at < span.from + reference.windowMs + SLACK_MS) return ', within its window after an edit';
  return keysFiring(told, at).length > 1 ? ', in groups of before an edit' : '';
}

/** A call, as it was served so far. */
interface Call {
  readonly servedAt: Instant;
  /** Null: in no poll that was kept. */
  keptAt: Instant | null;
  readonly isOfBaseline: boolean;
  /** When each block that it was in was made: where blocks were replaced, it keeps the time that it was counted with. */
  readonly madeAt: Set<Instant>;
  hasFailed: boolean;
  hasPassed: boolean;
}

function callsIn(polls: readonly ReadPoll[]): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>();
  let isFirst = true;
  for (const { poll, readings } of polls) {
    const rows = readings.flatMap((reading) => reading.rows);
    for (const { id, block, facts } of rows) {
      const fresh = { servedAt: poll.startedAt, keptAt: null, isOfBaseline: isFirst, madeAt: new Set<Instant>() };
      const call: Call = calls.get(id) ?? { ...fresh, ...NEITHER };
      if (poll.isKept) call.keptAt ??= poll.startedAt;
      if (block !== null) call.madeAt.add(madeAt(block));
      if (facts['success'] === 'false') call.hasFailed = true;
      else call.hasPassed = true;
      calls.set(id, call);
    }
    if (poll.isKept && rows.length > 0) isFirst = false;
  }
  return calls;
}

const NEITHER = { hasFailed: false, hasPassed: false };

/** Null: it may be so, or not. */
interface Judged {
  readonly poll: ReadPoll;
  readonly at: Instant;
  readonly holds: boolean | null;
}

function judgedIn(
  polls: readonly ReadPoll[],
  calls: ReadonlyMap<string, Call>,
  span: Span,
  reference: CountReference,
): Judged[] {
  const all = [...calls.values()];
  let before = -Infinity;
  return polls
    .filter(({ poll }) => span.from < poll.startedAt && poll.startedAt < span.to)
    .map((poll): Judged => {
      const { decided, gaps } = poll.poll;
      if (decided === null || gaps.length > 0 || !isRight(poll)) return { poll, at: poll.until, holds: null };
      const sinceMs = decided.clockAt - before;
      before = decided.clockAt;
      const truths = possibleCounts(all, poll, { ...decided, sinceMs, span, reference }).map(reference.holds);
      const [one = false] = truths;
      return { poll, at: decided.at, holds: truths.every((truth) => truth === one) ? one : null };
    });
}

function isRight({ served, readings }: ReadPoll): boolean {
  return readings.length > 0 && served.every(({ fault, replica }) => fault === null && replica === 'chain');
}

interface Moment {
  readonly clockAt: Instant;
  readonly at: Instant;
  /** Since the last poll that was right: a count may hold as of the own time of an item in between. */
  readonly sinceMs: number;
  readonly span: Span;
  readonly reference: CountReference;
}

/** All that the daemon may have counted, from the least to the most of each. */
function possibleCounts(calls: readonly Call[], { poll }: ReadPoll, moment: Moment): CountedCalls[] {
  const { clockAt, at, sinceMs, span, reference } = moment;
  const seen = calls.filter(({ servedAt }) => servedAt <= poll.startedAt);
  const counted = (isSure: boolean): { failed: number; passed: number } => {
    const slackMs = isSure ? -SLACK_MS : SLACK_MS;
    const windowMs = reference.windowMs + (isSure ? 0 : sinceMs);
    const within = seen.filter((call) => {
      const knownAt = isSure ? call.servedAt : (call.keptAt ?? call.servedAt);
      const isNew = !call.isOfBaseline && (isSure || call.keptAt === null || knownAt >= span.from);
      const isWithin = (made: Instant): boolean => made > clockAt - windowMs - slackMs && made <= clockAt + slackMs;
      const times = [...call.madeAt];
      return isNew && knownAt > span.from && (isSure ? times.every(isWithin) : times.some(isWithin));
    });
    return {
      failed: within.filter((call) => call.hasFailed && (!isSure || !call.hasPassed)).length,
      passed: within.filter((call) => call.hasPassed && (!isSure || !call.hasFailed)).length,
    };
  };
  const [least, most] = [counted(true), counted(false)];
  const lastFailed = (calls: readonly Call[], edge: typeof Math.max): Instant =>
    Math.max(
      span.from + clockAt - at,
      ...calls.filter(({ hasFailed }) => hasFailed).map(({ madeAt: times }) => edge(...times)),
    );
  const silent = [
    clockAt - lastFailed(seen, Math.max) - SLACK_MS,
    clockAt -
      lastFailed(
        seen.filter((call) => !call.hasPassed && call.servedAt > span.from),
        Math.min,
      ) +
      SLACK_MS,
  ];
  return [least.failed, most.failed].flatMap((failed) =>
    [least.passed, most.passed].flatMap((passed) =>
      silent.map((silentMs) => ({ failed, all: failed + passed, silentMs })),
    ),
  );
}

/** Fired in a poll in which it did not hold. */
function inventedOf({ reference, told }: Case, span: Span, judged: readonly Judged[]): Verdict[] {
  const firing = told.filter(({ type, at }) => type === 'alert.firing' && span.from < at && at < span.to);
  const polls = judged.map(({ poll }) => poll);
  return firing.flatMap(({ at, clockAt }): Verdict[] => {
    const then = decidedAt(polls, { at, clockAt });
    const poll = judged.findLast((one) => one.poll.poll.startedAt <= then);
    if (poll?.holds !== false || poll.at < then) return [];
    return [verdictOf(reference, 'invented', at, 'fired without being so')];
  });
}

/** It held, or did not, in every poll of two intervals of right time, and somebody still takes it to be otherwise. */
function lateOf(given: Case, judged: readonly Judged[], holds: boolean): Verdict[] {
  const { reference, references, rightTime } = given;
  return spellsOf(judged, holds, references.intervalMs).flatMap(({ from, to }): Verdict[] => {
    const isDue = (ms: number): Instant | null => {
      const dueAt = rightTime.after(from, ms);
      return dueAt !== null && dueAt <= to && isFiring(given.told, dueAt) !== holds ? dueAt : null;
    };
    const dueAt = isDue(2 * references.intervalMs);
    const isFlapping = given.told.some(({ at, reason }) => at <= to && reason?.startsWith('flapping') === true);
    if (dueAt === null || (isFlapping && isDue(STEADY_MS + 4 * references.intervalMs) === null)) return [];
    const what = holds ? 'held and did not fire' : 'was over and did not end';
    return [verdictOf(reference, 'lost', dueAt, `${what}, since ${new Date(from).toISOString()}`)];
  });
}

function spellsOf(judged: readonly Judged[], holds: boolean, intervalMs: number): Span[] {
  const spells: Span[] = [];
  let goesOn = false;
  for (const one of judged) {
    const last = spells.at(-1);
    const isSo = one.holds === holds;
    if (isSo && goesOn && last !== undefined && one.at - last.to < 1.5 * intervalMs)
      spells[spells.length - 1] = { from: last.from, to: one.at };
    else if (isSo) spells.push({ from: one.at, to: one.at });
    goesOn = isSo;
  }
  return spells;
}

/** Any of its groups. */
function isFiring(told: readonly Owed[], at: Instant): boolean {
  return keysFiring(told, at).length > 0;
}

function keysFiring(told: readonly Owed[], at: Instant): string[] {
  const last = new Map(told.filter((one) => one.at <= at).map(({ key, type }) => [key, type]));
  return [...last].flatMap(([key, type]) => (type === 'alert.firing' ? [key] : []));
}

function verdictOf({ watch, name }: CountReference, check: Verdict['check'], at: Instant, what: string): Verdict {
  return { check, at, watch, what: `${name}: ${what}` };
}
