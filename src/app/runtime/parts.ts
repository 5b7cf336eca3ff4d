// Wires the parts of a runtime: explorers, store, poller, channels.
import type { Ownership } from '../../cluster/ownership.ts';
import type { WatchId } from '../../core/model/ids.ts';
import { ANNOUNCER } from '../../core/model/ids.ts';
import { unansweredAnnouncements } from '../../operators/announcements.ts';
import { createDispatcher, type Dispatcher } from '../../engine/dispatching/dispatcher.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import { createBlindWatches, type BlindWatches } from '../../engine/reporting/blind-watches.ts';
import { createCoveredElsewhere, type CoveredElsewhere } from '../../engine/reporting/covered-elsewhere.ts';
import { createNotJudgedItems, type NotJudgedItems } from '../../engine/reporting/not-judged.ts';
import { createPresentValues, type PresentValues } from '../../engine/reporting/present-values.ts';
import type { PollHook } from '../../engine/polling/poll.ts';
import { createPoller, type Poller } from '../../engine/polling/poller.ts';
import { createExplorerFacts, type ExplorerReporter } from '../../engine/reporting/explorer-facts.ts';
import { createPollRing, type PollRing } from '../../engine/reporting/poll-ring.ts';
import { createReport } from '../../engine/reporting/report.ts';
import { createRetirement, type Retirement } from '../../engine/upkeep/retirement.ts';
import { createScheduler, type Scheduler } from '../../engine/scheduling/scheduler.ts';
import { createKeptPlans, type KeptPlans } from '../../engine/scheduling/kept-plans.ts';
import { createSpending, type Spending } from '../../engine/scheduling/spending.ts';
import { REPORT_WATCH } from '../../engine/self/report-watch.ts';
import { isSelfWatch } from '../../engine/self/self-watch.ts';
import { createFirstTries } from '../../engine/sending/first-tries.ts';
import { createUnrecorded, type Unrecorded } from '../../engine/sending/unrecorded.ts';
import { createWorkCounts, type WorkCounts } from '../../engine/self/work-counts.ts';
import type { Mutex } from '../../lib/mutex.ts';
import type { Recorder } from '../../recording/recorder.ts';
import type { SafeLog } from '../../telemetry/logger.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { createChannels, type ChannelSet, type ChannelsOptions } from './channels.ts';
import type { Pauses } from '../pauses.ts';
import type { ClockJumps } from '../../engine/upkeep/clock-jumps.ts';
import type { StorageState } from '../state/storage-health.ts';
import { ExplorerSet, type ExplorersOptions } from './explorers.ts';

export interface PartsOptions
  extends Omit<ChannelsOptions, 'redact' | 'mayGo' | 'isToldUnrecorded'>, Pick<ExplorersOptions, 'openExplorer'> {
  readonly ownership: Ownership;
  readonly log: SafeLog;
  readonly metrics: Metrics;
  readonly storageState: () => StorageState;
  readonly jumps: ClockJumps;
  readonly pauses: Pick<Pauses, 'of' | 'until'>;
  /** Records polls; the caller closes it. */
  readonly recorder: Recorder | null;
  /** Called with each poll, instead of the recorder. */
  readonly hook?: PollHook;
  /** How long a commit without messages waits for others; 0 for a clock other than the machine's. */
  readonly silentWaitMs?: number;
}

export interface Parts {
  readonly explorers: ExplorerSet;
  readonly channels: ChannelSet;
  readonly dispatcher: Dispatcher;
  readonly poller: Poller;
  readonly blindWatches: BlindWatches;
  readonly notJudged: NotJudgedItems;
  readonly presentValues: PresentValues;
  readonly coveredElsewhere: CoveredElsewhere;
  readonly scheduler: Scheduler;
  readonly spending: Spending;
  readonly keptPlans: KeptPlans;
  readonly retirement: Retirement;
  readonly unrecorded: Unrecorded;
  /** Counts of work, for the daily report. */
  readonly work: WorkCounts;
  /** Answers of explorers in the last hour. */
  readonly explorerFacts: ExplorerReporter;
  /** The last polls of each watch. */
  readonly pollRing: PollRing;
}

interface Wiring {
  /** Aborts requests and polls. */
  readonly signal: AbortSignal;
  /** Held while a setup is replaced. */
  readonly changing: Mutex;
  readonly redact: ChannelsOptions['redact'];
  /** True if a channel for alerts about the daemon is set. */
  readonly hasSelf: () => boolean;
  /** The time zone for texts to people. */
  readonly timeZone: () => string;
  /** The dispatch rules of the setup in force. */
  readonly rules: () => DispatchRules;
  /** True if a daily report is configured. */
  readonly hasDigest: () => boolean;
  /** True if the watch is in the setup in force. */
  readonly isWatched: (watch: WatchId) => boolean;
}

/**
 * How long a commit without messages waits for others. These commits then share one wait for the disk, which takes as
 * long as the other work of many commits.
 */
const SILENT_WAIT_MS = 25;

/**
 * The time after which a watch is due again if the lease of its shard ended. As soon as the database answers, the lease
 * is renewed or the shard is lost.
 */
const LEASE_LOOK_MS = 1000;

/** How long a poll waits if the plan has no credits for it now. */
const POSTPONED_MS = 60_000;

export function createParts(
  options: PartsOptions,
  { signal, changing, redact, hasSelf, timeZone, hasDigest, isWatched, rules }: Wiring,
): Parts {
  const { store, ownership, clock, log, metrics, recorder, pauses, jumps } = options;
  const work = createWorkCounts();
  const explorerFacts = createExplorerFacts(clock);
  const pollRing = createPollRing();
  const notJudged = createNotJudgedItems(clock);
  const explorers = new ExplorerSet({
    ...options,
    meter: meterOf(metrics, work, explorerFacts),
    userAgent: `chainwarden/${options.version}`,
    signal,
    ...(recorder && { onAnswer: recorder.onAnswer }),
    mayAsk: (explorer) => ownership.mayWork(poller.shardOf(explorer)),
  });
  const unrecorded = createUnrecorded({
    store,
    rules,
    send: (delivery, attempt) => channels.sendNow(delivery, attempt),
    clock,
    log,
  });
  const channels = createChannels({
    ...options,
    redact,
    mayGo: createFirstTries({
      store,
      rules,
      onPutBack: () => {
        dispatcher.wake();
      },
      clock,
    }),
    isToldUnrecorded: (delivery) => unrecorded.hasTold(delivery),
  });
  const dispatcher = createDispatcher({
    store,
    ownership,
    rules,
    announce: (unanswered, at) => {
      const notify = rules().ruleOf(ANNOUNCER, 'ack', {})?.channels ?? [];
      return unansweredAnnouncements(unanswered, { at, zone: timeZone(), notify });
    },
    onOwed: (owed) => {
      channels.wake(owed);
    },
    clock,
    jumps,
    log,
  });
  const onTransitions = (): void => {
    dispatcher.wake();
    channels.wakeMirrors();
  };
  const report = createReport({ log, metrics });
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
  const poller = createPoller({
    store,
    ownership,
    clock,
    silentWaitMs: options.silentWaitMs ?? SILENT_WAIT_MS,
    log,
    readerOf: (name) => explorers.get(name),
    isPaused: (watch) => pauses.of(watch) !== null,
    hook: options.hook ?? recorder,
    onPolled(watch, observation, decision, tookMs) {
      pollRing.polled(watch, observation, decision, tookMs);
      blindWatches.polled(watch, observation);
      notJudged.polled(watch, decision);
      presentValues.polled(watch.id, decision);
      work.polled(watch.target.explorer, observation.type === 'seen');
      report(watch, observation, decision);
      if (decision.askAgainMs !== null) scheduler.pollAgain(watch.id, decision.askAgainMs);
    },
    onSkipped: ({ rule }) => {
      metrics.skipped(rule);
    },
    onLeaseEnded: ({ id }) => {
      scheduler.pollAgain(id, LEASE_LOOK_MS);
    },
    onPostponed: (watch) => {
      blindWatches.postponed(watch);
      scheduler.pollAgain(watch.id, POSTPONED_MS);
    },
    paceOf: spending.paceOf,
    onDamaged: (watch) => {
      blindWatches.damaged(watch);
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
    onTransitions,
    unrecorded,
  });
  const { shardOf } = poller;
  const keptPlans = createKeptPlans({ store, ownership, shardOf, plans: explorers.purses, clock, log });
  const presentValues = createPresentValues();
  const coveredElsewhere = createCoveredElsewhere({ store, clock, log });
  const blindWatches = createBlindWatches({
    clock,
    memoryOf: poller.readings.memoryOf,
    paceOf: spending.paceOf,
    pausedUntil: (watch) => pauses.until(watch),
    storage: options.storageState,
  });
  const scheduler = createScheduler({
    clock,
    paceOf: spending.paceOf,
    onTick: (due) => void poller.poll(due, signal),
    onLag: (seconds) => {
      metrics.schedulerLag(seconds);
    },
  });
  const retirement = createRetirement({
    store,
    ownership,
    clock,
    log,
    isAdopted: (id) => isWatched(id) || (hasSelf() && isSelfWatch(id)) || (hasDigest() && id === REPORT_WATCH),
    isOpen: (channel) => channels.names().includes(channel),
    exclusively: (work) => changing.hold(work),
    unkept: poller.unkept,
    unrecorded,
    onTransitions,
  });
  return {
    explorers,
    channels,
    dispatcher,
    poller,
    blindWatches,
    notJudged,
    presentValues,
    coveredElsewhere,
    scheduler,
    spending,
    keptPlans,
    retirement,
    unrecorded,
    work,
    explorerFacts,
    pollRing,
  };
}

/** Counts requests for the metrics, for the daily report and for pages. */
function meterOf(metrics: Metrics, work: WorkCounts, ofHour: ExplorerReporter): ExplorersOptions['meter'] {
  return {
    ...metrics,
    request(facts) {
      metrics.request(facts);
      work.request(facts);
      ofHour.request(facts);
    },
    explorerHeaders(facts) {
      metrics.explorerHeaders(facts);
      work.explorerHeaders(facts);
      ofHour.explorerHeaders(facts);
    },
    head(facts) {
      metrics.head(facts);
      work.head(facts);
    },
    forgetExplorer(explorer) {
      metrics.forgetExplorer(explorer);
      ofHour.forgetExplorer(explorer);
    },
  };
}
