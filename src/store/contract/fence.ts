// Fences: they decide which process may write.

/** A unit of work that one process holds at a time: the watches of an explorer, the sender of a channel, a service. */
export type Shard = `${'explorer' | 'channel' | 'service'}:${string}`;

/** Proves which process holds a shard. The epoch rises at every takeover. */
export interface Fence {
  readonly key: string;
  readonly slot: number;
  readonly owner: string;
  readonly epoch: number;
}

/** `fenced`: another process has taken over; nothing was written, and later writes of this process are refused too. */
export type CommitResult = 'kept' | 'superseded' | 'fenced';
