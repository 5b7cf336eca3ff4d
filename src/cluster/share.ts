// How many shards a replica holds. Each family is divided apart, so that no replica has all the channels.
import type { Shard } from '../store/contract/fence.ts';

export type Family = 'explorer' | 'channel' | 'service';

export const FAMILIES: readonly Family[] = ['explorer', 'channel', 'service'];

/** Whether the shard is of the family. */
export function isOf(family: Family, shard: Shard): boolean {
  return shard.startsWith(`${family}:`);
}

/** The most that one of so many replicas holds. All of them together hold every shard then. */
export function shareOf(shards: number, replicas: number): number {
  return Math.ceil(shards / Math.max(replicas, 1));
}
