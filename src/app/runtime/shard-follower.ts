// Polls the watches of an explorer from the claim of its shard until the shard is given back or lost. Reports for each
// shard whether its explorer answers.
import type { Reach } from '../../cluster/avoidance.ts';
import type { Follower } from '../../cluster/ownership.ts';
import { isOf } from '../../cluster/share.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { KeptPlans } from '../../engine/scheduling/kept-plans.ts';
import type { Poller } from '../../engine/polling/poller.ts';
import type { ShardOf } from '../../engine/polling/state.ts';
import type { Explorer } from '../../explorer/explorer.ts';
import type { Mutex } from '../../lib/clock.ts';
import type { Shard } from '../../store/contract/fence.ts';
import type { ExplorerSet } from './explorers.ts';

export interface ShardFollowerOptions {
  readonly poller: Pick<Poller, 'prepare' | 'takenOver' | 'release' | 'drop' | 'shardOf'>;
  readonly keptPlans: KeptPlans;
  /** The names of the explorers in force. */
  readonly explorers: () => Iterable<string>;
  /** Held while a setup is put in force. */
  readonly changing: Mutex;
  /** The watches in force. */
  readonly watches: () => readonly Watch[];
  /** Removes the explorer's head and credits, since another replica shows them now. */
  readonly forgetExplorer: (explorer: string) => void;
  /** Called when this replica starts or stops polling watches. */
  readonly onMoved: () => void;
}

export interface ReachOptions {
  readonly explorers: Pick<ExplorerSet, 'get'>;
  readonly shardOf: ShardOf;
  /** The names of the explorers in force. */
  readonly names: () => Iterable<string>;
}

/** Explorers of one shard are at one host and share the record of its answers, so the first of them is asked. */
export function reachOf({ explorers, shardOf, names }: ReachOptions): Reach {
  const explorerOf = (shard: Shard): Explorer | undefined => {
    for (const name of names()) if (shardOf(name) === shard) return explorers.get(name);
    return undefined;
  };
  return {
    of: (shard) => explorerOf(shard)?.reachability() ?? { type: 'unknown' },
    probe: async (shard) => explorerOf(shard)?.probe(),
  };
}

export function createShardFollower(options: ShardFollowerOptions): Follower {
  const { poller, keptPlans, changing, explorers, watches, onMoved } = options;
  const isExplorer = (shard: Shard): boolean => isOf('explorer', shard);
  const moved = (shard: Shard): void => {
    for (const explorer of explorers()) if (poller.shardOf(explorer) === shard) options.forgetExplorer(explorer);
    onMoved();
  };
  return {
    async claimed(shard, isTakeover) {
      if (!isExplorer(shard)) return;
      await changing.hold(async () => {
        keptPlans.drop(shard);
        const prepared = [await poller.prepare(watches()), await keptPlans.prepare(explorers())];
        for (const part of prepared) part.commit();
        if (isTakeover) poller.takenOver(shard);
        onMoved();
      });
    },
    async releasing(shard) {
      if (!isExplorer(shard)) return;
      try {
        await poller.release(shard);
        await keptPlans.flush();
      } finally {
        keptPlans.drop(shard);
      }
      moved(shard);
    },
    lost(shard) {
      if (!isExplorer(shard)) return;
      poller.drop(shard);
      keptPlans.drop(shard);
      moved(shard);
    },
  };
}
