// Calls of a store as the only process that holds it makes them.
import type { Delivery, Settlement } from '../../src/core/model/delivery.ts';
import type { Decision } from '../../src/core/model/decision.ts';
import type { DeliveryId, Recipient, WatchId } from '../../src/core/model/ids.ts';
import type { RoutingRound, Owed, RoutingResult } from '../../src/dispatch/routing-round.ts';
import { sendAtOnce } from '../../src/dispatch/send-at-once.ts';
import type { Instant } from '../../src/lib/clock.ts';
import type { Claimed, CommitResult, Store } from '../../src/store/store.ts';
import { aDecision, transitionsOf } from '../store/builders.ts';

const FENCE = 'service:test';
export const LEASE_MS = 60_000;

export function commit(store: Store, decisions: readonly Decision[], at: Instant): Promise<CommitResult[]> {
  return store.commit(decisions, at, store.fenceOf(FENCE));
}

/** A poll of the watch after which exactly these deliveries are owed, whoever would be chosen. */
export async function owe(
  store: Store,
  watch: WatchId,
  deliveries: readonly Delivery[],
  at: Instant,
  changes: Parameters<typeof aDecision>[1] = {},
): Promise<CommitResult[]> {
  const ends = await commit(store, [aDecision(watch, { ...changes, transitions: transitionsOf(deliveries) })], at);
  await routeAll(store, at, ({ unrouted }) => {
    const owed = unrouted.flatMap((notification): Owed[] =>
      deliveries
        .filter(({ members: [{ message }] }) => message.key === notification.key && message.seq === notification.seq)
        .map(({ id, channel, recipient }) => ({ id, channel, recipient, notification, undeliverable: null })),
    );
    return { owed, informed: owed, cancelled: [] };
  });
  return ends;
}

/** Rounds until nothing is left to route. */
export async function routeAll(
  store: Store,
  at: Instant,
  decide: (round: RoutingRound) => RoutingResult,
): Promise<void> {
  for (;;) {
    const round = await store.readRound(100);
    if (round.unrouted.length === 0) return;
    const end = await store.commitRound(round, decide(round), at, store.fenceOf(FENCE));
    if (end === 'fenced') return;
  }
}

/** The same as the dispatcher does it, where each channel has these recipients, else its own name. */
export function dispatch(store: Store, at: Instant, recipients: readonly Recipient[] = []): Promise<void> {
  const recipientsOf = (channel: string): readonly Recipient[] => {
    const own = recipients.filter((one) => one.channel === channel);
    return own.length > 0 ? own : [{ channel, recipient: channel }];
  };
  return routeAll(store, at, (round) => sendAtOnce(round, recipientsOf));
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
