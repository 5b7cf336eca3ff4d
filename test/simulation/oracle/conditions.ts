// Alerts that last: what held long enough and did not fire, what fired without, and what ended without reason.
import type { ConditionReference, Instant, LookBack, Logs, Owed, ReadPoll, Sample, Span, Verdict } from '../model.ts';
import { begunBy, decidedAt, type Evidence } from './evidence.ts';
import { headAt, headsElsewhere, isHeadDoubtful, type HeadCase } from './heights.ts';
import type { RightTime } from './right-time.ts';
import { isWithinOne, spansOfVersion } from './versions.ts';

const MINUTE = 60_000;
/** One that flaps is silent until it has been steady for so long. */
const STEADY_MS = 30 * MINUTE;

interface Case {
  readonly logs: Logs;
  readonly reference: ConditionReference;
  readonly polls: readonly Valued[];
  /** The same polls. */
  readonly read: readonly ReadPoll[];
  /** What the first recipient was told. */
  readonly told: readonly Owed[];
  readonly rightTime: RightTime;
  readonly intervalMs: number;
}

/** What a poll knew. */
interface Valued {
  readonly poll: ReadPoll;
  readonly at: Instant;
  readonly clockAt: Instant;
  /** Null: unknown. */
  readonly value: number | null;
  /** It may have been unknown to the daemon: the head that it knew was perhaps too old, or what it decided is unknown. */
  readonly isDoubtful: boolean;
  /** Set where nothing is judged: the values that it is compared with are doubtful. */
  readonly isUnsure: boolean;
}

export function judgeConditions({ logs, references, pollsOf, rightTimeOf }: Evidence): Verdict[] {
  const elsewhere = headsElsewhere(logs);
  return references.conditions.flatMap((reference) => {
    const { watch, alert, path, lookBack } = reference;
    const { intervalMs } = references;
    const [recipient] = references.recipients;
    const read = pollsOf(watch, path);
    const all = valuedPolls(read, reference, { logs, elsewhere, intervalMs });
    const valued = inForce(all, reference, logs);
    const given: Case = {
      logs,
      reference,
      polls: lookBack === undefined ? valued : comparedPolls(valued, lookBack, { logs, intervalMs }),
      read,
      told: logs.owed.filter((one) => one.watch === watch && one.alert === alert && one.recipient === recipient),
      rightTime: rightTimeOf(path),
      intervalMs,
    };
    return [
      ...lateOf(given),
      ...inventedOf(given),
      ...coolingOf(given),
      ...overdueOf(given),
      ...falselyResolvedOf(given),
    ];
  });
}

function valuedPolls(
  polls: readonly ReadPoll[],
  reference: ConditionReference,
  heads: Omit<HeadCase, 'at' | 'clockAt'>,
): Valued[] {
  let last: number | null = null;
  let aheadMs = 0;
  return polls.map((poll): Valued => {
    const { decided } = poll.poll;
    const { at, clockAt } = decided ?? { at: poll.until, clockAt: poll.poll.startedAt + aheadMs };
    if (decided !== null) aheadMs = clockAt - at;
    const value = reference.valueOf(poll, last, polls);
    last = value ?? last;
    const isHeadUnsure = reference.needsHead && isHeadDoubtful({ ...heads, at, clockAt });
    return { poll, at, clockAt, value, isDoubtful: decided === null || isHeadUnsure, isUnsure: false };
  });
}

/** Where another version may have been asked, nothing is judged. */
function inForce(polls: readonly Valued[], { name, watch, alert }: ConditionReference, logs: Logs): readonly Valued[] {
  const spans = spansOfVersion(logs, watch, alert, name ?? `${watch}/${alert}`).map(({ from, to }) => ({
    from: from === logs.people.configs[0]?.from ? -Infinity : from + EDITED_MS,
    to: to === logs.span.to ? Infinity : to,
  }));
  return polls.map((poll) =>
    isWithinOne(spans, poll.at) || logs.people.configs.length === 0
      ? poll
      : { ...poll, isDoubtful: true, isUnsure: true },
  );
}

/** Of another version a wait or a state may go on. */
const EDITED_MS = 60 * MINUTE;

/**
 * As far as it looks back the clock went evenly, and every poll was decided and knew the head. Where the plan stretches the
 * interval, a window may begin with an older value; whether it did is not in the logs.
 */
function comparedPolls(
  polls: readonly Valued[],
  { ms, compare }: LookBack,
  { logs, intervalMs }: Pick<Case, 'logs' | 'intervalMs'>,
): Valued[] {
  const reachMs = ms + 4 * intervalMs;
  let unsureUntil = -Infinity;
  const samples: Sample[] = [];
  return polls.map((poll, n): Valued => {
    const { at, clockAt, value, isDoubtful } = poll;
    const before = polls[n - 1];
    const isClockEven = before === undefined || Math.abs(clockAt - before.clockAt - (at - before.at)) < 1000;
    if (isDoubtful || !isClockEven) unsureUntil = at + reachMs;
    const stretchedMs = intervalMs * stretchIn(logs, { from: at - reachMs, to: at });
    const comparedBy = (everyMs: number): number | null =>
      value === null ? null : compare({ clockAt, value }, samples, everyMs);
    const isUnsure = poll.isUnsure || at <= unsureUntil || comparedBy(intervalMs) !== comparedBy(stretchedMs);
    const compared = isUnsure ? null : comparedBy(intervalMs);
    if (value !== null) samples.push({ clockAt, value });
    return { ...poll, value: compared, isUnsure };
  });
}

/** The largest that the daemon said in a span, or last before it. */
function stretchIn({ blindness }: Logs, { from, to }: Span): number {
  const first = Math.max(
    0,
    blindness.findLastIndex(({ at }) => at <= from),
  );
  const said = blindness.slice(first).filter(({ at }) => at <= to);
  return Math.max(1, ...said.map(({ stretch }) => stretch));
}

/** What held, or did not hold any more, in every poll of `for` and two intervals of right time, is told by then. */
function lateOf(given: Case): Verdict[] {
  const { reference, intervalMs } = given;
  const { alert, forMs } = reference;
  const firing = spellsOf(given, reference.isTrue).flatMap((spell) =>
    lateIn(given, spell, {
      ms: forMs + 2 * intervalMs,
      wasFiring: false,
      what: `${alert}: held and did not fire`,
    }),
  );
  const ended = spellsOf(given, reference.ends).flatMap((spell) =>
    lateIn(given, spell, { ms: 2 * intervalMs, wasFiring: true, what: `${alert}: was over and did not end` }),
  );
  return [...firing, ...ended];
}

interface Late {
  /** Of right time in which it has to be told. */
  readonly ms: number;
  /** What must not be any more by then. */
  readonly wasFiring: boolean;
  readonly what: string;
}

interface Spell {
  readonly from: Instant;
  readonly to: Instant;
}

/** Polls in a row, none of them missing, that all knew it to be so. */
function spellsOf({ polls, intervalMs }: Case, holds: (value: number) => boolean): Spell[] {
  const spells: Spell[] = [];
  let goesOn = false;
  for (const { at, value, isDoubtful } of polls) {
    const last = spells.at(-1);
    const isSo = value !== null && !isDoubtful && holds(value);
    if (isSo && goesOn && last !== undefined && at - last.to < 1.5 * intervalMs)
      spells[spells.length - 1] = { from: last.from, to: at };
    else if (isSo) spells.push({ from: at, to: at });
    goesOn = isSo;
  }
  return spells;
}

function lateIn(given: Case, { from, to }: Spell, late: Late): Verdict[] {
  const { reference, rightTime, told, intervalMs } = given;
  const isDue = (dueAt: Instant | null): dueAt is Instant =>
    dueAt !== null && dueAt <= to && isFiring(told, dueAt) === late.wasFiring;
  const ended = late.wasFiring ? undefined : told.findLast((one) => one.at <= to && one.type === 'alert.resolved');
  const cooledAt = ended === undefined ? from : ended.at + (reference.cooldownMs ?? 0);
  const dueAt = rightTime.after(Math.max(from, cooledAt), late.ms);
  if (!isDue(dueAt)) return [];
  const isFlapping = told.findLast((one) => one.at <= dueAt)?.reason?.startsWith('flapping') === true;
  if (isFlapping && !isDue(rightTime.after(from, late.ms + STEADY_MS + 2 * intervalMs))) return [];
  const since = new Date(from).toISOString();
  return [{ check: 'lost', at: dueAt, watch: reference.watch, what: `${late.what}, since ${since}` }];
}

function isFiring(told: readonly Owed[], at: Instant): boolean {
  return told.findLast((one) => one.at <= at)?.type === 'alert.firing';
}

/** The place of the poll that decided it; -1: none did. */
function decidingPoll({ polls, read }: Case, one: Pick<Owed, 'at' | 'clockAt'>): number {
  const then = decidedAt(read, one);
  const last = begunBy(read, then) - 1;
  return then <= (polls[last]?.at ?? -Infinity) ? last : -1;
}

/** Which value the daemon saw is unknown: such a poll was kept without being reported, and lasts until the next one here. */
function isUnreported({ poll }: Valued): boolean {
  return poll.poll.decided === null;
}

/** Fired, though it was not so in this poll, or had not been so for long enough. Twice in a row is once too often. */
function inventedOf(given: Case): Verdict[] {
  const { reference, polls, told, intervalMs } = given;
  return told.flatMap((one, n): Verdict[] => {
    const { type, at, reason } = one;
    const last = decidingPoll(given, one);
    const poll = polls[last];
    if (type !== 'alert.firing' || poll === undefined || poll.isUnsure) return [];
    const { watch, alert } = reference;
    const isAgain = told[n - 1]?.type === 'alert.firing' && reason === null;
    if (isAgain) return [{ check: 'doubled', at, watch, what: `${alert}: fired while it was firing` }];
    if (isUnreported(poll)) return [];
    const held = heldMs(polls.slice(0, last + 1), reference, intervalMs);
    if (held !== null && held >= reference.forMs) return [];
    const what = held === null ? 'fired without being so' : `fired after ${held} ms`;
    return [{ check: 'invented', at, watch, what: `${alert}: ${what}` }];
  });
}

/** Null: it is not so in the last poll. A hole longer than three intervals counts as three. */
function heldMs(polls: readonly Valued[], { isTrue }: ConditionReference, intervalMs: number): number | null {
  let held: number | null = null;
  for (const [n, { value, clockAt, isDoubtful }] of polls.entries()) {
    const before = polls[n - 1];
    if (value !== null && isTrue(value))
      held =
        held === null || before === undefined ? 0 : held + Math.min(Math.abs(clockAt - before.clockAt), 3 * intervalMs);
    else if (value !== null && !isDoubtful) held = null;
  }
  const last = polls.at(-1);
  return last !== undefined && last.value !== null && isTrue(last.value) ? held : null;
}

/** Two polls in a row that knew it to be so, behind a cooldown that counts from the last end that was told. */
function overdueOf(given: Case): Verdict[] {
  const { reference, polls, told, intervalMs } = given;
  const { cooldownMs, watch, alert, isTrue } = reference;
  if (cooldownMs === undefined) return [];
  const isSo = (one: Valued): boolean =>
    one.value !== null && isTrue(one.value) && !one.isDoubtful && one.poll.poll.isKept && isClean(one.poll);
  return polls.flatMap((poll, n): Verdict[] => {
    const before = polls[n - 1];
    if (before === undefined || !isSo(before) || !isSo(poll) || poll.at - before.at > 1.5 * intervalMs) return [];
    const last = told.findLast(({ at }) => at <= poll.at);
    if (last?.type !== 'alert.resolved' || before.clockAt < last.clockAt + cooldownMs) return [];
    const isFlapping = told.some(({ at, reason }) => at > last.at - DAY && at <= poll.at && isOfFlapping(reason));
    if (isFlapping || poll.clockAt < before.clockAt) return [];
    const what = `${alert}: held and did not fire behind its cooldown`;
    return [{ check: 'lost', at: poll.at, watch, what }];
  });
}

const DAY = 24 * 60 * MINUTE;

function isOfFlapping(reason: string | null): boolean {
  return reason?.startsWith('flapping') === true;
}

function isClean({ served }: ReadPoll): boolean {
  return served.every(({ fault, replica }) => fault === null && replica === 'chain');
}

/** Fired though an end was told so shortly before. That it flaps is said in any case. */
function coolingOf(given: Case): Verdict[] {
  const { reference, told, logs } = given;
  const { cooldownMs = 0, watch, alert } = reference;
  return told.flatMap(({ type, at, clockAt, reason }, n): Verdict[] => {
    const ended = told.slice(0, n).findLast((one) => one.type === 'alert.resolved');
    const isFirst = type === 'alert.firing' && reason?.startsWith('flapping') !== true;
    if (!isFirst || ended === undefined || told[n - 1] !== ended) return [];
    // A clock that is set back in between makes no cooldown longer, and one that is set forward makes it shorter.
    const sinceMs = Math.max(clockAt - ended.clockAt, at - ended.at + forwardMs(logs, ended.at, at));
    if (sinceMs + steadyMsOf(ended, given) >= cooldownMs) return [];
    return [{ check: 'invented', at, watch, what: `${alert}: fired ${sinceMs} ms after an end that was told` }];
  });
}

/** By how much the clock was set ahead after `from` and until `to`. */
function forwardMs(logs: Logs, from: Instant, to: Instant): number {
  return logs.people.jumps.filter(({ at, ms }) => ms > 0 && at > from && at <= to).reduce((sum, { ms }) => sum + ms, 0);
}

/**
 * An end that is told once it is steady came so long before; polls that knew nothing for sure make it later. A clock that is
 * set ahead makes it steady at once.
 */
function steadyMsOf({ reason, at }: Owed, { reference, polls, intervalMs, logs }: Case): number {
  if (reason?.startsWith('steady') !== true) return 0;
  const steadyMs = STEADY_MS + intervalMs;
  const known = polls.filter(({ value }) => value !== null);
  const held = known.findLast((one) => one.at <= at && one.value !== null && reference.isTrue(one.value));
  const over = known.find((one) => one.at > (held?.at ?? at));
  if (over === undefined) return steadyMs;
  const aheadMs = forwardMs(logs, over.at, at);
  if (aheadMs > 0) return at - over.at + aheadMs;
  const tells = known.find((one) => one.at >= over.at + STEADY_MS && !one.isDoubtful);
  return tells === undefined || at <= tells.at + intervalMs ? Math.max(steadyMs, at - over.at) : steadyMs;
}

function falselyResolvedOf(given: Case): Verdict[] {
  const { reference, polls, told, logs } = given;
  return told.flatMap((one, n): Verdict[] => {
    const { type, at, reason } = one;
    const poll = polls[decidingPoll(given, one)];
    if (type !== 'alert.resolved' || reason !== null || poll === undefined || poll.isUnsure) return [];
    if (isUnreported(poll)) return [];
    const why = poll.value === null ? 'nothing was known' : restsOn(poll, told[n - 1], { reference, polls, logs });
    if (why === null) return [];
    return [{ check: 'falsely-resolved', at, watch: reference.watch, what: `${reference.alert}: ended, but ${why}` }];
  });
}

/** Why what ended it is no reason; null when it is one. */
function restsOn(
  { poll, value }: Valued,
  firing: Owed | undefined,
  { reference, polls, logs }: Pick<Case, 'reference' | 'polls' | 'logs'>,
): string | null {
  if (value === null || !reference.ends(value)) return `the value was ${value ?? 'unknown'}`;
  const isFromElsewhere = poll.served.some(({ replica, answer }) => replica !== 'chain' && answer !== null);
  if (!isFromElsewhere || firing === undefined) return null;
  const firedOn = polls.findLast((one) => one.poll.poll.startedAt <= firing.at)?.poll;
  const firedElsewhere = firedOn?.served.some(({ replica }) => replica !== 'chain') === true;
  const firedHead = firedOn?.linkedHead ?? (firedElsewhere ? null : headAt(firing.at, logs.chain));
  if (firedHead === null || (poll.head !== null && poll.head >= firedHead)) return null;
  return `the head was below block ${firedHead}, where it fired`;
}
