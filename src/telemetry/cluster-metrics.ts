import type { ClusterView } from '../cluster/ownership.ts';
import type { MetricRegistry } from './metric-registry.ts';

export interface ClusterMetrics {
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. Without a function, or if it returns
   * null, the series are absent.
   */
  mirrorCluster(read: () => ClusterView | null): void;
}

export function createClusterMetrics(registry: MetricRegistry): ClusterMetrics {
  let read: () => ClusterView | null = () => null;

  const one = (valueOf: (view: ClusterView) => number) => () => {
    const view = read();
    return view === null ? [] : [[{}, valueOf(view)] as const];
  };

  registry.mirror(
    'chainwarden_replicas',
    one(({ replicas }) => replicas.length),
  );
  registry.mirror(
    'chainwarden_shards_held',
    one(({ shards }) => shards.filter(({ isOurs }) => isOurs).length),
  );
  registry.mirror(
    'chainwarden_shards_free',
    one(({ shards }) => shards.filter(({ holder }) => holder === null).length),
  );
  registry.mirror(
    'chainwarden_config_disagrees',
    one((view) => (disagrees(view) ? 1 : 0)),
  );
  registry.mirror(
    'chainwarden_lease_lost_total',
    one(({ counts }) => counts.leasesLost),
  );
  registry.mirror(
    'chainwarden_takeovers_total',
    one(({ counts }) => counts.takeovers),
  );
  registry.mirror(
    'chainwarden_fenced_commits_total',
    one(({ counts }) => counts.fencedCommits),
  );
  return {
    mirrorCluster(next) {
      read = next;
    },
  };
}

function disagrees({ replicas }: ClusterView): boolean {
  return new Set(replicas.map(({ checksum }) => checksum)).size > 1;
}
