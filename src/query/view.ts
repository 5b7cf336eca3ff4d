// The inputs of queries: the state, through a read-only connection, and the daemon's data in memory. Queries write
// nothing and have no clock: `now` is part of the view. The CLI makes a view from the state file alone. Data that only
// a running daemon has are null there.
import type { ClusterView } from '../cluster/ownership.ts';
import type { Config } from '../config/model.ts';
import type { Problem } from '../config/problem.ts';
import type { Labels } from '../core/model/ids.ts';
import type { Report } from '../core/reports/model.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { BlindWatch } from '../core/model/quality/blind-cause.ts';
import type { HealthSummary } from '../core/model/quality/health-summary.ts';
import type { WatchReadings } from '../engine/polling/state.ts';
import type { PollRecord } from '../engine/reporting/recent-polls.ts';
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
  /**
   * The health of the daemon or of all replicas together, computed once for each view. Without a daemon it comes from
   * the state.
   */
  health(): HealthSummary;
  /**
   * The time since which the process that holds the state has not written its health; null: it writes regularly, or no
   * process holds the state.
   */
  readonly silentSince: Instant | null;
  config(): Config;
  /** Returns the same list until other rules are in force. */
  watches(): readonly Watch[];
  reports(): readonly Report[];
  readonly readings: WatchReadings;
  /** Labels of the daemon's alerts about itself. */
  selfLabels(): readonly Labels[];
  blind(): readonly BlindWatch[];
  /** Watches without a reading since the start that are not paused. */
  unseen(): readonly Watch[];
  /** Null: no daemon runs. */
  explorers(): readonly ExplorerState[] | null;
  /** The reason why the files on the disk are not in force; null: they are. */
  rejected(): RejectedReload | null;
  /** The time at which config and rules were last put in force. */
  loadedAt(): Instant | null;
  /** The last polls, newest first. Null: no daemon runs. */
  polls(watch: Watch): readonly PollRecord[] | null;
  /** The text of a rule file in force; null: it is not in force. */
  ruleFile(file: string): string | null;
  /**
   * The other replica that polls the explorer and has its data in memory; null: this process does, or no replica does.
   */
  replicaOf(explorer: string): string | null;
  /** The replicas and their shards; null: one process uses the state alone. */
  cluster(): Pick<ClusterView, 'replicas' | 'shards' | 'configInForce'> | null;
}

export interface RejectedReload {
  readonly since: Instant;
  readonly why: string;
  /** Empty if the cause was not in the files. */
  readonly problems: readonly Problem[];
}

/** The answers of one explorer, and the limits of its plan. */
export interface ExplorerState {
  readonly name: string;
  /** Counts of the last hour. */
  readonly answers: readonly { readonly outcome: string; readonly count: number }[];
  /** The 99th percentile of the last hour; null: there were no answers. */
  readonly p99Ms: number | null;
  readonly rate: { readonly remaining: number; readonly limit: number | null } | null;
}
