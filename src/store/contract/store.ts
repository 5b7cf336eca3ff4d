// The contract between the daemon and the engines that store its state. Each engine has its own folder; `store/open.ts`
// picks one.
import type { Json } from '../../core/values/fields.ts';
import type { AlertId, DeliveryId, Labels, Recipient, WatchId } from '../../core/model/ids.ts';
import type { HealthSummary } from '../../core/model/quality/health-summary.ts';
import type { Silence } from '../../dispatch/model.ts';
import type { Instant } from '../../lib/clock.ts';
import { UnavailableError } from '../../lib/unavailable.ts';
import type { AlertView } from './alerts.ts';
import type { Cluster, SeenCluster } from './cluster.ts';
import type { SamplesView } from './samples.ts';
import type { DispatchStore } from './dispatch.ts';
import type { MemoryStore } from './memories.ts';
import type { DeliveryFilter, OutboxStore, StoredDelivery } from './deliveries.ts';
import type { MirrorStore } from './mirrors.ts';
import type { OperatorStore } from './operators.ts';
import type { PlanStore } from './plans.ts';
import type { JournalFilter, JournalPage, JournalStore, NotificationOf, StoredNotification } from './journal.ts';

/** A file that was moved: the state, or the lock against a second daemon. */
export type Moved = 'file' | 'lock';

/** The times before which rows are dropped. */
export interface Ages {
  readonly settled: Instant;
  readonly alerts: Instant;
  readonly journal: Instant;
}

/**
 * The whole storage. Every method rejects with a `StorageError` when the storage does not answer, and nothing is
 * changed then. `commit` and `cover` reject with a `StoreFullError` at the largest size.
 */
export interface Store
  extends
    MemoryStore,
    DispatchStore,
    OutboxStore,
    MirrorStore,
    OperatorStore,
    JournalStore,
    PlanStore,
    AsyncDisposable {
  /**
   * A read-only connection for large reads: no commit waits for it. Call this each time: the connection can be
   * replaced. It is closed with the store.
   */
  reader(): Promise<StoreView>;

  readonly cluster: Cluster;

  /** Limits the size of the state from now on, if this program controls it. */
  setMaxBytes(maxBytes: number): void;

  /** Stores an outline of the running config, for `plan`; replaces the former one. */
  keepRunning(outline: Json): Promise<void>;

  /** Writes a row, to check that the state accepts one. */
  readonly probe: (at: Instant) => Promise<void>;

  /** Stores the health of this process; replaces its former one. */
  keepHealth(health: HealthSummary): Promise<void>;

  /**
   * Checks that the state is still where it was opened, and puts it back if not; resolves with the moved files. Rejects
   * with a `StorageError` when that is impossible, and with a `StoreBusyError` when another daemon has taken the place.
   * The process must end then, since its further writes would be lost.
   */
  secure(): Promise<readonly Moved[]>;

  /**
   * Drops deliveries that were settled before `settled`, actions of operators that ended two months before it, alerts
   * that ended before `alerts`, and journal lines before `journal`, which leave a checkpoint. Data of a plan is dropped
   * after 40 days without a change.
   */
  prune(before: Ages, at: Instant): Promise<void>;
}

/** Queries that are possible while a daemon runs, or when none does. Every method rejects with a `StorageError`. */
export interface StoreView
  extends
    AlertView,
    SamplesView,
    Pick<MemoryStore, 'recall' | 'diagnostics' | 'samples' | 'samplesAfter'>,
    Pick<OutboxStore, 'survey' | 'backlog'>,
    Pick<OperatorStore, 'pauses' | 'policy' | 'openAlerts' | 'openConditions'>,
    Pick<JournalStore, 'history' | 'journalHead' | 'journalHashAt' | 'verifyJournal'> {
  /** The replicas that work on the state, and the shards of each. Null: one process has the state for itself. */
  replicas(): Promise<SeenCluster | null>;
  /** All stored silences and pauses, including ended ones, in the order of their start. */
  silences(): Promise<Silence[]>;
  /** By the id of a silence, the number of notifications that it holds back now. */
  heldBySilence(): Promise<ReadonlyMap<string, number>>;
  /** The number of transitions of each alert that were decided from `since` on. */
  notificationCounts(since: Instant): Promise<NotificationCount[]>;
  /** Notifications from `since` on by the labels of their alerts, without ends of alerts that began before `since`. */
  notifiedSince(since: Instant): Promise<NotifiedLabels[]>;
  /** Changes with every change of the state. */
  version(): Promise<string>;
  /** The outline that the daemon last stored of its running config; null: none. */
  running(): Promise<Json>;
  /** The row of each running process, by its id; if none runs, the last row of each. */
  health(): Promise<ReadonlyMap<string, HealthSummary>>;
  /**
   * A page of the journal. A search reads at most 20,000 lines and returns the matches among them; the next page
   * continues.
   */
  journalPage(filter: JournalFilter): Promise<JournalPage>;
  /** The newest notification of each alert up to `until`; null if it was dropped or cannot be read. */
  notifications(of: readonly NotificationOf[]): Promise<(StoredNotification | null)[]>;
  /** The newest first. */
  deliveries(filter: DeliveryFilter): Promise<StoredDelivery[]>;
  /** Null: it does not exist, or was dropped. */
  delivery(id: DeliveryId): Promise<StoredDelivery | null>;
  /** By key of each firing alert, the recipients that were sent it. */
  told(): Promise<ReadonlyMap<string, readonly Recipient[]>>;
  /** Deliveries that were given up or refused and not dismissed, newest first. */
  dead(limit: number): Promise<StoredDelivery[]>;
  /** The delivery that is due last among those that wait on a channel after a try; null: none waits. */
  lastTried(channel: string): Promise<StoredDelivery | null>;
  /** Deliveries of one alert of a watch, newest first. */
  deliveriesOf(watch: WatchId, alert: AlertId, limit: number): Promise<StoredDelivery[]>;
}

export interface NotificationCount {
  readonly watch: WatchId;
  readonly alert: AlertId;
  readonly count: number;
  /** The time when it last fired or happened; null: not in that time. */
  readonly firedAt: Instant | null;
}

/** `to`: the targets of their messages, sent or pending. */
export interface NotifiedLabels {
  readonly labels: Labels;
  readonly count: number;
  readonly to: readonly Recipient[];
}

/** A reader with its own connection, which the caller closes. */
export interface StoreReader extends StoreView, AsyncDisposable {}

/** The storage failed; nothing was changed. Exit code 74. */
export class StorageError extends UnavailableError {
  override readonly name: string = 'StorageError';
}

/** The answer to a commit was lost: what it wrote may be stored, and other replicas may act on it. */
export class CommitUnansweredError extends StorageError {
  override readonly name: string = 'CommitUnansweredError';
  override readonly mayBeDone = true;
}

/** The file is damaged: its pages do not fit together, or it is no database any more. */
export class StateDamagedError extends StorageError {
  override readonly name: string = 'StateDamagedError';
}

/** The state has reached its largest size. Writes that add to it are refused until there is room. */
export class StoreFullError extends StorageError {
  override readonly name: string = 'StoreFullError';
}

/**
 * The state is of a newer release or of another installation. A process that works with it must not write any more, and
 * ends.
 */
export class StateMismatchError extends StorageError {
  override readonly name: string = 'StateMismatchError';
}

/** Exit code 78: the config names the wrong database, or the wrong installation. */
export class OtherInstallationError extends StateMismatchError {
  override readonly name = 'OtherInstallationError';
}

/** Another daemon holds the state file. Exit code 75. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError';
}
