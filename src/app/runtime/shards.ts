// The shards of a config. Each shard is owned by one replica. There is one shard for the watches of each plan, one for
// the sender of each channel, and two for services.
import { createHash } from 'node:crypto';
import type { DeclaredConfig } from '../../cluster/ownership.ts';
import type { Config, ExplorerSettings } from '../../config/model.ts';
import { sharedPlans } from '../../config/shared-plans.ts';
import { channelOf, explorerOf, type CauseId } from '../../engine/self/cause.ts';
import { outlineOfReport } from '../../core/reports/model.ts';
import { explorerShard, type ShardOf } from '../../engine/polling/state.ts';
import { outlineOf } from '../../plan/outline.ts';
import type { Shard } from '../../store/contract/fence.ts';
import type { Setup } from '../setup/setup.ts';

/** The limiter of an explorer counts the requests in a window of this length. */
const WINDOW_MS = 1000;

/**
 * All explorers that share a plan have the same shard, so a single replica sends their requests and counts them
 * together.
 */
export function shardOfExplorer({ explorers }: Pick<Config, 'explorers'>): ShardOf {
  const plans = sharedPlans(explorers);
  return (explorer) => explorerShard(plans.get(explorer)?.explorers[0] ?? explorer);
}

type DeclaredSetup = Pick<Setup, 'config' | 'watches' | 'reports'>;

export function declaredIn(setup: DeclaredSetup): DeclaredConfig {
  const { config } = setup;
  const shardOf = shardOfExplorer(config);
  const shards = new Set<Shard>([
    ...[...config.explorers.keys()].map(shardOf),
    ...[...config.channels.keys()].map((name): Shard => `channel:${name}`),
    'service:dispatch',
    'service:journal',
  ]);
  return {
    checksum: checksumOf(setup),
    watches: setup.watches.map(({ id }) => id),
    shards: [...shards].map((shard) => ({ shard, windowMs: WINDOW_MS })),
  };
}

/**
 * The shard of the cause's explorer or channel; the replica that holds this shard reports the cause. If the cause has
 * neither, or if it is no longer in the config, the shard is `service:dispatch`.
 */
export function shardOfCause(cause: CauseId, { explorers, channels }: Pick<Config, 'explorers' | 'channels'>): Shard {
  const explorer = explorerOf(cause);
  if (explorer !== null && explorers.has(explorer)) return shardOfExplorer({ explorers })(explorer);
  const channel = channelOf(cause);
  return channel !== null && channels.has(channel) ? `channel:${channel}` : 'service:dispatch';
}

/**
 * Leaves out the listen address, the recording and the backups, which may differ between replicas. Secrets leave this
 * function only in a digest.
 */
function checksumOf({ config, watches, reports }: DeclaredSetup): string {
  const { explorers, channels, routes, inhibit, self, digest, heartbeat } = config;
  const parts = {
    outline: outlineOf({ watches, reports, config }),
    // These options contain the signatures of `events:` and `calls:`. An ABI file may have supplied them.
    options: [...new Map(watches.map(({ rule, target }) => [rule, target.options]))],
    reports: reports.map(outlineOfReport),
    explorers: [...explorers.values()].map((explorer) => [{ ...explorer, path: null }, ...secretsOf(explorer)]),
    channels: [...channels.values()].map(({ name, type, to, cap, secrets }) => [name, type, to, cap, secrets]),
    routes: routes.map((route) => ({ ...route, path: null })),
    inhibit: inhibit.map((rule) => ({ ...rule, path: null })),
    told: { self, digest, heartbeat, url: heartbeat?.url.reveal() },
  };
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

function secretsOf(explorer: ExplorerSettings): readonly (string | null)[] {
  if (explorer.form === 'sandbox') return [];
  return [explorer.apiKey?.reveal() ?? null, ...Object.values(explorer.headers).map((value) => value.reveal())];
}
