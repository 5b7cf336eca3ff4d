// The health of the daemon in one record: watches it cannot poll, messages it cannot send, data it cannot store. Pages,
// the API, /readyz, metrics, self-alerts, the heartbeat and the daily report print it, so that they cannot disagree.
import { neverHolding, type WantedSender } from '../../core/model/quality/sightings.ts';
import type { ClusterView } from '../../cluster/ownership.ts';
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { whyOf, type ExplorerTrouble } from '../../core/model/quality/explorer-trouble.ts';
import {
  blindGroups,
  type ExplorerHealth,
  type HealthSummary,
  type CreditPlanState,
  type RequestPace,
} from '../../core/model/quality/health-summary.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import type { ChannelHealth } from '../sending/channel-health.ts';
import type { BackupHealth, BackupTrouble } from '../upkeep/backup-health.ts';
import type { ClockJump, ClockJumps } from '../upkeep/clock-jumps.ts';
import { showFailing, type FailingLoop } from '../upkeep/supervisor.ts';
import type { BlindWatches } from './blind-watches.ts';
import { byExplorer, headStanding, type HeadReading } from './head-standing.ts';
import type { NotJudged, NotJudgedItems } from './report.ts';
import type { PausedWatch } from './paused-watches.ts';

export interface DaemonHealth {
  readonly at: Instant;
  readonly startedAt: Instant;
  /** True if the loops of the daemon run. */
  readonly isRunning: boolean;
  /** The end of the last write. */
  readonly storage: 'works' | 'fails' | 'full';
  /** The time when a removed state file was put back; null: long ago, or never. */
  readonly restoredAt: Instant | null;
  /** The replacement of a damaged or missing state; kept for an hour after the start. */
  readonly recovered: { readonly how: 'restored' | 'lost'; readonly at: Instant } | null;
  /** Null while the disk of the state has room. */
  readonly lowDisk: LowDisk | null;
  /** Null if there is a backup of today, or backups are off; `unknown`: not checked yet. */
  readonly backup: BackupTrouble | 'unknown' | null;
  readonly failingLoops: readonly FailingLoop[];
  /** The reason why the files on the disk are not in force; null: they are. */
  readonly rejected: RejectedFiles | null;
  /** The newest clock jump in each direction, of the last hour. */
  readonly clockJumps: readonly ClockJump[];
  /**
   * True in the first hour of the process: `clockJumps` and `notJudged` may then lack recent ones from before the
   * start.
   */
  readonly isYoung: boolean;
  /** The watches in force; `polled` has those that this process polls. */
  readonly watches: readonly Watch[];
  readonly polled: readonly Watch[];
  /** Watches without a finished poll since the start. */
  readonly unpolled: readonly Watch[];
  /** Watches without a successful poll since the start. */
  readonly unseen: readonly Watch[];
  readonly blind: readonly BlindWatch[];
  /** Watches that missed a due time, and are not blind yet. */
  readonly overdue: readonly BlindWatch[];
  /** Watches that an operator paused. */
  readonly paused: readonly PausedWatch[];
  /** Items of the last hour that no condition judged. */
  readonly notJudged: readonly NotJudged[];
  /** Comparisons with a sender that never hold, of the watches that this process polls. */
  readonly never: readonly { readonly watch: Watch; readonly sender: WantedSender }[];
  readonly explorers: readonly ExplorerHealth[];
  /** The reasons why explorers get no requests, or are not believed. */
  readonly troubles: readonly ExplorerTrouble[];
  /** Explorers with a watch that was blind before the start and may still be. */
  readonly undecided: ReadonlySet<string>;
  readonly channels: ReadonlyMap<string, ChannelHealth>;
  /** Alerts that receivers with their own state have not accepted. */
  readonly owedToMirrors: readonly OutboxDepth[];
  /** Null: one process has the state for itself. */
  readonly cluster: ClusterView | null;
  /** The time at which the service outside last accepted a heartbeat. */
  readonly heartbeatAt: Instant | null;
}

/** The disk of the state file has little room left. */
export interface LowDisk {
  readonly since: Instant;
  readonly freeBytes: number;
}

export interface RejectedFiles {
  readonly since: Instant;
  readonly why: string;
  /** Empty if the files were not the reason. */
  readonly problems: readonly { readonly file: string; readonly line: number; readonly message: string }[];
}

/** The last answers of an explorer. */
export interface ExplorerReading {
  readonly name: string;
  readonly head: HeadReading | null;
  readonly plan: CreditPlanState | null;
  readonly paced: RequestPace | null;
  /** The credits left by its newest answer that has them; null: no answer had them. */
  readonly credits: number | null;
}

/** The parts that record polls and outcomes of channels. */
export interface WorkingParts {
  isRunning(): boolean;
  watches(): readonly Watch[];
  polled(): readonly Watch[];
  readonly blindWatches: Pick<BlindWatches, 'unpolled' | 'unseen' | 'blind' | 'overdue' | 'undecided'>;
  paused(): readonly PausedWatch[];
  readonly notJudged: Pick<NotJudgedItems, 'recent'>;
  /** All explorers of the config. */
  explorers(): readonly ExplorerReading[];
  readonly memoryOf: (id: string) => Pick<Memory, 'coveredUntil' | 'paceMs' | 'data'> | undefined;
  troubles(): readonly ExplorerTrouble[];
  channels(): ReadonlyMap<string, ChannelHealth>;
  owedToMirrors(): readonly OutboxDepth[];
  readonly backups: Pick<BackupHealth, 'trouble' | 'isUnknown'>;
  lowDisk(): LowDisk | null;
}

/** All parts that the record is made of. */
export interface HealthParts extends WorkingParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly startedAt: Instant;
  storage(): DaemonHealth['storage'];
  restoredAt(): Instant | null;
  recovered(): DaemonHealth['recovered'];
  failingLoops(): readonly FailingLoop[];
  rejected(): RejectedFiles | null;
  readonly clockJumps: Pick<ClockJumps, 'recent' | 'isYoung'>;
  cluster(): ClusterView | null;
  heartbeatAt(): Instant | null;
}

/** The health now. Values that need a pass over all watches are computed once, at their first reading. */
export function daemonHealth(parts: HealthParts): DaemonHealth {
  const { clock, startedAt, blindWatches, backups, clockJumps } = parts;
  const blind = once(() => blindWatches.blind());
  const lists = {
    blind,
    unpolled: once(() => blindWatches.unpolled()),
    unseen: once(() => blindWatches.unseen()),
    overdue: once(() => blindWatches.overdue()),
    undecided: once(() => blindWatches.undecided()),
    explorers: once(() => explorersOf(parts, blind())),
    never: once(() => neverOf(parts)),
  };
  return {
    at: clock.now(),
    startedAt,
    isRunning: parts.isRunning(),
    storage: parts.storage(),
    restoredAt: parts.restoredAt(),
    recovered: parts.recovered(),
    lowDisk: parts.lowDisk(),
    backup: backups.trouble() ?? (backups.isUnknown() ? 'unknown' : null),
    failingLoops: parts.failingLoops(),
    rejected: parts.rejected(),
    clockJumps: clockJumps.recent(),
    isYoung: clockJumps.isYoung(),
    watches: parts.watches(),
    polled: parts.polled(),
    get unpolled() {
      return lists.unpolled();
    },
    get unseen() {
      return lists.unseen();
    },
    get blind() {
      return lists.blind();
    },
    get overdue() {
      return lists.overdue();
    },
    paused: parts.paused(),
    notJudged: parts.notJudged.recent(),
    get never() {
      return lists.never();
    },
    get explorers() {
      return lists.explorers();
    },
    troubles: parts.troubles(),
    get undecided() {
      return lists.undecided();
    },
    channels: parts.channels(),
    owedToMirrors: parts.owedToMirrors(),
    cluster: parts.cluster(),
    heartbeatAt: parts.heartbeatAt(),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function neverOf(parts: HealthParts): DaemonHealth['never'] {
  const { memoryOf } = parts;
  return parts
    .polled()
    .filter(({ senders }) => senders.length > 0)
    .flatMap((watch) =>
      neverHolding(watch.senders, memoryOf(watch.id)?.data?.senders).map((sender) => ({ watch, sender })),
    );
}

function explorersOf(parts: HealthParts, blind: readonly BlindWatch[]): ExplorerHealth[] {
  const [watches, polled] = [byExplorer(parts.watches()), byExplorer(parts.polled())];
  const blindOf = Map.groupBy(blind, ({ watch }) => watch.target.explorer);
  return parts.explorers().map(({ name, head, plan, paced, credits }) => ({
    name,
    polled: polled.get(name)?.length ?? 0,
    head: headStanding(head, {
      watches: watches.get(name) ?? [],
      blind: blindOf.get(name) ?? [],
      memoryOf: parts.memoryOf,
      now: parts.clock.now(),
    }),
    plan,
    paced,
    credits,
  }));
}

/** The summary for pages, `status` and other replicas. */
export function summaryOfHealth(health: DaemonHealth): HealthSummary {
  const { at, startedAt, isRunning, storage, heartbeatAt, rejected } = health;
  const blind = once(() => blindGroups(health.blind));
  const overdue = once(() => blindGroups(health.overdue));
  return {
    at,
    startedAt,
    isRunning,
    storage,
    heartbeatAt,
    failingLoops: health.failingLoops.map(showFailing),
    rejected: rejected && summaryOfRejected(rejected),
    get unseen() {
      return health.unseen.length;
    },
    get blind() {
      return blind();
    },
    get overdue() {
      return overdue();
    },
    notJudged: health.notJudged.reduce((sum, { items }) => sum + items, 0),
    troubles: health.troubles.map(troubleOf),
    get explorers() {
      return [...health.explorers];
    },
  };
}

function troubleOf(trouble: ExplorerTrouble): HealthSummary['troubles'][number] {
  const isDoubted = trouble.type === 'refused' && trouble.rest.doubt !== null;
  return { explorer: trouble.explorer, text: whyOf(trouble), isDoubted };
}

function summaryOfRejected({ since, why, problems }: RejectedFiles): HealthSummary['rejected'] {
  const [first] = problems;
  return { since, why: first?.message ?? why, place: first === undefined ? null : `${first.file}:${first.line}` };
}
