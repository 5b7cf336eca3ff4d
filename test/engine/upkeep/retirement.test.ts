import { expect, test } from '@jest/globals';
import { NOBODY_TOLD } from '../../../src/engine/sending/unrecorded.ts';
import { createRetirement } from '../../../src/engine/upkeep/retirement.ts';
import { createMutex } from '../../../src/lib/clock.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import { adopt } from '../../support/engine/adopt.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { aPoller } from '../../support/engine/poller.ts';
import { wordsOf } from '../../support/engine/run-polls.ts';
import { loadWatches, takeAll } from '../../support/world.ts';
import { fenceOf, ownershipOf } from '../../support/store/fences.ts';

const [watches, others] = ['coins', 'others'].map((id) =>
  loadWatches(`
watches:
  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }
`),
) as [ReturnType<typeof loadWatches>, ReturnType<typeof loadWatches>];

/** A watch that fires, over a storage that can be told to refuse. */
async function aFiringWatch(mayRetire = () => true) {
  const inner = createMemoryStore();
  const refused = new Set<'commit' | 'forget' | 'remembered'>();
  const check = (method: 'commit' | 'forget' | 'remembered'): void => {
    if (refused.has(method)) throw new StorageError(`${method} refused`);
  };
  const store: Store = {
    ...inner,
    async commit(...args) {
      check('commit');
      return inner.commit(...args);
    },
    async forget(...args) {
      check('forget');
      return inner.forget(...args);
    },
    async remembered() {
      check('remembered');
      return inner.remembered();
    },
  };
  const { clock, log, poller } = aPoller({ store });
  await adopt(poller, watches);
  await poller.poll(watches, new AbortController().signal);
  const changing = createMutex();
  const retirement = createRetirement({
    store,
    ownership: { ...ownershipOf(store), mayRetire },
    clock,
    log,
    isAdopted: (id) => poller.watches().some((watch) => watch.id === id),
    isOpen: (channel) => channel === 'ops',
    exclusively: (work) => changing.hold(work),
    unkept: poller.unkept,
    unrecorded: NOBODY_TOLD,
    onTransitions: () => undefined,
  });
  const stop = new AbortController();
  /** Runs until the test is over. */
  const retires = (): AsyncDisposable => {
    const running = retirement.run(stop.signal);
    return {
      async [Symbol.asyncDispose]() {
        stop.abort();
        await running;
      },
    };
  };
  const said = async () => (await takeAll(store, clock)).map(({ members: [{ message }] }) => wordsOf(message));
  expect(await said()).toEqual(['low firing']);
  return { clock, log, store, refused, poller, retirement, retires, changing, said };
}

test.each(['commit', 'forget', 'remembered'] as const)(
  'an alert of a removed watch is resolved once, however long the storage refuses to %s',
  async (method) => {
    const { clock, log, store, refused, poller, retirement, retires, said } = await aFiringWatch();
    await using _running = retires();
    await clock.advance(1000);
    expect([await said(), log.lines]).toEqual([[], []]);

    refused.add(method);
    await adopt(poller, others);
    retirement.wake();
    await clock.advance(600_000);
    expect(log.lines).toEqual(['warn watch:not-retired']);
    refused.clear();
    await clock.advance(60_000);
    expect(await said()).toEqual(['low resolved']);
    expect(await store.remembered()).toEqual([]);
    expect(log.lines).toEqual(['warn watch:not-retired', 'info watch:retired']);
    await clock.advance(7_200_000);
    expect(await said()).toEqual([]);
  },
);

test('a watch that is put back before it was retired goes on: nothing is resolved, and nothing fires again', async () => {
  const { clock, refused, poller, retires, said } = await aFiringWatch();
  refused.add('commit');
  await adopt(poller, others);
  await using _running = retires();
  await clock.advance(5000);
  await adopt(poller, watches);
  refused.clear();
  await clock.advance(600_000);
  await poller.poll(watches, new AbortController().signal);
  expect(await said()).toEqual([]);
});

test('nothing is retired while a reload is under way', async () => {
  const { clock, poller, retires, changing, said } = await aFiringWatch();
  await adopt(poller, others);
  const release = await changing.acquire();
  await using _running = retires();
  await clock.advance(60_000);
  expect(await said()).toEqual([]);
  await adopt(poller, watches);
  release();
  await clock.advance(60_000);
  expect(await said()).toEqual([]);
});

test('a channel that is not open names nobody, once all replicas agree on that', async () => {
  let isAgreed = false;
  const { clock, store, retires } = await aFiringWatch(() => isAgreed);
  const fence = fenceOf(store, 'service:dispatch');
  await store.keepRecipients('ops', ['ops'], fence);
  await store.keepRecipients('removed', ['removed'], fence);
  await using _running = retires();
  await clock.advance(60_000);
  expect(await store.namingChannels()).toEqual(['ops', 'removed']);
  isAgreed = true;
  await clock.advance(10_000);
  expect(await store.namingChannels()).toEqual(['ops']);
});
