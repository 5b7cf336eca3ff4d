// What the daemon needs of whatever keeps its state. An engine has a folder of its own; `store/open.ts` picks one.
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

/** What is not where it was opened: the state itself, or the lock that keeps a second daemon away. */
export type Moved = 'file' | 'lock';

/** What is older is dropped. */
export interface Ages {
  readonly settled: Instant;
  readonly alerts: Instant;
  readonly journal: Instant;
}

/**
 * All that is kept.
 * Every method rejects with a `StorageError` when the storage does not answer; then nothing was changed. `commit` and
 * `cover` reject with a `StoreFullError` at the largest size.
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
   * A connection of its own that only reads, for who looks at much: no commit waits for it. Always ask for it anew; it is
   * closed with the store.
   */
  reader(): Promise<StoreView>;

  readonly cluster: Cluster;

  /** How large the state may become from now on, where that is this program's to say. */
  setMaxBytes(maxBytes: number): void;

  /** Writes down what runs now, for `plan`; replaces what was written before. */
  keepRunning(outline: Json): Promise<void>;

  /** Writes a row, to see whether the state takes one. */
  probe(at: Instant): Promise<void>;

  /** Writes down how this process does; replaces what it wrote before. */
  keepHealth(health: HealthSummary): Promise<void>;

  /**
   * Looks whether the state is still where it was opened, and puts it back where it is not; resolves with what had moved.
   * Rejects with a `StorageError` when that cannot be done, and with a `StoreBusyError` when another daemon has taken the
   * place: then nothing that is written outlives the process, and it has to end.
   */
  secure(): Promise<readonly Moved[]>;

  /**
   * Drops deliveries that were settled before a time and what operators did two months earlier, and what is known of
   * alerts that are over since another time. Lines of the journal from before a third are dropped behind a checkpoint.
   * What is kept of a plan goes after 40 days in which it did not change.
   */
  prune(before: Ages, at: Instant): Promise<void>;
}

/** What may be looked at while a daemon runs, or when none does. Every method rejects with a `StorageError`. */
export interface StoreView
  extends
    AlertView,
    SamplesView,
    Pick<MemoryStore, 'recall' | 'diagnostics' | 'samples' | 'samplesAfter'>,
    Pick<OutboxStore, 'survey' | 'backlog'>,
    Pick<OperatorStore, 'pauses' | 'policy' | 'openAlerts' | 'openConditions'>,
    Pick<JournalStore, 'history' | 'journalHead' | 'journalHashAt' | 'verifyJournal'> {
  /** The replicas that work on the state, and what each holds. Null: one process has the state for itself. */
  replicas(): Promise<SeenCluster | null>;
  /** Silences and pauses that are kept, those that are over included, by their begin. */
  silences(): Promise<Silence[]>;
  /** By the id of a silence, how many notifications it holds back now. */
  heldBySilence(): Promise<ReadonlyMap<string, number>>;
  /** How many transitions of each alert were decided since then. */
  notificationCounts(since: Instant): Promise<NotificationCount[]>;
  /** Notifications since then by the labels of their alerts. The end of what began before then is left out. */
  notifiedSince(since: Instant): Promise<NotifiedLabels[]>;
  /** Another one after every change of the state. */
  version(): Promise<string>;
  /** What the daemon last wrote down of what it runs; null when it never did. */
  running(): Promise<Json>;
  /** The row of each process that lives, by its id; where none lives, the last one of each. */
  health(): Promise<ReadonlyMap<string, HealthSummary>>;
  /**
   * A page of the journal. Where lines are looked for, it looks at 20,000 of them and then ends, with what it has found: the
   * next one goes on.
   */
  journalPage(filter: JournalFilter): Promise<JournalPage>;
  /** The newest of each that is not later; null: it is no longer kept, or cannot be read. */
  notifications(of: readonly NotificationOf[]): Promise<(StoredNotification | null)[]>;
  /** The newest first. */
  deliveries(filter: DeliveryFilter): Promise<StoredDelivery[]>;
  /** Null: there is none, or no longer. */
  delivery(id: DeliveryId): Promise<StoredDelivery | null>;
  /** By key of each alert that fires, who was told so. */
  told(): Promise<ReadonlyMap<string, readonly Recipient[]>>;
  /** Those that were given up or refused and that nobody dismissed, newest first. */
  dead(limit: number): Promise<StoredDelivery[]>;
  /** Of what is due again on a channel after a try, what is due last; null: nothing is. */
  lastTried(channel: string): Promise<StoredDelivery | null>;
  /** Those of one alert of a watch, newest first. */
  deliveriesOf(watch: WatchId, alert: AlertId, limit: number): Promise<StoredDelivery[]>;
}

export interface NotificationCount {
  readonly watch: WatchId;
  readonly alert: AlertId;
  readonly count: number;
  /** When it last fired, or last happened; null: not since then. */
  readonly firedAt: Instant | null;
}

/** `to`: to whom they are owed, or were. */
export interface NotifiedLabels {
  readonly labels: Labels;
  readonly count: number;
  readonly to: readonly Recipient[];
}

/** A connection of its own, which the caller closes. */
export interface StoreReader extends StoreView, AsyncDisposable {}

/** The storage did not do what was asked; nothing was changed. Exit code 74. */
export class StorageError extends UnavailableError {
  override readonly name: string = 'StorageError';
}

/** The file is no longer what was written: its pages do not fit together, or it is no database any more. */
export class StateDamagedError extends StorageError {
  override readonly name: string = 'StateDamagedError';
}

/** The state has reached its size: nothing that adds to it is kept until there is room. */
export class StoreFullError extends StorageError {
  override readonly name: string = 'StoreFullError';
}

/** The state is of a newer release or of another installation. A process that works with it writes nothing more, and ends. */
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
