// The runs that a decision closes. They move from the memory, whose row would grow with the window, to a table of their
// own.
import type { ClosedRun, Decision } from '../model/decision.ts';
import type { Memory, Run, Samples } from '../model/memory.ts';
import type { Watch } from '../model/watch/watch.ts';
import { HOLE } from './hole.ts';

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
