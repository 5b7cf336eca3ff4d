// Sends the reports of the rules. Every ten seconds the loop checks which reports are due. It reads the memories of
// their watches from the store, since other replicas may poll some of these watches. The message and the state of a
// report are stored in one commit. So the report of one cron time is sent once, even after a restart or by another
// replica.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Memory } from '../../core/model/memory.ts';
import { REPORT_LOOK_MS, type Report } from '../../core/reports/model.ts';
import { decideReport, turnOf } from '../../core/reports/step.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createRecallUndamaged, type RecallUndamaged } from '../recall-undamaged.ts';
import { createComplaints } from './report.ts';
import { readMembers } from './report-members.ts';

export interface ReportsOptions {
  readonly store: Pick<Store, 'recall' | 'commit' | 'forget' | 'samplesAfter'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  /** The reports in force. */
  readonly reports: () => readonly Report[];
  /** Called when a report was committed. */
  readonly onTransitions: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs until the signal aborts. Failures are retried, and logged once per report and cause. */
export async function runReports(options: ReportsOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  /** A damaged state is removed. Its report then starts at the next time of its cron. */
  const recall = createRecallUndamaged(options);
  const complaints = createComplaints();
  const attempt = async (name: string, act: () => Promise<void>): Promise<void> => {
    const errors = await errorsOf(act);
    for (const error of complaints.news(name, errors))
      log.warn('report:failed', { report: name, error, effect: 'the report is tried again' });
  };
  while (!signal.aborted) {
    await clock.sleep(REPORT_LOOK_MS, signal);
    await attempt('all', () => look(options, { recall, attempt }));
  }
}

async function errorsOf(act: () => Promise<void>): Promise<readonly string[]> {
  try {
    await act();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** Runs the work on one report. If the work fails, the other reports still run. */
type Attempt = (report: string, act: () => Promise<void>) => Promise<void>;

interface Tools {
  readonly recall: RecallUndamaged;
  readonly attempt: Attempt;
}

async function look(options: ReportsOptions, { recall, attempt }: Tools): Promise<void> {
  const { ownership, reports, clock } = options;
  const all = reports();
  const fence = ownership.fenceOf('service:dispatch');
  if (all.length === 0 || fence === null) return;
  const memories = await recall(all.map(({ watchId }) => watchId));
  for (const report of all)
    await attempt(report.watchId, () =>
      lookAt(options, report, { memory: memories.get(report.watchId), fence, at: clock.now() }),
    );
}

interface Looking {
  readonly memory: Memory | undefined;
  readonly fence: Fence;
  readonly at: Instant;
}

async function lookAt(options: ReportsOptions, report: Report, { memory, fence, at }: Looking): Promise<void> {
  const { store, log, onTransitions } = options;
  const turn = turnOf(report, memory, at);
  const members = turn.due === null ? [] : await readMembers(store, report, at);
  const decision = decideReport(report, memory, { turn, members, at });
  if (decision === null) return;
  const [end] = await store.commit([decision], at, fence);
  const [told] = decision.transitions;
  if (end !== 'kept' || told === undefined) return;
  log.info('report:told', { report: report.id, title: told.message.title });
  onTransitions();
}
