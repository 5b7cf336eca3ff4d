// The daemon's work since the last daily report, added up check by check. It is kept in the state file, so that a
// restart loses none of it and the downtime is known.
import { z } from 'zod';
import type { Instant } from '../../lib/clock.ts';
import type { CreditPlanState } from '../../core/model/quality/health-summary.ts';
import { PlanTallies, toldPlans, withPlans } from './plan-tally.ts';
import { type ExplorerWork, NOTHING_DONE, type WorkByExplorer } from '../reporting/explorer-counts.ts';

const Span = z.object({ from: z.number(), until: z.number() });

const BlindSpan = Span.extend({
  explorer: z.string(),
  reason: z.string(),
  /** The highest number of blind watches at one time. */
  watches: z.number(),
});

const ExplorerTally = z.object({
  polls: z.number(),
  missed: z.number(),
  requests: z.number(),
  credits: z.number(),
  /** The newest block at the last report, or the first one since; null: none yet. */
  from: z.number().nullable(),
  to: z.number().nullable(),
  /** The credits left by the newest answer that has them; null: no answer had them. */
  creditsLeft: z.number().nullable(),
});

export const DayTally = z.object({
  /** The day of the last report; before the first report, the day on which the last one would have been due. */
  day: z.string(),
  from: z.number(),
  until: z.number(),
  /** Lines of the journal up to this one are counted. */
  line: z.number(),
  lines: z.record(z.string(), z.number()),
  explorers: z.record(z.string(), ExplorerTally),
  plans: PlanTallies.default({}),
  blind: z.array(BlindSpan),
  stopped: z.array(Span),
  /** The number of spans that were dropped, since only the newest ones are kept. */
  more: z.number(),
});
export type DayTally = z.output<typeof DayTally>;
export type ExplorerTally = z.output<typeof ExplorerTally>;

/** The findings of one check. */
export interface TallyLook {
  readonly at: Instant;
  /** The work since the check before. */
  readonly work: WorkByExplorer;
  /** Numbers of journal lines since the check before, by kind, and the newest line. */
  readonly journal: { readonly line: number; readonly lines: Readonly<Record<string, number>> };
  readonly blind: readonly {
    readonly explorer: string;
    readonly reason: string;
    readonly since: Instant;
    readonly watches: number;
  }[];
  readonly plans: readonly CreditPlanState[];
}

/** An empty tally that starts now. */
export function newTally(day: string, { at, journal }: Pick<TallyLook, 'at' | 'journal'>): DayTally {
  const nothing = { lines: {}, explorers: {}, plans: {}, blind: [], stopped: [], more: 0 };
  return { day, from: at, until: at, line: journal.line, ...nothing };
}

/** The tally after a report. Its explorers start at the newest blocks of `tally`. */
export function nextTally(day: string, tally: DayTally): DayTally {
  const { until, line } = tally;
  const explorers = Object.entries(tally.explorers).map(
    ([name, { to, creditsLeft }]) => [name, { ...NO_TALLY, from: to, to, creditsLeft }] as const,
  );
  return {
    ...newTally(day, { at: until, journal: { line, lines: {} } }),
    explorers: Object.fromEntries(explorers),
    plans: toldPlans(tally.plans),
  };
}

/** The longest time between two checks; after a longer one the daemon was not running, or its machine slept. */
const LONGEST_BREAK_MS = 120_000;
const MOST_SPANS = 50;

export function withLook(tally: DayTally, { at, work, journal, blind, plans }: TallyLook): DayTally {
  const isBreak = at - tally.until > LONGEST_BREAK_MS;
  const stopped = isBreak ? [...tally.stopped, { from: tally.until, until: at }] : tally.stopped;
  const spans = blind.reduce((all, one) => withBlind(all, one, tally, at), tally.blind);
  return {
    ...tally,
    until: at,
    line: journal.line,
    lines: added(tally.lines, journal.lines),
    explorers: withWork(tally.explorers, work),
    plans: withPlans(tally.plans, plans),
    blind: spans.slice(-MOST_SPANS),
    stopped: stopped.slice(-MOST_SPANS),
    more: tally.more + Math.max(0, spans.length - MOST_SPANS) + Math.max(0, stopped.length - MOST_SPANS),
  };
}

type BlindSpans = DayTally['blind'];

/** Extends a blind span that lasted at the check before; otherwise adds a new one. */
function withBlind(
  spans: BlindSpans,
  { explorer, reason, since, watches }: TallyLook['blind'][number],
  { from, until }: DayTally,
  at: Instant,
): BlindSpans {
  const found = spans.findLast((span) => span.explorer === explorer && span.reason === reason);
  if (found?.until !== until) return [...spans, { explorer, reason, watches, from: Math.max(since, from), until: at }];
  return spans.with(spans.indexOf(found), { ...found, until: at, watches: Math.max(found.watches, watches) });
}

const NO_TALLY: ExplorerTally = { ...NOTHING_DONE, from: null, to: null, creditsLeft: null };

function withWork(tallies: DayTally['explorers'], work: WorkByExplorer): DayTally['explorers'] {
  const next = { ...tallies };
  for (const [name, done] of work) next[name] = withExplorer(next[name] ?? NO_TALLY, done);
  return next;
}

function withExplorer(tally: ExplorerTally, done: ExplorerWork): ExplorerTally {
  return {
    polls: tally.polls + done.polls,
    missed: tally.missed + done.missed,
    requests: tally.requests + done.requests,
    credits: tally.credits + done.credits,
    from: tally.from ?? done.head,
    to: done.head ?? tally.to,
    creditsLeft: done.creditsLeft ?? tally.creditsLeft,
  };
}

function added(counts: DayTally['lines'], more: DayTally['lines']): DayTally['lines'] {
  const next = { ...counts };
  for (const [kind, count] of Object.entries(more)) next[kind] = (next[kind] ?? 0) + count;
  return next;
}
