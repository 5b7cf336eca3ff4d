// The history of a watch as runs of equal samples, and the windows over it. A sample is the value of one poll. A missed
// poll has no sample. Between two samples the value counts as that of the first.
import type { Instant } from '../../lib/clock.ts';
import type { ClosedRun, Decision } from '../model/decision.ts';
import type { Memory, Run, Samples } from '../model/memory.ts';
import type { Window, WindowHistory, WindowSpan } from '../model/watch/condition.ts';
import type { Watch } from '../model/watch/watch.ts';
import { Amount } from '../values/amount.ts';
import { type AnyView, exactOf, valueAt } from '../values/fields.ts';
import { HOLE } from '../windows/hole.ts';
import { NO_PAST, type Past } from '../windows/stored-runs.ts';
import type { StoredWindow } from '../windows/stored-window.ts';
import type { PollTime } from './conditions/condition-state.ts';

/** Adds the present values. The same object as before when every value is unchanged. */
export function sample(before: Samples, spans: readonly WindowSpan[], view: AnyView | null, time: PollTime): Samples {
  const after: Record<string, readonly Run[]> = {};
  for (const span of longestByPath(spans)) {
    const runs = before[span.path] ?? [];
    const value = view === null ? undefined : numberAt(view, span.path);
    const next = value === undefined ? closed(runs, time.coveredUntil) : extended(runs, value.toString(), time);
    after[span.path] = next === runs ? runs : prune(next, span, time);
  }
  return isSame(before, after) ? before : after;
}

/** The longest window of each path. */
function longestByPath(spans: readonly WindowSpan[]): readonly WindowSpan[] {
  if (spans.length <= 1) return spans;
  const longest = new Map<string, WindowSpan>();
  for (const span of spans) if (span.ms > (longest.get(span.path)?.ms ?? 0)) longest.set(span.path, span);
  return [...longest.values()];
}

/** The measures of windows as of `time.at`, when the present value was sampled. `past`: the runs before the samples. */
export function historyOf(samples: Samples, time: PollTime, past: Past = NO_PAST): WindowHistory {
  return (window) => {
    const runs = samples[window.path];
    return runs === undefined ? undefined : measure({ runs, past: past.window(window) }, window, time);
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
  if (goesOn) return runs;
  const ended = closed(runs, isStretched(time) ? time.at : time.coveredUntil);
  return [...ended, [time.at, null, value]];
}

/**
 * True if the time between two samples would be a gap by the interval of the rule, but is none by the longer interval
 * in force. The run of the first value is then extended up to the second sample. So the run has no gap if the interval
 * becomes shorter later.
 */
function isStretched(time: PollTime): boolean {
  const { wantedMs = time.intervalMs } = time;
  return !isHole(time) && isHole({ ...time, intervalMs: wantedMs });
}

function isHole({ at, coveredUntil, intervalMs }: PollTime): boolean {
  return coveredUntil === null || at - coveredUntil > HOLE * intervalMs;
}

/** The value changed or became unknown: the last run ends with the last usable answer. */
function closed(runs: readonly Run[], coveredUntil: Instant | null): readonly Run[] {
  const last = runs.at(-1);
  if (last?.[1] !== null) return runs;
  const [from, , value] = last;
  return [...runs.slice(0, -1), [from, Math.max(from, coveredUntil ?? from), value]];
}

/** Keeps the runs of the longest window, and the run at its beginning. */
function prune(runs: readonly Run[], { ms }: WindowSpan, { at, intervalMs }: PollTime): readonly Run[] {
  const oldest = at - ms - HOLE * intervalMs;
  const first = runs.findIndex(([, until]) => until === null || until >= oldest);
  return first > 0 ? runs.slice(first) : runs;
}

function isSame(before: Samples, after: Samples): boolean {
  const paths = Object.keys(after);
  return paths.length === Object.keys(before).length && paths.every((path) => before[path] === after[path]);
}

/** The runs of one path. `past`: the stored runs; `runs`: the later ones, in the memory. */
interface Runs {
  readonly past: StoredWindow | undefined;
  readonly runs: readonly Run[];
}

/**
 * Undefined if there is no sample at the window's beginning. `min` and `max` leave out the present value, so that
 * `balance < min("7d")` is a new low. `avg` weighs each value by its duration.
 */
function measure(all: Runs, { measure: what, ms }: Window, time: PollTime): Amount | undefined {
  const begin = time.at - ms;
  const reference = sampleAt(all, begin, time);
  const now = all.runs.at(-1);
  if (reference === undefined || now?.[1] !== null) return undefined;
  const value = amountOf(now);
  switch (what) {
    case 'delta':
      return value.minus(reference);
    case 'change':
      return reference.digits === 0n ? undefined : value.minus(reference).dividedBy(reference);
    case 'min':
      return within(all, begin, time, 'least').reduce(
        (least, one) => (one.compare(least) < 0 ? one : least),
        reference,
      );
    case 'max':
      return within(all, begin, time, 'most').reduce((most, one) => (one.compare(most) > 0 ? one : most), reference);
    case 'avg':
      return average(all, begin, time) ?? value;
  }
}

/** The newest sample at `at` or before, unless a gap lies between. */
function sampleAt({ past, runs }: Runs, at: Instant, time: PollTime): Amount | undefined {
  const oldest = at - HOLE * time.intervalMs;
  const run = runs.findLast(([from]) => from <= at);
  if (run !== undefined) return endOf(run, time) >= oldest ? amountOf(run) : undefined;
  const before = past?.reference(at);
  return before !== undefined && before.until >= oldest ? before.value : undefined;
}

/** The candidates for the extreme. */
function within({ past, runs }: Runs, begin: Instant, time: PollTime, extreme: 'least' | 'most'): Amount[] {
  const own = runs.filter((run) => run[0] < time.at && endOf(run, time) > begin).map(amountOf);
  const before = past?.[extreme](begin);
  return before === undefined ? own : [before, ...own];
}

function average({ past, runs }: Runs, begin: Instant, time: PollTime): Amount | undefined {
  const before = past?.stood(begin, runs[0]?.[0] ?? null);
  let sum = before?.sum ?? new Amount(0n, 0);
  let total = BigInt(before?.ms ?? 0);
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

// The runs that a decision closes. They move from the memory, whose row would grow with the window, to a table of their
// own.

/** The decision with its closed runs apart. Its memory keeps only open runs. */
export function withClosedApart(watch: Watch, before: Memory, decision: Decision): Decision {
  const { memory } = decision;
  const isSame = before.checksum === memory.checksum;
  if (isSame && memory.history === before.history) return decision;
  const paths = new Set([...Object.keys(before.history), ...Object.keys(memory.history)]);
  const goesOn = (path: string): boolean =>
    isSame && path in before.history && path in memory.history && !decision.closed.dropped.includes(path);
  return {
    ...decision,
    memory: { ...memory, history: runsOf(memory.history, isOpen) },
    closed: {
      ...decision.closed,
      runs: Object.entries(runsOf(memory.history, isClosed)).flatMap(([path, runs]) => rowsOf(watch, path, runs)),
      dropped: [...paths].filter((path) => !goesOn(path)),
    },
  };
}

/** The memory with its stored runs, which were closed before its own. */
export function withStored(memory: Memory, stored: Samples): Memory {
  const history = Object.entries(memory.history).map(([path, runs]) => {
    const before = (stored[path] ?? []).filter((run) => isBefore(run, runs[0], memory.coveredUntil));
    return [path, [...before, ...runs]] as const;
  });
  return { ...memory, history: Object.fromEntries(history) };
}

/** False for runs that were stored after the memory was. */
function isBefore([since, until]: Run, first: Run | undefined, coveredUntil: Memory['coveredUntil']): boolean {
  return first === undefined ? until !== null && coveredUntil !== null && until <= coveredUntil : since < first[0];
}

function rowsOf({ sampled, schedule }: Watch, path: string, runs: readonly Run[]): readonly ClosedRun[] {
  const longestMs = Math.max(0, ...sampled.filter((span) => span.path === path).map(({ ms }) => ms));
  const keptMs = longestMs + HOLE * schedule.intervalMs;
  return runs.flatMap(([since, until, value]) =>
    until === null ? [] : [{ path, since, until, value, keptFrom: until - keptMs }],
  );
}

function runsOf(samples: Samples, is: (run: Run) => boolean): Samples {
  return Object.fromEntries(Object.entries(samples).map(([path, runs]) => [path, runs.filter(is)]));
}

function isOpen([, until]: Run): boolean {
  return until === null;
}

function isClosed(run: Run): boolean {
  return !isOpen(run);
}
