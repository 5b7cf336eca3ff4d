// Sends a report once a day about the polls since the last one, so that a daemon without alerts is known to work.
// Every half minute the loop adds new work to a stored tally. At the time of the report one commit stores the report
// as an event of the built-in watch, and starts a new tally. A restart repeats no report. A report that was due while
// the daemon did not run is sent after the next start. It covers the whole time since the report before.
import type { Ownership } from '../../cluster/ownership.ts';
import { readyFor } from '../../core/model/quality/clock-shift.ts';
import { blankMemory, step } from '../../core/step.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createRecallUndamaged } from '../recall-undamaged.ts';
import { lastDueDay, type DailyTime } from './daily-due.ts';
import { DayTally, newTally, nextTally, withLook, type TallyLook } from './day-tally.ts';
import { REPORT_WATCH, reportWatch, type ReportSight } from './report-watch.ts';
import { reportOf, type Standing } from './report-text.ts';
import { type WorkByExplorer, workSince } from '../reporting/explorer-counts.ts';

export interface DailyReportSettings {
  readonly time: DailyTime;
  /** The names of the channels. */
  readonly notify: readonly string[];
}

export interface DailyReportOptions {
  readonly store: Pick<Store, 'recall' | 'commit' | 'forget' | 'countJournal'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  /** The settings in force; null: no report is sent. */
  readonly settings: () => DailyReportSettings | null;
  /** The zone in which times are shown. */
  readonly timeZone: () => string;
  /** The work since the start of the process. */
  readonly work: () => WorkByExplorer;
  readonly blind: () => TallyLook['blind'];
  readonly plans: () => TallyLook['plans'];
  /** The state of the daemon now. May reject with a `StorageError`. */
  readonly standing: () => Promise<Standing>;
  /** Called when a report was committed. */
  readonly onTransitions: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MS = 30_000;

/** Runs until the signal aborts. A storage that does not answer is tried again, and logged once per cause. */
export async function runDailyReport(options: DailyReportOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  const look = createLook(options);
  let lastFailure: string | null = null;
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal);
    try {
      await look();
      lastFailure = null;
    } catch (error) {
      if (lastFailure !== String(error))
        log.warn('report:failed', { error, effect: 'the daily report is tried again' });
      lastFailure = String(error);
    }
  }
}

function createLook(options: DailyReportOptions): () => Promise<void> {
  const { store, ownership, settings, timeZone, work, blind, plans, clock, log, onTransitions } = options;
  /** A damaged tally is dropped. The next report then covers a shorter time. */
  const recall = createRecallUndamaged({ store, log });
  /** The work that is already in the tally. */
  let counted: WorkByExplorer = new Map();

  /** Null if there is no tally, or if the clock was set back to a time before it. */
  function tallyIn(memory: Memory | undefined, at: Instant): DayTally | null {
    const tally = DayTally.safeParse(memory?.state).data ?? null;
    return tally !== null && tally.until <= at ? tally : null;
  }

  async function sightOf(former: DayTally | null, time: DailyTime, now: WorkByExplorer): Promise<ReportSight> {
    const at = clock.now();
    const journal = await store.countJournal(former?.line ?? null);
    const day = lastDueDay(at, time);
    const before = former ?? newTally(day, { at, journal });
    const tally = withLook(before, { at, work: workSince(counted, now), journal, blind: blind(), plans: plans() });
    if (day <= before.day) return { tally, report: null };
    const { title, text } = reportOf(tally, await options.standing());
    return { tally: nextTally(day, tally), report: { title, text: [{ text }] } };
  }

  return async () => {
    const wanted = settings();
    const fence = ownership.fenceOf('service:dispatch');
    if (wanted === null || fence === null) return;
    const memory = (await recall([REPORT_WATCH])).get(REPORT_WATCH);
    const now = work();
    const sight = await sightOf(tallyIn(memory, clock.now()), wanted.time, now);
    const watch = reportWatch(sight, { notify: wanted.notify, zone: timeZone() }, LOOK_MS);
    const at = sight.tally.until;
    const seen = { type: 'seen', at, paceMs: 0, head: null, chain: 'not-asked', seen: sight, partial: null } as const;
    const decision = step(watch, readyFor(memory ?? blankMemory(watch), at), seen);
    const [end] = await store.commit([decision], at, fence);
    if (end !== 'kept') return;
    counted = now;
    if (sight.report === null) return;
    log.info('report:told', { day: sight.tally.day, title: sight.report.title });
    onTransitions();
  };
}
