// The parts that the health of the daemon is made of, and the metrics that are read from these parts.
import type { ExplorerTrouble } from '../core/model/quality/explorer-trouble.ts';
import type { PlanRest } from '../core/model/quality/plan-rest.ts';
import type { Head } from '../core/model/observation.ts';
import type { ExplorerReading, HealthParts, LowDisk } from '../engine/reporting/daemon-health.ts';
import { blindOfWatches } from '../engine/reporting/report.ts';
import { countAlerts, createWatchSeries } from '../engine/reporting/watch-series.ts';
import type { SelfAlerts } from '../engine/self/self-alerts.ts';
import type { BackupHealth } from '../engine/upkeep/backup-health.ts';
import type { ClockJumps } from '../engine/upkeep/clock-jumps.ts';
import type { Supervisor } from '../engine/upkeep/supervisor.ts';
import type { Instant } from '../lib/clock.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { InForce, Pauses } from './in-force.ts';
import type { Polling } from './polling.ts';
import type { Sending } from './sending.ts';
import type { Rejected } from './setup/reload.ts';
import type { StateGuard } from './state/storage-health.ts';
import type { OpenState } from './state/state.ts';

/** The last results of loops. Each is written by the one loop that is named. */
export interface DaemonNotes {
  /** Housekeeping: null while the disk of the state has room. */
  lowDisk: LowDisk | null;
  /** Reload: the reason why the files on disk are not in force; null if they are in force. */
  rejected: Rejected | null;
  /** Heartbeat: the last time when the service accepted a heartbeat; null if it has accepted none. */
  heartbeatAt: Instant | null;
}

export interface HealthSources
  extends
    Pick<OpenState, 'storage' | 'ownership' | 'clock' | 'recovery'>,
    Pick<Sending, 'channels'>,
    Pick<Polling, 'explorers' | 'spending' | 'poller' | 'polls' | 'blindWatches' | 'notJudged' | 'explorerFacts'> {
  readonly supervisor: Pick<Supervisor, 'failing'>;
  readonly jumps: ClockJumps;
  readonly pauses: Pick<Pauses, 'among'>;
  readonly inForce: Pick<InForce, 'watches' | 'explorers'>;
  readonly guard: Pick<StateGuard, 'restoredAt'>;
  readonly backupHealth: BackupHealth;
  readonly notes: Readonly<DaemonNotes>;
}

type Asked = Pick<HealthSources, 'explorers' | 'ownership' | 'poller'>;

export function healthPartsOf(parts: HealthSources): HealthParts {
  const { inForce, poller, channels, storage, supervisor, ownership, notes, clock } = parts;
  const { watches } = inForce;
  const { memoryOf } = poller.readings;
  return {
    clock,
    startedAt: clock.now(),
    isRunning: parts.polls.isRunning,
    watches,
    polled: poller.watches,
    blindWatches: parts.blindWatches,
    paused: () => parts.pauses.among(watches()),
    notJudged: parts.notJudged,
    explorers: () => [...inForce.explorers()].map((name) => readingOf(parts, name)),
    memoryOf,
    troubles: () => [...refusals(parts), ...otherChains(parts)],
    channels: channels.health,
    owedToMirrors: channels.owedToMirrors,
    backups: parts.backupHealth,
    lowDisk: () => notes.lowDisk,
    storage: storage.state,
    restoredAt: parts.guard.restoredAt,
    recovered: parts.recovery.recent,
    failingLoops: supervisor.failing,
    rejected: () => notes.rejected,
    clockJumps: parts.jumps,
    cluster: () => (ownership.isShared ? ownership.view() : null),
    heartbeatAt: () => notes.heartbeatAt,
  };
}

/**
 * Reads the parts of the health, not the whole record: the record would need a pass over all watches for each of ten
 * metrics.
 */
export function mirrorParts(
  metrics: Metrics,
  parts: HealthSources,
  self: Pick<SelfAlerts, 'watches' | 'memoryOf'>,
  health: HealthParts,
): void {
  const { inForce, poller, spending, storage, clock } = parts;
  const series = createWatchSeries({ watches: inForce.watches, readings: poller.readings, clock });
  metrics.mirrorHealth(series.health);
  metrics.mirrorData(series.data);
  metrics.mirrorRests(() => restsOf(parts));
  metrics.mirrorPlans(() =>
    spending.plans().filter(({ state }) => state.explorers.some((name) => isAskedHere(parts, name))),
  );
  metrics.mirrorOutbox(async () => (await storage.store.survey()).outbox);
  metrics.mirrorCluster(() => health.cluster());
  metrics.mirrorStorage(() => health.storage() === 'works');
  metrics.mirrorFailing(() => health.failingLoops().map(({ name }) => name));
  metrics.mirrorBlind(() => blindOfWatches(health.blindWatches.blind()));
  metrics.mirrorAlerts(function* () {
    yield* series.alerts();
    for (const watch of self.watches()) yield* countAlerts(watch, self.memoryOf(watch.id));
  });
}

/** Pauses of the explorers that this process polls. For other explorers the end of a pause is not known here. */
function restsOf(parts: Asked): ReadonlyMap<string, PlanRest> {
  return new Map([...parts.explorers.rests()].filter(([name]) => isAskedHere(parts, name)));
}

function isAskedHere({ ownership, poller }: Pick<Asked, 'ownership' | 'poller'>, explorer: string): boolean {
  return ownership.fenceOf(poller.shardOf(explorer)) !== null;
}

/**
 * Explorers that refuse requests. A pause after a rate limit is left out, since it is usual and over within minutes.
 */
function refusals(parts: Asked): ExplorerTrouble[] {
  const refused = [...restsOf(parts)].filter(([, { reason }]) => reason !== 'rate-limited');
  return refused.map(([explorer, rest]) => ({ type: 'refused', explorer, rest }));
}

function otherChains({ inForce, poller }: Pick<HealthSources, 'inForce' | 'poller'>): ExplorerTrouble[] {
  const names = new Set(inForce.watches().map(({ target }) => target.explorer));
  return [...names].flatMap((explorer): ExplorerTrouble[] => {
    const why = poller.otherChain(explorer);
    return why === null ? [] : [{ type: 'other-chain', explorer, why }];
  });
}

/**
 * The current data on an explorer of the config: its last head, the state of its credit plan, the request limit that
 * makes its intervals longer, and the credits left.
 */
function readingOf(
  { explorers, spending, explorerFacts }: Pick<HealthSources, 'explorers' | 'spending' | 'explorerFacts'>,
  name: string,
): ExplorerReading {
  const { credits } = explorerFacts.of(name);
  return {
    name,
    head: headReading(explorers.get(name)?.head() ?? null),
    plan: spending.stateOf(name),
    paced: spending.pacedBy(name),
    credits,
  };
}

function headReading(head: Head | null): ExplorerReading['head'] {
  if (head === null) return null;
  const { height, timestamp, readAt, staleAfterMs } = head;
  return { height, at: timestamp, readAt, isStalled: readAt - timestamp > staleAfterMs };
}
