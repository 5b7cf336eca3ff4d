// What a watch saw over time, kept as runs of equal samples, and the windows over them. A sample is what one poll saw.
// A missed poll has no sample. Between two samples the value is taken to be that of the first.
import type { PollTime } from './condition-state.ts';
import { Amount } from '../values/amount.ts';
import { exactOf, valueAt, type AnyView } from '../values/fields.ts';
import type { Run, Samples } from '../model/memory.ts';
import type { History, Span, Window } from '../model/condition.ts';
import type { Instant } from '../../lib/clock.ts';

/** More than this many intervals between two samples are a gap. */
const HOLE = 3;

/** Adds the present values. The same object as before when every value is unchanged. */
export function sample(before: Samples, spans: readonly Span[], view: AnyView | null, time: PollTime): Samples {
  const after: Record<string, readonly Run[]> = {};
  for (const span of spans) {
    const runs = before[span.path] ?? [];
    const value = view === null ? undefined : numberAt(view, span.path);
    const next = value === undefined ? closed(runs, time) : extended(runs, value.toString(), time);
    after[span.path] = next === runs ? runs : prune(next, span, time);
  }
  return isSame(before, after) ? before : after;
}

/** Answers windows as of `time.at`, for a value that was sampled then. */
export function historyOf(samples: Samples, time: PollTime): History {
  return (window) => {
    const runs = samples[window.path];
    return runs === undefined ? undefined : measure(runs, window, time);
  };
}

function numberAt(view: AnyView, path: string): Amount | undefined {
  const amount = exactOf(valueAt(view, path));
  // A value that cannot be parsed back is not kept.
  return amount !== undefined && Amount.parse(amount.toString()) !== undefined ? amount : undefined;
}

function extended(runs: readonly Run[], value: string, time: PollTime): readonly Run[] {
  const last = runs.at(-1);
  const goesOn = last?.[1] === null && last[2] === value && !isHole(time);
  return goesOn ? runs : [...closed(runs, time), [time.at, null, value]];
}

function isHole({ at, coveredUntil, intervalMs }: PollTime): boolean {
  return coveredUntil === null || at - coveredUntil > HOLE * intervalMs;
}

/** The value changed or became unknown: the last run ends with the last usable answer. */
function closed(runs: readonly Run[], { coveredUntil }: PollTime): readonly Run[] {
  const last = runs.at(-1);
  if (last?.[1] !== null) return runs;
  const [from, , value] = last;
  return [...runs.slice(0, -1), [from, Math.max(from, coveredUntil ?? from), value]];
}

/** Keeps the samples of the longest window, and the one at its beginning. */
function prune(runs: readonly Run[], { ms }: Span, { at, intervalMs }: PollTime): readonly Run[] {
  const oldest = at - ms - HOLE * intervalMs;
  const first = runs.findIndex(([, until]) => until === null || until >= oldest);
  return first > 0 ? runs.slice(first) : runs;
}

function isSame(before: Samples, after: Samples): boolean {
  const paths = Object.keys(after);
  return paths.length === Object.keys(before).length && paths.every((path) => before[path] === after[path]);
}

/**
 * Undefined when there is no sample at the window's beginning. `min` and `max` are those before now, so that `balance <
 * min("7d")` is a new low. `avg` weighs each value by its duration.
 */
function measure(runs: readonly Run[], { measure: what, ms }: Window, time: PollTime): Amount | undefined {
  const begin = time.at - ms;
  const reference = sampleAt(runs, begin, time);
  const now = runs.at(-1);
  if (reference === undefined || now?.[1] !== null) return undefined;
  const value = amountOf(now);
  switch (what) {
    case 'delta':
      return value.minus(reference);
    case 'change':
      return reference.digits === 0n ? undefined : value.minus(reference).dividedBy(reference);
    case 'min':
      return within(runs, begin, time).reduce((least, one) => (one.compare(least) < 0 ? one : least), reference);
    case 'max':
      return within(runs, begin, time).reduce((most, one) => (one.compare(most) > 0 ? one : most), reference);
    case 'avg':
      return average(runs, begin, time) ?? value;
  }
}

/** The newest sample at `at` or before, unless a gap lies between. */
function sampleAt(runs: readonly Run[], at: Instant, time: PollTime): Amount | undefined {
  const run = runs.findLast(([from]) => from <= at);
  return run !== undefined && endOf(run, time) >= at - HOLE * time.intervalMs ? amountOf(run) : undefined;
}

function within(runs: readonly Run[], begin: Instant, time: PollTime): Amount[] {
  return runs.filter((run) => run[0] < time.at && endOf(run, time) > begin).map(amountOf);
}

function average(runs: readonly Run[], begin: Instant, time: PollTime): Amount | undefined {
  let sum = new Amount(0n, 0);
  let total = 0n;
  for (const [i, run] of runs.entries()) {
    const stood = BigInt(Math.max(0, standsUntil(run, runs[i + 1], time) - Math.max(run[0], begin)));
    sum = sum.plus(amountOf(run).times(new Amount(stood, 0)));
    total += stood;
  }
  return total === 0n ? undefined : sum.dividedBy(new Amount(total, 0));
}

/** A value lasts until the next sample; before a gap, until its own last sample. */
function standsUntil(run: Run, next: Run | undefined, time: PollTime): Instant {
  const end = endOf(run, time);
  return next !== undefined && next[0] - end <= HOLE * time.intervalMs ? next[0] : end;
}

function endOf([from, until]: Run, { at }: PollTime): Instant {
  return until ?? Math.max(from, at);
}

function amountOf([, , value]: Run): Amount {
  const amount = Amount.parse(value);
  if (amount === undefined) throw new TypeError('a sample is no number');
  return amount;
}
