// One window over the closed runs of a path. The runs are in the store. Only the data for the window's values are here,
// so that a poll costs the same for an hour and for a week:
//
//   least, most   the runs that may still be the minimum or maximum of this window or a later one
//   edge          the runs at the window's beginning: the tail, whose value may still hold there, and those after it
//   sum           value by time of all runs between the tail and the newest one, exact
//
// Queries change nothing. `push` and `advance` follow a stored commit.
import { Amount } from '../values/amount.ts';
import type { Instant } from '../../lib/clock.ts';

/** A stretch of equal samples that is over: from its first to its last one. */
export interface PastRun {
  readonly since: Instant;
  readonly until: Instant;
  readonly value: Amount;
}

/** The sum of values times the milliseconds that each lasted, and these milliseconds. */
export interface Stood {
  readonly sum: Amount;
  readonly ms: number;
}

export interface StoredWindow {
  /** The newest run that began at that moment or before. */
  reference(begin: Instant): PastRun | undefined;
  /** The smallest value of the runs that end after that moment. */
  least(begin: Instant): Amount | undefined;
  most(begin: Instant): Amount | undefined;
  /**
   * Value by time of all runs, from that moment on. `next`: when the sample after the newest run was taken; null =
   * there is none.
   */
  stood(begin: Instant, next: Instant | null): Stood;
  /** Adds a run that has ended and is newer than all others. */
  push(run: PastRun): void;
  /** Drops data from before that moment; no query will need them. */
  advance(begin: Instant): void;
  /**
   * The end of the run after which runs must be read before a question about that moment; null if none must be read.
   */
  missingAfter(begin: Instant): Instant | null;
  /** Adds the runs after the one that `missingAfter` returned, oldest first. */
  refill(runs: readonly PastRun[]): void;
}

/** The most runs at the beginning of the window that are kept in memory. */
export const EDGE_RUNS = 64;

/** `holeMs`: samples further apart than this are a hole, in which no value holds. */
export function createStoredWindow(holeMs: number): StoredWindow {
  const leastRuns: PastRun[] = [];
  const mostRuns: PastRun[] = [];
  const edge: PastRun[] = [];
  let isEdgeWhole = true;
  let passed: PastRun | undefined;
  let newest: PastRun | undefined;
  let between = NOTHING;

  const isNewest = (run: PastRun): boolean => run.since === newest?.since;
  const standsUntil = ({ until }: PastRun, next: Instant | null): Instant =>
    next !== null && next - until <= holeMs ? next : until;
  const stoodFrom = (run: PastRun, begin: Instant, next: Instant | null): Stood => {
    const ms = Math.max(0, standsUntil(run, next) - Math.max(run.since, begin));
    return { sum: run.value.times(new Amount(BigInt(ms), 0)), ms };
  };

  return {
    reference(begin) {
      const run = edge.findLast(({ since }) => since <= begin);
      return run ?? (passed !== undefined && passed.since <= begin ? passed : undefined);
    },
    least: (begin) => leastRuns.find(({ until }) => until > begin)?.value,
    most: (begin) => mostRuns.find(({ until }) => until > begin)?.value,
    stood(begin, next) {
      let total = between;
      for (const [i, run] of edge.entries()) {
        const after = edge[i + 1];
        if (after === undefined || isNewest(run)) return plus(total, stoodFrom(run, begin, next));
        if (standsUntil(run, after.since) > begin) {
          const last = newest === undefined ? NOTHING : stoodFrom(newest, begin, next);
          return plus(plus(total, stoodFrom(run, begin, after.since)), last);
        }
        const following = edge[i + 2];
        if (following !== undefined) total = minus(total, stoodFrom(after, -Infinity, following.since));
      }
      return NOTHING;
    },
    push(run) {
      const [tail] = edge;
      if (newest !== undefined && newest.since !== tail?.since)
        between = plus(between, stoodFrom(newest, -Infinity, run.since));
      if (isEdgeWhole && edge.length < EDGE_RUNS) edge.push(run);
      else isEdgeWhole = false;
      newest = run;
      pushOnto(leastRuns, run, (back) => back.compare(run.value) > 0);
      pushOnto(mostRuns, run, (back) => back.compare(run.value) < 0);
    },
    advance(begin) {
      evict(leastRuns, begin);
      evict(mostRuns, begin);
      for (;;) {
        const [tail, next, following] = edge;
        if (tail === undefined || next === undefined || standsUntil(tail, next.since) > begin) return;
        if (following === undefined && !isNewest(next)) return;
        passed = tail;
        edge.shift();
        if (following !== undefined) between = minus(between, stoodFrom(next, -Infinity, following.since));
      }
    },
    missingAfter(begin) {
      const [last, before] = [edge.at(-1), edge.at(-2)];
      if (isEdgeWhole || last === undefined || (before !== undefined && before.since > begin)) return null;
      return last.until;
    },
    refill(runs) {
      edge.push(...runs);
      const last = edge.at(-1);
      isEdgeWhole = last === undefined || isNewest(last);
    },
  };
}

const NOTHING: Stood = { sum: new Amount(0n, 0), ms: 0 };

function plus(one: Stood, other: Stood): Stood {
  return { sum: one.sum.plus(other.sum), ms: one.ms + other.ms };
}

function minus(one: Stood, other: Stood): Stood {
  return { sum: one.sum.minus(other.sum), ms: one.ms - other.ms };
}

/** Removes runs at the back that cannot be the extreme of a later window, because the new run leaves later. */
function pushOnto(runs: PastRun[], run: PastRun, isBeaten: (back: Amount) => boolean): void {
  for (let back = runs.at(-1); back !== undefined && isBeaten(back.value); back = runs.at(-1)) runs.pop();
  // The newer run of equal values is kept: it leaves the window later.
  if (runs.at(-1)?.value.equals(run.value) === true) runs.pop();
  runs.push(run);
}

function evict(runs: PastRun[], begin: Instant): void {
  const first = runs.findIndex(({ until }) => until > begin);
  runs.splice(0, first < 0 ? runs.length : first);
}
