// Facts about the daemon itself.
import { showInstant } from '../../lib/clock.ts';
import type { About } from '../shapes/daemon.ts';
import { timeOf } from '../times.ts';
import type { QueryContext } from '../view.ts';
import { clusterOf } from './cluster.ts';
import { storageOf } from './trust.ts';

export async function about({ runtime, now }: QueryContext): Promise<About> {
  const { startedAt } = runtime;
  const health = runtime.health();
  const { state, heartbeat } = runtime.config();
  const watches = runtime.watches();
  return {
    version: runtime.version,
    started_at: timeOf(startedAt),
    up_ms: startedAt === null ? null : Math.max(0, now - startedAt),
    boot_id: runtime.bootId,
    reloaded_at: timeOf(runtime.loadedAt()),
    storage: {
      engine: state.postgres === null ? 'sqlite' : 'postgresql',
      state: storageOf(health),
      max_bytes: state.postgres === null ? state.maxBytes : null,
    },
    cluster: clusterOf(runtime),
    heartbeat: heartbeat && { every_ms: heartbeat.everyMs, accepted_at: timeOf(health.heartbeatAt) },
    watches: watches.length,
    rules: new Set(watches.map(({ rule }) => rule)).size,
    as_of: showInstant(now),
  };
}
