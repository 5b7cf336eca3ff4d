// Two replicas over one store: who polls what, and on which memory.
import { expect, test } from '@jest/globals';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { adopt } from '../../support/engine/adopt.ts';
import {
  createShards,
  EXPLORER_SHARD,
  type MovingOwnership,
  type Shards,
} from '../../support/engine/moving-ownership.ts';
import { aPoller } from '../../support/engine/poller.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { loadWatches } from '../../support/world.ts';

const watches: readonly Watch[] = loadWatches(`
watches:
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }
`);
const { signal } = new AbortController();
const ENOUGH = '5000000000000000000';
const LITTLE = '5';

interface Replica extends ReturnType<typeof aPoller> {
  readonly ownership: MovingOwnership;
  readonly poll: () => Promise<void>;
}

function aReplica(shards: Shards, store: ReturnType<typeof createMemoryStore>, name: string): Replica {
  const ownership = shards.replica(name);
  const parts = aPoller({ store: shards.guard(store), ownership });
  const { poller } = parts;
  // As the runtime does.
  ownership.follow({
    claimed: () => adopt(poller, watches),
    releasing: (shard) => poller.release(shard),
    lost: (shard) => {
      poller.drop(shard);
    },
  });
  return { ...parts, ownership, poll: () => poller.poll(watches, signal) };
}

function twoReplicas() {
  const shards = createShards();
  const store = createMemoryStore();
  const versions = async (): Promise<number[]> => [...(await store.recall()).values()].map(({ version }) => version);
  return { store, versions, one: aReplica(shards, store, 'one'), other: aReplica(shards, store, 'other') };
}

test('a replica polls only the shards that it holds', async () => {
  const { one, other } = twoReplicas();
  await adopt(one.poller, watches);
  await one.poll();
  expect(one.seen.asked).toBe(0);
  expect(one.poller.watches()).toEqual([]);

  await one.ownership.claim(EXPLORER_SHARD);
  await one.poll();
  await other.poll();
  expect([one.seen.asked, other.seen.asked]).toEqual([1, 0]);
  expect(one.poller.watches()).toEqual(watches);

  // Before its end nothing leaves any more, so that the next holder does not ask beside it.
  one.ownership.endLease(EXPLORER_SHARD);
  await one.poll();
  expect(one.seen.asked).toBe(1);
});

test('a watch of once an hour was due while the database was away, and was not looked at for another hour', async () => {
  const { one } = twoReplicas();
  await one.ownership.claim(EXPLORER_SHARD);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  one.gate.open = promise;
  const polling = one.poll();
  one.ownership.endLease(EXPLORER_SHARD);
  resolve(undefined);
  await polling;
  // Neither the answer that came too late nor the next tick has an effect: the scheduler is told of both.
  expect([one.seen.asked, one.seen.transitions, one.seen.leaseEnded]).toEqual([1, 0, 1]);
  await one.poll();
  expect([one.seen.asked, one.seen.transitions, one.seen.leaseEnded]).toEqual([1, 0, 2]);

  // A shard that is not held any more is polled for by its next holder.
  one.ownership.lost(EXPLORER_SHARD);
  await one.poll();
  expect(one.seen.leaseEnded).toBe(2);
});

test('sends no alert twice after a replica stops: the next one reads its memory', async () => {
  const { one, other, store, versions } = twoReplicas();
  one.seen.wei = ENOUGH;
  await one.ownership.claim(EXPLORER_SHARD);
  await one.poll();
  await one.clock.advance(60_000);
  await one.poll();
  await one.ownership.release(EXPLORER_SHARD);
  expect(one.poller.watches()).toEqual([]);

  // What its last poll covered was written down before it was given back.
  const kept = [...(await store.recall()).values()][0];
  expect(kept?.coveredUntil).toBe(one.clock.now());

  await other.clock.advance(120_000);
  await other.ownership.claim(EXPLORER_SHARD);
  other.seen.wei = LITTLE;
  await other.poll();
  expect(other.seen.transitions).toBe(1);
  expect(await versions()).toEqual([2]);

  // Back with the first: it reads what the other learned, and has nothing to tell.
  await other.ownership.release(EXPLORER_SHARD);
  await one.clock.advance(120_000);
  await one.ownership.claim(EXPLORER_SHARD);
  one.seen.wei = LITTLE;
  await one.poll();
  expect([one.seen.transitions, one.seen.recalled, one.seen.polled]).toEqual([0, [], [true, false, false]]);
  expect(await versions()).toEqual([2]);
});

test('a process that had been stopped for a minute woke: nothing that it decides is kept, and it forgets what it knew', async () => {
  const { one, other, versions, store } = twoReplicas();
  await one.ownership.claim(EXPLORER_SHARD);
  await one.poll();
  await other.ownership.claim(EXPLORER_SHARD);
  other.seen.wei = '7';
  await other.clock.advance(60_000);
  await other.poll();
  const after = await versions();
  expect(after).toEqual([2]);

  // It does not know yet that its shard was taken, and polls once more.
  one.seen.wei = '8';
  await one.clock.advance(120_000);
  await one.poll();
  expect(await versions()).toEqual(after);
  expect(one.poller.watches()).toEqual([]);
  expect(one.seen.transitions).toBe(1);
  expect(one.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  await one.poll();
  expect(one.seen.asked).toBe(2);

  const held = [...(await store.recall()).values()][0];
  await one.ownership.claim(EXPLORER_SHARD);
  expect(one.poller.readings.memoryOf(watches[0]?.id ?? '')).toEqual(held);
});

test('a poll that was under way when its shard was given back has no effect, and the next holder polls for it', async () => {
  const { one, other, versions } = twoReplicas();
  await one.ownership.claim(EXPLORER_SHARD);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  one.gate.open = promise;
  const polling = one.poll();
  await one.ownership.release(EXPLORER_SHARD);
  await other.ownership.claim(EXPLORER_SHARD);
  await other.poll();
  resolve(undefined);
  await polling;
  expect([one.seen.transitions, other.seen.transitions, await versions()]).toEqual([0, 1, [1]]);
});

test('a shard that was lost and claimed again while a reload read its memories: what was read before the claim is not used', async () => {
  const { one, other } = twoReplicas();
  await one.ownership.claim(EXPLORER_SHARD);
  await one.poll();
  one.ownership.lost(EXPLORER_SHARD);
  await one.ownership.claim(EXPLORER_SHARD);
  const reload = await one.poller.prepare(watches);

  one.ownership.lost(EXPLORER_SHARD);
  await other.ownership.claim(EXPLORER_SHARD);
  other.seen.wei = '7';
  await other.clock.advance(60_000);
  await other.poll();
  reload.commit();
  expect(one.poller.watches()).toEqual([]);
});
