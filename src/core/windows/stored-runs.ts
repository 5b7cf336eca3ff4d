// The windows of a watch over its closed runs. The store has these runs.
import { Amount } from '../values/amount.ts';
import type { WindowSpan } from '../model/watch/condition.ts';
import type { ClosedRuns } from '../model/decision.ts';
import type { Run, Samples } from '../model/memory.ts';
import type { Watch } from '../model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';
import { HOLE } from './hole.ts';
import { createStoredWindow, type PastRun, type StoredWindow } from './stored-window.ts';

/** The closed runs of a watch, which are older than those in its memory. */
export interface Past {
  /** Undefined: there are no runs of that path, or no window of that length. */
  window(span: WindowSpan): StoredWindow | undefined;
}

export const NO_PAST: Past = { window: () => undefined };

/** The runs of a path that must be read from the store before its windows are used: those that ended after `after`. */
export interface MissingRuns {
  readonly path: string;
  readonly after: Instant;
  readonly refill: (runs: readonly Run[]) => void;
}

export interface StoredRuns extends Past {
  /** Adds runs to the windows after they were stored. `at`: the time of their poll. */
  kept(closed: ClosedRuns, at: Instant): void;
  /** The runs that must be read before a poll at that moment. */
  missing(at: Instant): readonly MissingRuns[];
}

interface Entry {
  readonly span: WindowSpan;
  readonly window: StoredWindow;
}

/** `stored`: all closed runs, oldest first; `at`: the time up to which the watch was covered. */
export function createStoredRuns(
  { windows, schedule }: Pick<Watch, 'windows' | 'schedule'>,
  stored: Samples,
  at: Instant,
): StoredRuns {
  const holeMs = HOLE * schedule.intervalMs;
  const entries = windows.map((span): Entry => ({ span, window: createStoredWindow(holeMs) }));
  for (const { span, window } of entries)
    for (const run of pastRuns(stored[span.path] ?? [])) {
      window.push(run);
      window.advance(at - span.ms);
    }

  return {
    window: ({ path, ms }) => entries.find(({ span }) => span.path === path && span.ms === ms)?.window,
    kept({ runs }, now) {
      for (const { span, window } of entries) {
        for (const { path, since, until, value } of runs)
          if (path === span.path) window.push({ since, until, value: amountOf(value) });
        window.advance(now - span.ms);
      }
    },
    missing: (now) =>
      entries.flatMap(({ span, window }): MissingRuns[] => {
        const after = window.missingAfter(now - span.ms);
        if (after === null) return [];
        return [
          {
            path: span.path,
            after,
            refill: (runs) => {
              window.refill(pastRuns(runs));
            },
          },
        ];
      }),
  };
}

/** The closed runs among stored ones, with amounts in place of texts. */
function pastRuns(runs: readonly Run[]): PastRun[] {
  return runs.flatMap(([since, until, value]) => (until === null ? [] : [{ since, until, value: amountOf(value) }]));
}

function amountOf(value: string): Amount {
  const amount = Amount.parse(value);
  if (amount === undefined) throw new TypeError('a sample is no number');
  return amount;
}
