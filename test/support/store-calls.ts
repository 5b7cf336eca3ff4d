// Calls of a store as the only process that holds it makes them.
import type { Settlement } from '../../src/core/model/delivery.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import type { DeliveryId } from '../../src/core/model/ids.ts';
import type { Instant } from '../../src/lib/clock.ts';
import type { Claimed, CommitResult, Store } from '../../src/store/store.ts';

const FENCE = 'service:test';
export const LEASE_MS = 60_000;

export function commit(store: Store, decisions: readonly Decision[], at: Instant): Promise<CommitResult[]> {
  return store.commit(decisions, at, store.fenceOf(FENCE));
}

export function cover(store: Store, coverage: Parameters<Store['cover']>[0]): ReturnType<Store['cover']> {
  return store.cover(coverage, store.fenceOf(FENCE));
}

export function claim(store: Store, channel: string, limit: number, at: Instant): Promise<Claimed[]> {
  return store.claim({ channel, limit, at, leaseMs: LEASE_MS }, store.fenceOf(FENCE));
}

/** Ends the first try, unless another one is named. */
export function settle(
  store: Store,
  id: DeliveryId,
  settlement: Settlement,
  at: Instant,
  attempt = 1,
): ReturnType<Store['settle']> {
  return store.settle({ id, attempt }, settlement, at);
}
