import type { Watch } from '../../core/model/watch/watch.ts';
import type { Shard } from '../../store/contract/fence.ts';

/** The shard that guards writes about an explorer and its watches. Explorers of one plan share one shard. */
export type ShardOf = (explorer: string) => Shard;

/** For explorers that each have their own plan. */
export const explorerShard: ShardOf = (explorer) => `explorer:${explorer}`;

/** The shard of the explorer that a watch reads. */
export function watchShard(shardOf: ShardOf): (watch: Pick<Watch, 'target'>) => Shard {
  return ({ target }) => shardOf(target.explorer);
}
