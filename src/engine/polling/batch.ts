// Commits decisions together, with one wait for the disk. A decision with transitions is committed at once, with all
// others that are ready. A decision without transitions waits a little for others, since it delays no message.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Decision } from '../../core/model/decision.ts';
import { after, nextTurn, type Clock } from '../../lib/clock.ts';
import { mayBeDone } from '../../lib/unavailable.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Outages } from '../reporting/outages.ts';

export interface BatchOptions<Item> {
  readonly store: Pick<Store, 'commit'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost'>;
  readonly clock: Clock;
  /** The wait of a decision without transitions for others, in real milliseconds; 0 = it is committed at once too. */
  readonly silentWaitMs: number;
  readonly outages: Pick<Outages, 'storageFails' | 'storageWorks'>;
  readonly shardOf: (item: Item) => Shard;
  /** Called just before the commit. False: the item is dropped without a log line. */
  readonly isInForce: (item: Item) => boolean;
  /** Called when the decision is on disk, or needs no write. */
  readonly onCommitted: (item: Item) => void;
}

/**
 * `dropped`: the item was no longer in force, or its shard is not held. `rejected`: the storage answered with an error.
 * `unanswered`: the answer to the commit was lost, so it may be stored, and another replica may act on it.
 */
export type CommitEnd = 'kept' | 'superseded' | 'rejected' | 'unanswered' | 'dropped';

export interface CommitBatch<Item> {
  /** Resolves with the result of the item; never rejects. */
  add(item: Item): Promise<CommitEnd>;
  /** Resolves when nothing waits and no commit is under way. */
  idle(): Promise<void>;
}

export function createBatch<Item extends { readonly decision: Decision }>(
  options: BatchOptions<Item>,
): CommitBatch<Item> {
  const { ownership, silentWaitMs, shardOf, isInForce, onCommitted } = options;
  let ready: { readonly item: Item; readonly done: (end: CommitEnd) => void }[] = [];
  /** True if the ready items are committed in the next turn. */
  let isDue = false;
  let stopWaiting: (() => void) | null = null;
  const committing = new Set<Promise<void>>();

  function commitSoon(): void {
    stopWaiting?.();
    stopWaiting = null;
    if (isDue) return;
    isDue = true;
    const commit = nextTurn().then(commitReady);
    committing.add(commit);
    void commit.finally(() => committing.delete(commit));
  }

  async function commitReady(): Promise<void> {
    const all = ready;
    ready = [];
    isDue = false;
    const items = all.map(({ item }) => item).filter(isInForce);
    const ends = new Map<Item, CommitEnd>();
    const byFence = Map.groupBy(items, (item) => ownership.fenceOf(shardOf(item)));
    for (const [fence, some] of byFence)
      if (fence !== null) for (const [item, end] of await commitAll(options, some, fence)) ends.set(item, end);
    for (const [item, end] of ends) if (end === 'kept') onCommitted(item);
    for (const { item, done } of all) done(ends.get(item) ?? 'dropped');
  }

  /** A decision that writes nothing now does not wait for others. */
  function keepUnwritten(item: Item): CommitEnd {
    if (!isInForce(item)) return 'dropped';
    onCommitted(item);
    return 'kept';
  }

  return {
    async add(item) {
      if (!isWritten(item.decision)) return keepUnwritten(item);
      const { promise, resolve } = Promise.withResolvers<CommitEnd>();
      ready.push({ item, done: resolve });
      const isSilent = item.decision.transitions.length === 0;
      if (!isSilent || silentWaitMs === 0) commitSoon();
      else if (!isDue) stopWaiting ??= after(silentWaitMs, commitSoon);
      return promise;
    },
    async idle() {
      if (ready.length > 0) commitSoon();
      await Promise.allSettled(committing);
    },
  };
}

const SLOW_MS = 1000;

/** False: nothing is written now. Only the time of the poll, and changed diagnostics, are written later. */
export function isWritten({ hasChanged, transitions }: Decision): boolean {
  return hasChanged || transitions.length > 0;
}

/** Commits the items together. If that fails, commits each of them alone, so that one does not make others fail. */
async function commitAll<Item extends { readonly decision: Decision }>(
  options: BatchOptions<Item>,
  items: readonly Item[],
  fence: Fence,
  failed: 'rejected' | 'unanswered' = 'rejected',
): Promise<readonly (readonly [Item, CommitEnd])[]> {
  const { store, ownership, clock, outages, shardOf } = options;
  const startedAt = clock.monotonic();
  try {
    const decisions = items.map(({ decision }) => decision);
    const results = await store.commit(decisions, clock.now(), fence);
    outages.storageWorks();
    if (results.includes('fenced')) for (const shard of new Set(items.map(shardOf))) ownership.lost(shard);
    return items.flatMap((item, i) => {
      const end = results[i] ?? 'fenced';
      return end === 'fenced' ? [] : [[item, end] as const];
    });
  } catch (error) {
    // The memory here is unchanged, and most likely the stored one is too. So the next poll starts from the same
    // memory and makes the same decision. If the failure took long, another program has locked the store. Each
    // further commit would wait for that lock again, so none is tried.
    const end = mayBeDone(error) ? 'unanswered' : failed;
    const isLast = items.length === 1 || clock.monotonic() - startedAt >= SLOW_MS;
    if (!isLast) return (await Promise.all(items.map((item) => commitAll(options, [item], fence, end)))).flat();
    outages.storageFails(error);
    return items.map((item) => [item, end]);
  }
}
