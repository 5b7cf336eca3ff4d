import type { Instant } from '../../../lib/clock.ts';
import type { Memory } from '../memory.ts';
import { nextDue, nextTimeOf, phaseOf } from '../watch/schedule.ts';
import { paceIn, type Watch } from '../watch/watch.ts';

const MISSED_TIMES = 3;
/** A poll that is under way counts as missed only if it takes longer than this. */
const ANSWER_MS = 10_000;

/** An answer takes up to ten seconds, and is stored up to ten seconds later. */
const OVERDUE_MS = 20_000;

/** The state of the watch's data. */
type Known = (Pick<Memory, 'data' | 'coveredUntil'> & Partial<Pick<Memory, 'paceMs'>>) | undefined;

export interface Watching {
  readonly watch: Pick<Watch, 'kind' | 'target' | 'schedule' | 'blindAfterMs'>;
  /** Times before this one do not count, such as those before the start of the daemon; null = all times count. */
  readonly from: Instant | null;
  readonly now: Instant;
}

/**
 * The first due time since which a blind watch has had no data that is `ok`; null: it is not blind. It is blind if it
 * missed three due times, and the first one is longer ago than its `blind_after`. Then its alerts neither fire nor
 * resolve.
 */
export function blindSince(memory: Known, watching: Watching): Instant | null {
  const since = latest(lastOkOf(memory), watching.from);
  const clear = clearUntil(memory, watching);
  if (since === null || clear === null || watching.now <= clear) return null;
  return nextTimeOf(watching.watch, since, paceIn(memory, watching.watch));
}

/**
 * The first due time since which a watch has had no data that is `ok`, as long as it is not blind. Null: no answer is
 * overdue, or it is blind.
 */
export function overdueSince(memory: Known, watching: Watching): Instant | null {
  const { watch, from, now } = watching;
  const since = latest(lastOkOf(memory), from);
  // A cheap check first: of ten thousand watches most were polled a moment ago.
  if (since === null || now - since <= OVERDUE_MS) return null;
  const first = nextTimeOf(watch, since, paceIn(memory, watch));
  return first === null || now <= first + OVERDUE_MS || blindSince(memory, watching) !== null ? null : first;
}

/** The time until which the watch cannot be blind, even without more `ok` data. Null: it will not be blind. */
export function clearUntil(memory: Known, { watch, from, now }: Watching): Instant | null {
  const since = latest(lastOkOf(memory), from);
  if (since === null) return null;
  // Due times are computed only for watches that may be blind.
  const earliest = since + watch.blindAfterMs;
  return now <= earliest ? earliest : blindAt(watch, since, paceIn(memory, watch));
}

/**
 * The time before which nothing counts as missed, after a reload has replaced `before`. If the question changed, the
 * watch may have other due times. If more of them have passed than of the former ones, the first was not missed: the
 * watch was not due then.
 */
export function fromAfterReload(
  memory: Known,
  before: Watching['watch'],
  { watch, from, now }: Watching,
): Instant | null {
  const since = latest(lastOkOf(memory), from);
  if (since === null || watch.schedule.type === 'cron') return from;
  const hasMore = duesBetween(watch, since, now) > duesBetween(before, since, now);
  return hasMore ? latest(from, nextTimeOf(watch, since)) : from;
}

function duesBetween(watch: Watching['watch'], since: Instant, until: Instant): number {
  const times = { intervalMs: watch.schedule.intervalMs, phaseMs: phaseOf(watch) };
  return (nextDue(times, until) - nextDue(times, since)) / times.intervalMs;
}

function blindAt(watch: Watching['watch'], since: Instant, paceMs: number): Instant | null {
  const first = nextTimeOf(watch, since, paceMs);
  let last = first;
  for (let missed = 1; missed < MISSED_TIMES && last !== null; missed += 1) last = nextTimeOf(watch, last, paceMs);
  return first === null || last === null ? null : Math.max(first + watch.blindAfterMs, last + ANSWER_MS);
}

function lastOkOf(memory: Known): Instant | null {
  if (memory === undefined || memory.data === null) return null;
  const { state, since, lastOk } = memory.data;
  return state === 'ok' ? memory.coveredUntil : (lastOk ?? since);
}

export function latest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
