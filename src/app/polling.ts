// The parts between the due time of a watch and its committed decision: explorers, plans, poller, scheduler, and the
// records of polls.
import type { Ownership } from '../cluster/ownership.ts';
import type { PollHook } from '../engine/polling/read.ts';
import { createPoller, type Poller, type PollerOptions } from '../engine/polling/poller.ts';
import { createBlindWatches, type BlindWatches } from '../engine/reporting/blind-watches.ts';
import {
  createExplorerFacts,
  createWorkCounts,
  type ExplorerReporter,
  type WorkCounts,
} from '../engine/reporting/explorer-counts.ts';
import {
  createPollRing,
  createPresentValues,
  type PollRing,
  type PresentValues,
} from '../engine/reporting/recent-polls.ts';
import { createNotJudgedItems, createReport, type NotJudgedItems } from '../engine/reporting/report.ts';
import { createKeptPlans, type KeptPlans } from '../engine/scheduling/kept-plans.ts';
import { createScheduler, type Scheduler } from '../engine/scheduling/scheduler.ts';
import { createSpending, type Spending } from '../engine/scheduling/spending.ts';
import type { Unrecorded } from '../engine/sending/unrecorded.ts';
import type { Clock } from '../lib/clock.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { Store } from '../store/contract/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Pauses } from './in-force.ts';
import { ExplorerSet, type ExplorersOptions } from './runtime/explorers.ts';
import { createPolls, type Polls } from './runtime/polls.ts';
import type { StorageState } from './state/storage-health.ts';

export interface PollingOptions extends Pick<ExplorersOptions, 'openExplorer'> {
  readonly store: Store;
  readonly ownership: Ownership;
  readonly pauses: Pick<Pauses, 'of' | 'until'>;
  readonly storageState: () => StorageState;
  readonly unrecorded: Unrecorded;
  readonly onTransitions: () => void;
  /** Records polls; the caller closes it. */
  readonly recorder: Recorder | null;
  /** Called with each poll, instead of the recorder. */
  readonly hook?: PollHook;
  /** The time that a commit without messages waits for others; 0 for a clock other than the machine's. */
  readonly silentWaitMs?: number;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Polling extends PollRecords {
  readonly explorers: ExplorerSet;
  readonly spending: Spending;
  readonly keptPlans: KeptPlans;
  readonly poller: Poller;
  readonly scheduler: Scheduler;
  readonly blindWatches: BlindWatches;
  readonly polls: Polls;
}

interface PollRecords {
  readonly notJudged: NotJudgedItems;
  readonly presentValues: PresentValues;
  /** Counts of work, for the daily report. */
  readonly work: WorkCounts;
  /** Answers of explorers in the last hour. */
  readonly explorerFacts: ExplorerReporter;
  /** The last polls of each watch. */
  readonly pollRing: PollRing;
}

/**
 * The time that a commit without messages waits for others. These commits then share one wait for the disk, which
 * takes as long as the other work of many commits.
 */
const SILENT_WAIT_MS = 25;

/**
 * The time after which a watch is due again if the lease of its shard ended. As soon as the database answers, the lease
 * is renewed or the shard is lost.
 */
const LEASE_LOOK_MS = 1000;

/** The time that a poll waits if the plan has no credits for it now. */
const POSTPONED_MS = 60_000;

export function createPolling(options: PollingOptions): Polling {
  const { store, ownership, clock, log, metrics, recorder, pauses } = options;
  const reading = new AbortController();
  const records: PollRecords = {
    notJudged: createNotJudgedItems(clock),
    presentValues: createPresentValues(),
    work: createWorkCounts(),
    explorerFacts: createExplorerFacts(clock),
    pollRing: createPollRing(),
  };
  const explorers = new ExplorerSet({
    ...options,
    meter: meterOf(metrics, records),
    userAgent: `chainwarden/${options.version}`,
    signal: reading.signal,
    ...(recorder && { onAnswer: recorder.onAnswer }),
    mayAsk: (explorer) => ownership.mayWork(poller.shardOf(explorer)),
  });
  const spending = createSpending({
    purses: explorers.purses,
    watches: () => poller.watches().filter((watch) => pauses.of(watch) === null),
    clock,
    onChange: () => {
      scheduler.repace();
    },
    onProbe: ({ id, target }) => {
      if (!explorers.rests().has(target.explorer)) scheduler.pollAgain(id, 0);
    },
  });
  const { paceOf } = spending;
  const report = createReport({ log, metrics });
  const poller = createPoller({
    ...options,
    ...countedIn(metrics),
    silentWaitMs: options.silentWaitMs ?? SILENT_WAIT_MS,
    readerOf: (name) => explorers.get(name),
    isPaused: (watch) => pauses.of(watch) !== null,
    hook: options.hook ?? recorder,
    onPolled(watch, observation, decision, tookMs) {
      records.pollRing.polled(watch, observation, decision, tookMs);
      blindWatches.polled(watch, observation);
      records.notJudged.polled(watch, decision);
      records.presentValues.polled(watch.id, decision);
      records.work.polled(watch.target.explorer, observation.type === 'seen');
      report(watch, observation, decision);
      if (decision.askAgainMs !== null) scheduler.pollAgain(watch.id, decision.askAgainMs);
    },
    onLeaseEnded: ({ id }) => {
      scheduler.pollAgain(id, LEASE_LOOK_MS);
    },
    onPostponed: (watch) => {
      blindWatches.postponed(watch);
      scheduler.pollAgain(watch.id, POSTPONED_MS);
    },
    paceOf,
    onDamaged: (watch) => {
      blindWatches.damaged(watch);
    },
  });
  const { shardOf, readings } = poller;
  const keptPlans = createKeptPlans({ store, ownership, shardOf, plans: explorers.purses, clock, log });
  const blindWatches = createBlindWatches({
    clock,
    memoryOf: readings.memoryOf,
    paceOf,
    pausedUntil: pauses.until,
    storage: options.storageState,
  });
  const scheduler = createScheduler({
    clock,
    paceOf,
    onTick: (due) => void poller.poll(due, reading.signal),
    onLag: (seconds) => {
      metrics.schedulerLag(seconds);
    },
  });
  const polls = createPolls({ poller, scheduler, spending, keptPlans, reading, clock, log });
  return { ...records, explorers, spending, keptPlans, poller, scheduler, blindWatches, polls };
}

function countedIn(metrics: Metrics): Pick<PollerOptions, 'onSkipped' | 'onForks' | 'onIdentity' | 'onRecalled'> {
  return {
    onSkipped: ({ rule }) => {
      metrics.skipped(rule);
    },
    onForks: (explorer, areForked) => {
      metrics.forks({ explorer, areForked });
    },
    onIdentity: (explorer, isOther) => {
      metrics.otherChain({ explorer, isOther });
    },
    onRecalled: (cause) => {
      metrics.memoryRecalled(cause);
    },
  };
}

/** Counts requests for the metrics, for the daily report and for pages. */
function meterOf(
  metrics: Metrics,
  { work, explorerFacts }: Pick<PollRecords, 'work' | 'explorerFacts'>,
): ExplorersOptions['meter'] {
  return {
    ...metrics,
    request(facts) {
      metrics.request(facts);
      work.request(facts);
      explorerFacts.request(facts);
    },
    explorerHeaders(facts) {
      metrics.explorerHeaders(facts);
      work.explorerHeaders(facts);
      explorerFacts.explorerHeaders(facts);
    },
    head(facts) {
      metrics.head(facts);
      work.head(facts);
    },
    forgetExplorer(explorer) {
      metrics.forgetExplorer(explorer);
      explorerFacts.forgetExplorer(explorer);
    },
  };
}
