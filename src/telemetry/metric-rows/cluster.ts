// Metrics of several replicas on one database; absent if one process has the state for itself.
import type { MetricRow } from './row.ts';

export const CLUSTER_METRICS = {
  chainwarden_replicas: {
    type: 'gauge',
    help: 'Replicas that are alive, this one included.',
    labels: [],
  },
  chainwarden_shards_held: {
    type: 'gauge',
    help: 'Shards that this replica works on: explorers, channels and services.',
    labels: [],
  },
  chainwarden_shards_free: {
    type: 'gauge',
    help: 'Shards that no replica works on; for longer than a lease, something is not watched or not sent.',
    labels: [],
  },
  chainwarden_config_disagrees: {
    type: 'gauge',
    help: 'The value is 1 while replicas run different configs: then nothing that was removed is ended; else 0.',
    labels: [],
  },
  chainwarden_lease_lost_total: {
    type: 'counter',
    help: 'Shards that this replica lost without giving them back.',
    labels: [],
  },
  chainwarden_takeovers_total: {
    type: 'counter',
    help: 'Shards that this replica took over from one that had not given them back.',
    labels: [],
  },
  chainwarden_fenced_commits_total: {
    type: 'counter',
    help: 'Writes that were refused because another replica held the shard.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
