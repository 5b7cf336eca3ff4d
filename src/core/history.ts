// What a watch saw over time, kept as runs of equal samples, and the windows that look back over them. Exact: a sample
// is what one poll saw; an answer that never came is none, and nothing is drawn between two of them but a straight line
// of the first one's value.
import { Amount } from './amount.ts';
import { exactOf, valueAt, type AnyView } from './fields.ts';
import type { Run, Samples } from './memory.ts';
import type { History, Instant, Span, Window } from './model.ts';

/** When a watch is looked at, and how often that should be. */
export interface Pace {
  readonly at: Instant;
  /** The last usable answer before; null = none. */
  readonly coveredUntil: Instant | null;
  readonly intervalMs: number;
}

/** More than this many intervals between two samples are a hole. */
const HOLE = 3;

/** Adds what is seen now. The very same object as before when every value is as it was. */
export function sample(before: Samples, spans: readonly Span[], view: AnyView | null, pace: Pace): Samples {
  const after: Record<string, readonly Run[]> = {};
  for (const span of spans) {
    const runs = before[span.path] ?? [];
    const value = view === null ? undefined : numberAt(view, span.path);
    const next = value === undefined ? closed(runs, pace) : extended(runs, value.toString(), pace);
    after[span.path] = next === runs ? runs : prune(next, span, pace);
  }
  return isSame(before, after) ? before : after;
}

/** Answers windows as of `pace.at`, for a value that was sampled then. */
export function historyOf(samples: Samples, pace: Pace): History {
  return (window) => {
    const runs = samples[window.path];
    return runs === undefined ? undefined : measure(runs, window, pace);
  };
}

function numberAt(view: AnyView, path: string): Amount | undefined {
  const amount = exactOf(valueAt(view, path));
  // What could not be read back is not kept.
  return amount !== undefined && Amount.parse(amount.toString()) !== undefined ? amount : undefined;
}

function extended(runs: readonly Run[], value: string, pace: Pace): readonly Run[] {
  const last = runs.at(-1);
  const goesOn = last?.[1] === null && last[2] === value && !isHole(pace);
  return goesOn ? runs : [...closed(runs, pace), [pace.at, null, value]];
}

function isHole({ at, coveredUntil, intervalMs }: Pace): boolean {
  return coveredUntil === null || at - coveredUntil > HOLE * intervalMs;
}

/** The value is another one, or unknown: the last run ends with the last usable answer. */
function closed(runs: readonly Run[], { coveredUntil }: Pace): readonly Run[] {
  const last = runs.at(-1);
  if (last?.[1] !== null) return runs;
  const [from, , value] = last;
  return [...runs.slice(0, -1), [from, Math.max(from, coveredUntil ?? from), value]];
}

/** Keeps what the longest window needs: all of it, and the sample at its beginning. */
function prune(runs: readonly Run[], { ms }: Span, { at, intervalMs }: Pace): readonly Run[] {
  const oldest = at - ms - HOLE * intervalMs;
  const first = runs.findIndex(([, until]) => until === null || until >= oldest);
  return first > 0 ? runs.slice(first) : runs;
}

function isSame(before: Samples, after: Samples): boolean {
  const paths = Object.keys(after);
  return paths.length === Object.keys(before).length && paths.every((path) => before[path] === after[path]);
}

/**
 * Unknown when nobody looked at the window's beginning: then its extremes are as unknown as its change. The extremes
 * are those before now, so that `balance < min("7d")` is a new low. `avg` weighs each value by how long it stood.
 */
function measure(runs: readonly Run[], { measure: what, ms }: Window, pace: Pace): Amount | undefined {
  const begin = pace.at - ms;
  const reference = sampleAt(runs, begin, pace);
  const now = runs.at(-1);
  if (reference === undefined || now?.[1] !== null) return undefined;
  const value = amountOf(now);
  switch (what) {
    case 'delta':
      return value.minus(reference);
    case 'change':
      return reference.digits === 0n ? undefined : value.minus(reference).dividedBy(reference);
    case 'min':
      return within(runs, begin, pace).reduce((least, one) => (one.compare(least) < 0 ? one : least), reference);
    case 'max':
      return within(runs, begin, pace).reduce((most, one) => (one.compare(most) > 0 ? one : most), reference);
    case 'avg':
      return average(runs, begin, pace) ?? value;
  }
}

/** The newest sample at that moment or before, unless it is older than a hole. */
function sampleAt(runs: readonly Run[], at: Instant, pace: Pace): Amount | undefined {
  const run = runs.findLast(([from]) => from <= at);
  return run !== undefined && endOf(run, pace) >= at - HOLE * pace.intervalMs ? amountOf(run) : undefined;
}

function within(runs: readonly Run[], begin: Instant, pace: Pace): Amount[] {
  return runs.filter((run) => run[0] < pace.at && endOf(run, pace) > begin).map(amountOf);
}

function average(runs: readonly Run[], begin: Instant, pace: Pace): Amount | undefined {
  let sum = new Amount(0n, 0);
  let total = 0n;
  for (const [i, run] of runs.entries()) {
    const stood = BigInt(Math.max(0, standsUntil(run, runs[i + 1], pace) - Math.max(run[0], begin)));
    sum = sum.plus(amountOf(run).times(new Amount(stood, 0)));
    total += stood;
  }
  return total === 0n ? undefined : sum.dividedBy(new Amount(total, 0));
}

/** A value stands until the next sample; across a hole only until its own last one. */
function standsUntil(run: Run, next: Run | undefined, pace: Pace): Instant {
  const end = endOf(run, pace);
  return next !== undefined && next[0] - end <= HOLE * pace.intervalMs ? next[0] : end;
}

function endOf([from, until]: Run, { at }: Pace): Instant {
  return until ?? Math.max(from, at);
}

function amountOf([, , value]: Run): Amount {
  const amount = Amount.parse(value);
  if (amount === undefined) throw new TypeError('a sample is no number');
  return amount;
}
