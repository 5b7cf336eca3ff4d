// What queries read: the state, through a connection that only reads, and what the daemon holds in memory. They write
// nothing, and have no clock: `now` is part of the view. The CLI makes a view from the file alone; there some of it is
// null, for only a running daemon knows it.
import type { ClusterView } from '../cluster/ownership.ts';
import type { Config } from '../config/model.ts';
import type { Problem } from '../config/problem.ts';
import type { Figures } from '../core/model/figures.ts';
import type { HealthByAlert } from '../core/model/health.ts';
import type { Labels, WatchId } from '../core/model/ids.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Snapshot } from '../core/model/decision.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { BlindWatch } from '../core/model/quality/blind-cause.ts';
import type { HealthSummary } from '../core/model/quality/health-summary.ts';
import type { ChangesSince } from '../engine/polling/changed-watches.ts';
import type { PollRecord } from '../engine/reporting/poll-ring.ts';
import type { Instant } from '../lib/clock.ts';
import type { StoreView } from '../store/contract/store.ts';

export interface QueryContext {
  readonly store: StoreView;
  readonly runtime: RuntimeView;
  readonly now: Instant;
}

export interface RuntimeView {
  readonly version: string;
  /** Null: no daemon runs. */
  readonly startedAt: Instant | null;
  /** Null: no daemon runs. */
  readonly bootId: string | null;
  /** The daemon, or all replicas together; made once for each view. Where none runs: what the state shows. */
  health(): HealthSummary;
  /** A process holds the state, and has written nothing of its health since then; null: it has, or none runs. */
  readonly silentSince: Instant | null;
  config(): Config;
  /** The same list until others are in force. */
  watches(): readonly Watch[];
  /** Another object after every poll. */
  memoryOf(id: WatchId): Memory | null;
  /** Of which watches memory, figures and health are other ones than at an earlier mark. */
  changedSince(mark: number): ChangesSince;
  /** The numbers that alerts compare, at the last poll; null: nothing was read yet. The same object until the next poll. */
  figuresOf(id: WatchId): Figures | null;
  /** What was read last, where the state does not hold it yet. */
  snapshotOf(id: WatchId): Snapshot | null;
  healthOf(id: WatchId): HealthByAlert;
  /** Labels of what the daemon may tell of itself. */
  selfLabels(): readonly Labels[];
  blind(): readonly BlindWatch[];
  /** No poll has seen anything of them since the start, and they are not paused. */
  unseen(): readonly Watch[];
  /** Null: no daemon runs. */
  explorers(): readonly ExplorerState[] | null;
  /** Why the files on the disk are not in force; null: they are. */
  rejected(): RejectedReload | null;
  /** When config and rules were last put in force. */
  loadedAt(): Instant | null;
  /** The last ones, newest first. Null: no daemon runs. */
  polls(watch: Watch): readonly PollRecord[] | null;
  /** The text of a rule file that is in force; null: it is none. */
  ruleFile(file: string): string | null;
  /** The other replica that asks the explorer, and knows what is only in memory; null: this one does, or none. */
  replicaOf(explorer: string): string | null;
  /** The replicas and what each works on; null: one process has the state for itself. */
  cluster(): Pick<ClusterView, 'replicas' | 'shards' | 'configInForce'> | null;
}

export interface RejectedReload {
  readonly since: Instant;
  readonly why: string;
  /** Empty where it was not the files. */
  readonly problems: readonly Problem[];
}

/** What the answers of one explorer have shown since the start. */
export interface ExplorerState {
  readonly name: string;
  /** Of the last hour. */
  readonly answers: readonly { readonly outcome: string; readonly count: number }[];
  /** Of the last hour; null: there was none. */
  readonly p99Ms: number | null;
  readonly rate: { readonly remaining: number; readonly limit: number | null } | null;
}
