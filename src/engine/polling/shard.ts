import type { Watch } from '../../core/model/watch/watch.ts';
import type { Shard } from '../../store/fence.ts';

/** Under which what is learned of a watch is written down: that of its explorer. */
export function shardOf({ target }: Pick<Watch, 'target'>): Shard {
  return explorerShard(target.explorer);
}

export function explorerShard(explorer: string): Shard {
  return `explorer:${explorer}`;
}
