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

export interface Batch<Item> {
  /** Resolves once the item was committed, dropped or refused by the storage; never rejects. */
  add(item: Item): Promise<void>;
}

export function createBatch<Item extends { readonly decision: Decision }>(options: BatchOptions<Item>): Batch<Item> {
  const { store, clock, outages, isInForce, onCommitted } = options;
  let ready: { readonly item: Item; readonly done: () => void }[] = [];

  async function commitReady(): Promise<void> {
    const all = ready;
    ready = [];
    const items = all.map(({ item }) => item).filter(isInForce);
    const kept = new Set(await commitAll(items.filter(({ decision }) => isWritten(decision))));
    for (const item of items) if (!isWritten(item.decision) || kept.has(item)) onCommitted(item);
    for (const { done } of all) done();
  }

  /** Those that are on disk now. Together; and when that fails, one by one, so that none is held up by another. */
  async function commitAll(items: readonly Item[]): Promise<readonly Item[]> {
    if (items.length === 0) return [];
    const startedAt = clock.now();
    try {
      const ends = await store.commit(
        items.map(({ decision }) => decision),
        startedAt,
      );
      outages.storageWorks();
      return items.filter((_item, i) => ends[i] === 'kept');
    } catch (error) {
      // Nothing was changed, in the store or here: the next poll sees the same and decides the same.
      // One that is slow to refuse is held by another program: it would keep everything waiting again for each of them.
      const isLast = items.length === 1 || clock.now() - startedAt >= SLOW_MS;
      if (isLast) outages.storageFails(error);
      return isLast ? [] : (await Promise.all(items.map((item) => commitAll([item])))).flat();
    }
  }

  return {
    add(item) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const done = (): void => {
        resolve(undefined);
      };
      const isFirst = ready.push({ item, done }) === 1;
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
