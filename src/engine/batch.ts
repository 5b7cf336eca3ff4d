// Decisions that are ready in the same turn of the event loop are committed together: one wait for the disk for all.
import type { Decision } from '../core/model/decision.ts';
import { nextTurn, type Clock } from '../lib/clock.ts';
import type { Store } from '../store/store.ts';
import type { Outages } from './outages.ts';

export interface BatchOptions<Item> {
  readonly store: Pick<Store, 'commit'>;
  readonly clock: Clock;
  readonly outages: Pick<Outages, 'storageFails' | 'storageWorks'>;
  /** Asked when it is about to be committed; one that is not is dropped in silence. */
  readonly isInForce: (item: Item) => boolean;
  /** It is on disk, or holds nothing that has to be. */
  readonly onCommitted: (item: Item) => void;
}

/** `dropped`: it was not in force any more. `rejected`: the storage answered with an error. */
export type CommitEnd = 'kept' | 'superseded' | 'rejected' | 'dropped';

export interface Batch<Item> {
  /** Resolves with what became of the item; never rejects. */
  add(item: Item): Promise<CommitEnd>;
}

export function createBatch<Item extends { readonly decision: Decision }>(options: BatchOptions<Item>): Batch<Item> {
  const { store, clock, outages, isInForce, onCommitted } = options;
  let ready: { readonly item: Item; readonly done: (end: CommitEnd) => void }[] = [];

  async function commitReady(): Promise<void> {
    const all = ready;
    ready = [];
    const items = all.map(({ item }) => item).filter(isInForce);
    const ends = new Map<Item, CommitEnd>(items.map((item) => [item, 'kept']));
    const written = items.filter(({ decision }) => isWritten(decision));
    for (const [item, end] of await commitAll(written)) ends.set(item, end);
    for (const [item, end] of ends) if (end === 'kept') onCommitted(item);
    for (const { item, done } of all) done(ends.get(item) ?? 'dropped');
  }

  /** Together; and when that fails, one by one, so that none is held up by another. */
  async function commitAll(items: readonly Item[]): Promise<readonly (readonly [Item, CommitEnd])[]> {
    if (items.length === 0) return [];
    const startedAt = clock.now();
    try {
      const ends = await store.commit(
        items.map(({ decision }) => decision),
        startedAt,
      );
      outages.storageWorks();
      return items.map((item, i) => [item, ends[i] ?? 'rejected']);
    } catch (error) {
      // Nothing was changed here, and hardly in the store: the next poll reads the memory and decides the same.
      // One that is slow to refuse is held by another program: it would keep everything waiting again for each of them.
      const isLast = items.length === 1 || clock.now() - startedAt >= SLOW_MS;
      if (isLast) outages.storageFails(error);
      if (isLast) return items.map((item) => [item, 'rejected']);
      return (await Promise.all(items.map((item) => commitAll([item])))).flat();
    }
  }

  return {
    add(item) {
      const { promise, resolve } = Promise.withResolvers<CommitEnd>();
      const isFirst = ready.push({ item, done: resolve }) === 1;
      if (isFirst) void nextTurn().then(commitReady);
      return promise;
    },
  };
}

const SLOW_MS = 1000;

/** Of another decision nothing goes to disk but, later, until when it looked. */
export function isWritten({ hasChanged, deliveries }: Decision): boolean {
  return hasChanged || deliveries.length > 0;
}
