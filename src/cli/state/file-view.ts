// The query view without a daemon: the state, and the rules on the disk. Data that only a running daemon has are null.
import type { Setup } from '../../app/setup/setup.ts';
import { isOld, type HealthSummary } from '../../core/model/quality/health-summary.ts';
import type { Instant } from '../../lib/clock.ts';
import { readStored, storedHealth, storedWatches, type StoredFacts } from '../../query/stored-watches.ts';
import type { RuntimeView, QueryContext } from '../../query/view.ts';
import type { SeenCluster } from '../../store/contract/cluster.ts';
import type { StoreView } from '../../store/contract/store.ts';

/** The data in the state. */
export interface FileFacts extends StoredFacts {
  readonly replicas: SeenCluster | null;
  /** The rows of running processes; if none runs, the last row of each. */
  readonly health: readonly HealthSummary[];
}

/** Rejects with a `StorageError`. */
export async function readFacts(reader: StoreView): Promise<FileFacts> {
  const health = [...(await reader.health()).values()];
  return { ...(await readStored(reader)), health, replicas: await reader.replicas() };
}

interface FileViewOptions {
  readonly setup: Setup;
  readonly reader: StoreView;
  readonly facts: FileFacts;
  /** Whether a daemon holds the state. */
  readonly isHeld: boolean;
  readonly now: Instant;
  readonly version: string;
}

export function fileView({ setup, reader, facts, isHeld, now, version }: FileViewOptions): QueryContext {
  const { config, watches, reports, ruleFiles } = setup;
  const rows = isHeld ? livingRows(facts.health, now) : [];
  const silentSince = isHeld && rows.length === 0 ? newestOf(facts.health) : null;
  const stored = storedHealth(watches, { ...facts, rows }, now);
  // A daemon that is starting may have no row yet, so a held state without rows counts as running.
  const health = { ...stored, isRunning: isHeld && silentSince === null };
  const runtime: RuntimeView = {
    ...storedWatches(watches, { ...facts, rows }, now),
    silentSince,
    health: () => health,
    version,
    startedAt: null,
    bootId: null,
    config: () => config,
    watches: () => watches,
    reports: () => reports,
    selfLabels: () => [],
    unseen: () => [],
    explorers: () => null,
    rejected: () => null,
    loadedAt: () => null,
    polls: () => null,
    ruleFile: (file) => ruleFiles.get(file) ?? null,
    replicaOf: () => null,
    cluster: () => facts.replicas && clusterIn(facts.replicas),
  };
  return { store: reader, runtime, now };
}

/** The rows of running processes; other rows are old. */
export function livingRows(rows: Iterable<HealthSummary>, now: Instant): readonly HealthSummary[] {
  return [...rows].filter((health) => !isOld(health, now));
}

function newestOf(rows: readonly HealthSummary[]): Instant | null {
  return rows.length === 0 ? null : Math.max(...rows.map(({ at }) => at));
}

function clusterIn({ replicas, shards, config }: SeenCluster): ReturnType<RuntimeView['cluster']> {
  const nameOf = new Map(replicas.map(({ id, name }) => [id, name]));
  return {
    replicas: replicas.map(({ announcedAt: _, ...one }) => ({ ...one, isSelf: false, outvotedSince: null })),
    shards: shards.map(({ shard, holder }) => ({ shard, holder: nameOf.get(holder ?? '') ?? null, isOurs: false })),
    configInForce: config,
  };
}
