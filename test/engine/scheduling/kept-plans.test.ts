// What is known of a plan goes on with the shard of its explorers, from process to process.
import { expect, test } from '@jest/globals';
import { createShardFollower } from '../../../src/app/runtime/shard-follower.ts';
import { explorerShard } from '../../../src/engine/polling/state.ts';
import { createKeptPlans } from '../../../src/engine/scheduling/kept-plans.ts';
import { createAccount } from '../../../src/explorer/spending/account.ts';
import { createMutex } from '../../../src/lib/clock.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { createShards, EXPLORER_SHARD, type Shards } from '../../support/engine/moving-ownership.ts';
import { A_REQUEST } from '../../support/spending.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

function aReplica(name: string, { shards, store }: { shards: Shards; store: Store }) {
  const clock = createFakeClock(NOON);
  const log = createRecordingLog();
  const ownership = shards.replica(name);
  const account = createAccount({ clock, assumesPlan: false });
  account.setPlan({ credits: 100_000, per: 'day', resets: null, reservePercent: 0, enrichPercent: 2 });
  const nameIn = (salt: string): string => `plan-${salt.length}`;
  const kept = createKeptPlans({
    store: shards.guard(store),
    ownership,
    shardOf: explorerShard,
    plans: () => [{ explorers: ['chain'], account, nameIn }],
    clock,
    log,
  });
  const forgotten: string[] = [];
  const poller = {
    prepare: () => Promise.resolve({ commit: () => undefined }),
    takenOver: () => undefined,
    release: () => Promise.resolve(),
    drop: () => undefined,
    shardOf: explorerShard,
  };
  ownership.follow(
    createShardFollower({
      poller,
      keptPlans: kept,
      changing: createMutex(),
      explorers: () => ['chain'],
      watches: () => [],
      forgetExplorer: (explorer) => {
        forgotten.push(explorer);
      },
      onMoved: () => undefined,
    }),
  );
  return {
    clock,
    log,
    ownership,
    kept,
    account,
    forgotten,
    ask: (header: number) => {
      account.settle(account.leave(A_REQUEST), { isCharged: true, header });
    },
    known: () => account.facts()?.known,
  };
}

function twoReplicas() {
  const common = { shards: createShards(), store: createMemoryStore() };
  return { ...common, first: aReplica('first', common), second: aReplica('second', common) };
}

test('a replica that is given the shard has all that the one before it knew', async () => {
  const { first, second } = twoReplicas();
  await first.ownership.claim(EXPLORER_SHARD);
  first.ask(60_000);
  first.ask(59_980);
  expect(first.forgotten).toEqual([]);
  await first.ownership.release(EXPLORER_SHARD);
  // It showed its last head and credits for good, beside those of the other.
  expect(first.forgotten).toEqual(['chain']);
  await second.ownership.claim(EXPLORER_SHARD);
  expect(second.known()).toBe(59_980);
  second.ask(40_000);
  second.ask(39_980);
  expect(second.account.facts()?.counts.foreign).toBe(19_960);
  await second.ownership.release(EXPLORER_SHARD);
  await first.ownership.claim(EXPLORER_SHARD);
  expect(first.known()).toBe(39_980);
  first.ask(39_960);
  expect(first.account.facts()?.counts.foreign).toBe(0);
});

test('of one that died, what it wrote down last; the next header corrects it', async () => {
  const { first, second } = twoReplicas();
  await first.ownership.claim(EXPLORER_SHARD);
  first.ask(60_000);
  await first.kept.flush();
  first.ask(59_980);
  await second.ownership.claim(EXPLORER_SHARD);
  expect(second.known()).toBe(60_000);
  second.ask(59_960);
  expect(second.known()).toBe(59_960);
});

test('one that lost the shard writes nothing more, and reads again when it has it back', async () => {
  const { first, second, store } = twoReplicas();
  await first.ownership.claim(EXPLORER_SHARD);
  first.ask(60_000);
  await second.ownership.claim(EXPLORER_SHARD);
  second.ask(50_000);
  await second.kept.flush();
  await first.kept.flush();
  expect(first.ownership.fenceOf(EXPLORER_SHARD)).toBeNull();
  first.ask(59_980);
  await first.kept.flush();
  const { rows } = await store.plans(() => undefined);
  expect([...rows.values()].map(({ books }) => books.header)).toEqual([50_000]);
  await first.ownership.claim(EXPLORER_SHARD);
  expect(first.known()).toBe(50_000);
});

test('nothing is written where nothing changed', async () => {
  const { first, store } = twoReplicas();
  await first.ownership.claim(EXPLORER_SHARD);
  first.ask(60_000);
  await first.kept.flush();
  const before = await (await store.reader()).version();
  await first.clock.advance(60_000);
  await first.kept.flush();
  expect(await (await store.reader()).version()).toBe(before);
});
