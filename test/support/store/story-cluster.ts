// Replicas go by the clock of the database, stories by a clock that they move. Here the database of a story has the time of
// the story, as if its server ran on a machine of its own: it does not notice when the clock of the daemon's machine is set.
import type { Clock, Instant } from '../../../src/lib/clock.ts';
import type { Cluster, HeldShard, LiveReplica, SharedCluster } from '../../../src/store/contract/cluster.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { counted } from './pending-calls.ts';

/** The same store for a daemon that lives by `clock`, which waits for its calls. */
export function inStory(store: Store, clock: Clock): Store {
  return counted({ ...store, cluster: clusterOf(store.cluster, clock) });
}

function clusterOf(cluster: Cluster, clock: Clock): Cluster {
  return cluster.isShared ? counted(atTimeOf(cluster, clock)) : cluster;
}

/** Leases go by the server all the same: a daemon alone keeps its own. */
function atTimeOf(cluster: SharedCluster, clock: Clock): SharedCluster {
  const startedAt = clock.now() - clock.monotonic();
  const now = (): Instant => startedAt + clock.monotonic();
  const announced = new Map<string, { readonly checksum: string; readonly at: Instant }>();
  /** When it was first seen to run what it runs. */
  const announcedAt = ({ id, checksum }: LiveReplica): Instant => {
    const before = announced.get(id);
    const at = before?.checksum === checksum ? before.at : now();
    announced.set(id, { checksum, at });
    return at;
  };
  return {
    ...cluster,
    now: () => Promise.resolve(now()),
    async renew(own) {
      const renewed = await cluster.renew(own);
      const replicas = renewed.replicas.map((one) => ({ ...one, announcedAt: announcedAt(one) }));
      return { ...renewed, mine: renewed.mine.map(askingAtOnce), replicas, now: now() };
    },
    claim: async (...wanted) => (await cluster.claim(...wanted)).map(askingAtOnce),
  };
}

/** How long it would wait is by the server's clock: a story that stands still would wait for ever. */
function askingAtOnce<T extends HeldShard>(shard: T): T {
  return { ...shard, askAfterMs: 0 };
}
