// Polls the watches of an explorer from the claim of its shard until the shard is given back or lost.
import type { Follower } from '../../cluster/ownership.ts';
import { isOf } from '../../cluster/share.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Poller } from '../../engine/polling/poller.ts';
import type { Mutex } from '../../lib/mutex.ts';
import type { Shard } from '../../store/contract/fence.ts';

export interface ShardFollowerOptions {
  readonly poller: Pick<Poller, 'prepare' | 'release' | 'drop'>;
  /** Held while a setup is put in force. */
  readonly changing: Mutex;
  /** In force. */
  readonly watches: () => readonly Watch[];
  /** Others are polled from now on. */
  readonly onMoved: () => void;
}

export function createShardFollower({ poller, changing, watches, onMoved }: ShardFollowerOptions): Follower {
  const isExplorer = (shard: Shard): boolean => isOf('explorer', shard);
  return {
    async claimed(shard) {
      if (!isExplorer(shard)) return;
      await changing.hold(async () => {
        (await poller.prepare(watches())).commit();
        onMoved();
      });
    },
    async releasing(shard) {
      if (!isExplorer(shard)) return;
      await poller.release(shard);
      onMoved();
    },
    lost(shard) {
      if (!isExplorer(shard)) return;
      poller.drop(shard);
      onMoved();
    },
  };
}
