import type { Instant } from '../../../lib/clock.ts';
import type { Memory } from '../memory.ts';

const BLIND_POLLS = 3;
const BLIND_MS = 5 * 60_000;

/** What is known of the watch's data. */
type Known = Pick<Memory, 'data' | 'coveredUntil'> | undefined;

export interface Watching {
  readonly intervalMs: number;
  /** Time before it does not count, such as that before the daemon was started; null = all that is remembered counts. */
  readonly from: Instant | null;
  readonly now: Instant;
}

/**
 * Since when a watch has had no data that is `ok`, if that is more than max(3 polls, 5 minutes) ago: then it is blind, and
 * its alerts neither fire nor resolve. Null while it is not.
 */
export function blindSince(memory: Known, { now, ...watching }: Watching): Instant | null {
  const since = latest(lastOkOf(memory), watching.from);
  return since !== null && now > since + patienceOf(watching) ? since : null;
}

/** Until when it is not blind, if no more data comes that is `ok`. Null: it will not be. */
export function clearUntil(memory: Known, watching: Omit<Watching, 'now'>): Instant | null {
  const since = latest(lastOkOf(memory), watching.from);
  return since === null ? null : since + patienceOf(watching);
}

function patienceOf({ intervalMs }: Pick<Watching, 'intervalMs'>): number {
  return Math.max(BLIND_POLLS * intervalMs, BLIND_MS);
}

function lastOkOf(memory: Known): Instant | null {
  if (memory === undefined || memory.data === null) return null;
  const { state, since, lastOk } = memory.data;
  return state === 'ok' ? memory.coveredUntil : (lastOk ?? since);
}

function latest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
