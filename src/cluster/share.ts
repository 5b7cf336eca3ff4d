// The number of shards that a replica holds. Each family of shards is divided separately, so that no replica has all
// the channels.
import type { Shard } from '../store/contract/fence.ts';

export type Family = 'explorer' | 'channel' | 'service';

export const FAMILIES: readonly Family[] = ['explorer', 'channel', 'service'];

export function isOf(family: Family, shard: Shard): boolean {
  return shard.startsWith(`${family}:`);
}

/** The most shards that one replica may hold. The number is rounded up, so that the replicas together hold all. */
export function shareOf(shards: number, replicas: number): number {
  return Math.ceil(shards / Math.max(replicas, 1));
}

/** A replica whose config is in force. */
interface Sharer {
  readonly id: string;
  readonly avoids: readonly Shard[];
}

/** Shards that are divided among the same replicas. */
export interface ShareGroup {
  readonly name: string;
  readonly family: Family;
  readonly shards: readonly Shard[];
  /** The quota: the most shards of the group that this replica holds. */
  readonly share: number;
}

/** Shards that a replica avoids are groups of their own in their family, divided among the other replicas. */
export function groupsFor(id: string, shards: readonly Shard[], replicas: readonly Sharer[]): ShareGroup[] {
  return FAMILIES.flatMap((family) =>
    [
      ...Map.groupBy(
        shards.filter((shard) => isOf(family, shard)),
        (shard) => takersOf(shard, replicas).join(),
      ),
    ].map(([takers, own]) => {
      const ids = takersOf(own[0] ?? `${family}:`, replicas);
      const share = ids.includes(id) ? shareOf(own.length, ids.length) : 0;
      return { name: `${family} of ${takers}`, family, shards: own, share };
    }),
  );
}

function takersOf(shard: Shard, replicas: readonly Sharer[]): readonly string[] {
  return replicas
    .filter(({ avoids }) => !avoids.includes(shard))
    .map((one) => one.id)
    .toSorted();
}
