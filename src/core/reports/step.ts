// Computes when a report is due, and its decision. The state of a report is the newest time of its cron that is
// settled:
//
//   settled --a time of the cron comes--> due --each member is known, or five minutes have passed--> settled, and told
//
// A new report begins as settled, and so does a report after a change of its cron. If several times were missed, one
// report is sent for the newest of them.
import { z } from 'zod';
import { NOTHING_CLOSED, type Decision } from '../model/decision.ts';
import type { Memory } from '../model/memory.ts';
import type { Transition } from '../model/transition.ts';
import { showCron } from '../model/watch/schedule.ts';
import type { Instant } from '../../lib/clock.ts';
import { reportMessage } from './message.ts';
import type { Report } from './model.ts';
import type { MemberReading } from './reading.ts';

const ReportState = z.object({
  cron: z.string(),
  /** The newest time of the cron that is settled; null: there was none within a year. */
  settled: z.number().nullable(),
  /** The time at which a report was found to be due; null: none is due. */
  foundAt: z.number().nullable(),
});
type ReportState = z.output<typeof ReportState>;

export interface ReportTurn {
  readonly state: ReportState;
  /** The time of the cron for which the report is due; null if it is not due. */
  readonly due: Instant | null;
}

/** Whether the report is due at `at`, and its state then. */
export function turnOf(report: Report, memory: Memory | undefined, at: Instant): ReportTurn {
  const cron = showCron(report.schedule);
  const state = ReportState.safeParse(memory?.state).data;
  const newest = report.schedule.times.upTo(at);
  if (state?.cron !== cron || isAhead(report, state, at))
    return { state: { cron, settled: newest, foundAt: null }, due: null };
  const isDue = newest !== null && (state.settled === null || newest > state.settled);
  return isDue ? { state: { ...state, foundAt: foundAt(state, at) }, due: newest } : { state, due: null };
}

/**
 * True if the clock was ahead by more than a period when the report was last sent: `settled` is then a time in the
 * future, and without this check no report would be sent until that time.
 */
function isAhead({ schedule: { times } }: Report, { settled }: ReportState, at: Instant): boolean {
  const next = times.after(at);
  return settled !== null && next !== null && settled > next;
}

function foundAt(state: ReportState, at: Instant): Instant {
  return state.foundAt === null || state.foundAt > at ? at : state.foundAt;
}

/** A member may be unknown for a moment, such as after a restart. */
const WAIT_MS = 300_000;

/** Returns null if nothing has to be stored. `members` is read only if the report is due. */
export function decideReport(
  report: Report,
  memory: Memory | undefined,
  {
    turn,
    members,
    at,
  }: { readonly turn: ReportTurn; readonly members: readonly MemberReading[]; readonly at: Instant },
): Decision | null {
  const { state, due } = turn;
  if (due === null) return hasState(memory, state) ? null : decisionOf(report, memory, { state, transitions: [], at });
  const waitMs = Math.min(WAIT_MS, report.schedule.intervalMs / 2);
  const isKnown = members.every(({ isAwaited }) => !isAwaited);
  const isWaiting = !isKnown && at - (state.foundAt ?? at) < waitMs;
  if (isWaiting) return hasState(memory, state) ? null : decisionOf(report, memory, { state, transitions: [], at });
  const { labels, notify } = report;
  const transitions = [{ message: reportMessage(report, members, { due, at }), labels, notify }];
  return decisionOf(report, memory, { state: { ...state, settled: due, foundAt: null }, transitions, at });
}

function hasState(memory: Memory | undefined, state: ReportState): boolean {
  const known = ReportState.safeParse(memory?.state).data;
  return known?.cron === state.cron && known.settled === state.settled && known.foundAt === state.foundAt;
}

interface Outcome {
  readonly state: ReportState;
  readonly transitions: readonly Transition[];
  readonly at: Instant;
}

const CHECKSUM = 'v1';

function decisionOf({ watchId }: Report, memory: Memory | undefined, { state, transitions, at }: Outcome): Decision {
  const version = memory?.version ?? 0;
  const nothing = { alerts: {}, history: {}, data: null, paceMs: null };
  return {
    watchId,
    expects: version,
    memory: { version, checksum: CHECKSUM, state, coveredUntil: at, ...nothing },
    hasChanged: true,
    transitions,
    closed: NOTHING_CLOSED,
    reasons: [],
    now: null,
    snapshot: null,
    firing: [],
    truths: {},
    needs: null,
    askAgainMs: null,
  };
}
