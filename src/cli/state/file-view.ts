// What queries see where no daemon is asked: the state, and the rules as they lie on the disk. What only a running daemon
// knows is null.
import type { Setup } from '../../app/setup/setup.ts';
import type { Instant } from '../../lib/clock.ts';
import { readStored, storedWatches, type StoredFacts } from '../../query/stored-watches.ts';
import type { RuntimeView, QueryContext } from '../../query/view.ts';
import type { SeenCluster } from '../../store/contract/cluster.ts';
import type { StoreView } from '../../store/contract/store.ts';

/** What the state holds. */
export interface FileFacts extends StoredFacts {
  readonly troubles: readonly string[];
  readonly replicas: SeenCluster | null;
}

/** Rejects with a `StorageError`. */
export async function readFacts(reader: StoreView): Promise<FileFacts> {
  return { ...(await readStored(reader)), troubles: await reader.troubles(), replicas: await reader.replicas() };
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
  const { config, watches, ruleFiles } = setup;
  const runtime: RuntimeView = {
    ...storedWatches(watches, facts, now),
    version,
    startedAt: null,
    bootId: null,
    isWorking: () => isHeld,
    config: () => config,
    watches: () => watches,
    selfLabels: () => [],
    unpolled: () => null,
    explorers: () => null,
    notJudged: () => 0,
    troubles: () => facts.troubles,
    changedSince: () => ({ mark: 0, ids: null }),
    rejected: () => null,
    loadedAt: () => null,
    polls: () => null,
    ruleFile: (file) => ruleFiles.get(file) ?? null,
    replicaOf: () => null,
    cluster: () => facts.replicas && clusterIn(facts.replicas),
    heartbeatAt: () => null,
    storage: () => null,
  };
  return { store: reader, runtime, now };
}

function clusterIn({ replicas, shards, config }: SeenCluster): ReturnType<RuntimeView['cluster']> {
  const nameOf = new Map(replicas.map(({ id, name }) => [id, name]));
  return {
    replicas: replicas.map(({ id, name, checksum }) => ({ id, name, checksum, isSelf: false })),
    shards: shards.map(({ shard, holder }) => ({ shard, holder: nameOf.get(holder ?? '') ?? null, isOurs: false })),
    configInForce: config,
  };
}
