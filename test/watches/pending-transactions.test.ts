// A transaction that waits may be told, and never be mined: dropped by the nodes, or replaced by its own sender.
import { describe, expect, test } from '@jest/globals';
import { createWorld, pollsWithBlocks, type World } from '../support/world.ts';

const RULES = `
watches:
  - { id: large, kind: transactions, of: vault, every: 1m, alerts: [{ id: tx, on: new, if: value > 100 }] }
`;
const VALUE = 101n * 10n ** 18n;
const NONCE = 5;

/** A large transaction from the hot wallet was told while it waits. */
async function toldWhileWaiting(minedAfter: number | null): Promise<{ world: World; hash: string }> {
  const world = await createWorld(RULES);
  world.sandbox.addTransaction({});
  await pollsWithBlocks(world, 1);
  const from = world.sandbox.addresses.hot_wallet;
  const { hash } = world.sandbox.addTransaction({ from, value: VALUE, status: 'pending', minedAfter, nonce: NONCE });
  expect(await world.poll()).toEqual(['tx event']);
  return { world, hash };
}

describe('a transaction that was told while it waited', () => {
  test('and whose nonce another one took is taken back at once, though the new one is listed alone', async () => {
    const { world, hash } = await toldWhileWaiting(null);
    await using _world = world;
    world.sandbox.mine();
    world.sandbox.dropTransaction({ hash });
    world.sandbox.addTransaction({ from: world.sandbox.addresses.hot_wallet, value: 1n, nonce: NONCE });
    expect(await world.poll()).toEqual(['tx retracted']);
    expect(world.messages[0]?.reason).toBe('another one was mined in its place');
    expect(await pollsWithBlocks(world, 15)).toEqual([]);
  });

  test('and whose nonce another one took is taken back also while the explorer still lists it', async () => {
    const { world } = await toldWhileWaiting(null);
    await using _world = world;
    world.sandbox.mine();
    world.sandbox.addTransaction({ from: world.sandbox.addresses.hot_wallet, value: 1n, nonce: NONCE });
    expect(await world.poll()).toEqual(['tx retracted']);
    expect(await pollsWithBlocks(world, 15)).toEqual([]);
  });

  test('stays when somebody else uses the same nonce', async () => {
    const { world } = await toldWhileWaiting(null);
    await using _world = world;
    world.sandbox.mine();
    world.sandbox.addTransaction({ from: world.sandbox.addresses.vault, value: 1n, nonce: NONCE });
    expect(await pollsWithBlocks(world, 15)).toEqual([]);
  });

  test('and vanished is taken back after ten minutes without it, not before', async () => {
    const { world, hash } = await toldWhileWaiting(null);
    await using _world = world;
    world.sandbox.dropTransaction({ hash });
    expect(await pollsWithBlocks(world, 10)).toEqual([]);
    expect(await pollsWithBlocks(world, 1)).toEqual(['tx retracted']);
    expect(world.messages[0]?.reason).toBe('not found any more');
    expect(await pollsWithBlocks(world, 15)).toEqual([]);
  });

  test('and vanished is taken back ten minutes later also when the daemon was restarted meanwhile', async () => {
    const { world, hash } = await toldWhileWaiting(null);
    await using _world = world;
    world.sandbox.dropTransaction({ hash });
    expect(await pollsWithBlocks(world, 5)).toEqual([]);
    await world.restart();
    expect(await pollsWithBlocks(world, 6)).toEqual(['tx retracted']);
  });

  test('is not taken back while the chain stands still, nor where it cannot be seen whether it does', async () => {
    const { world, hash } = await toldWhileWaiting(null);
    await using _world = world;
    world.sandbox.dropTransaction({ hash });
    for (let i = 0; i < 15; i += 1) expect(await world.poll()).toEqual([]);
    world.sandbox.fail({ fault: 'not-found', operation: 'blocks', times: 2 });
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    expect(await pollsWithBlocks(world, 1)).toEqual(['tx retracted']);
  });

  test('and vanished is taken back also when the head could not be read for an hour after the first absence', async () => {
    const { world, hash } = await toldWhileWaiting(null);
    await using _world = world;
    world.sandbox.dropTransaction({ hash });
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    world.sandbox.fail({ fault: 'not-found', operation: 'blocks', times: 2 });
    world.sandbox.mine({ blocks: 70 });
    world.sandbox.addTransaction({});
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    expect(await pollsWithBlocks(world, 10)).toEqual(['tx retracted']);
  });

  test('is not taken back by a replica that has not heard of it, as long as another one has', async () => {
    const { world } = await toldWhileWaiting(null);
    await using _world = world;
    for (let turn = 0; turn < 20; turn += 1) {
      world.replicas.use(turn % 3 === 0 ? {} : { hidesPending: true });
      expect(await pollsWithBlocks(world, 1)).toEqual([]);
    }
  });

  test('is not taken back by a replica that is behind what was shown, though its head moves', async () => {
    const { world } = await toldWhileWaiting(null);
    await using _world = world;
    await world.load(`${RULES}  - { id: head, kind: blocks, every: 1m, alerts: [{ id: reorg, on: reorg }] }\n`);
    await pollsWithBlocks(world, 2);
    world.replicas.use({ lag: 40, hidesPending: true });
    expect(await pollsWithBlocks(world, 30)).toEqual([]);
    world.replicas.use({});
    expect(await pollsWithBlocks(world, 15)).toEqual([]);
  });

  test('is corrected when it is known how it ended', async () => {
    const { world } = await toldWhileWaiting(2);
    await using _world = world;
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    expect(await pollsWithBlocks(world, 1)).toEqual(['tx corrected']);
    const [message] = world.messages;
    expect([message?.before['status'], message?.fields['status']]).toEqual([undefined, { text: 'ok' }]);
    expect(await pollsWithBlocks(world, 15)).toEqual([]);
  });

  test('and mined long after it was taken back is said to be there after all, with how it ended', async () => {
    const { world } = await toldWhileWaiting(30);
    await using _world = world;
    world.replicas.use({ hidesPending: true });
    expect(await pollsWithBlocks(world, 20)).toEqual(['tx retracted']);
    expect(await pollsWithBlocks(world, 40)).toEqual(['tx reinstated']);
    expect(world.messages).toEqual([]);
  });
});

test('a transaction that waits and vanishes before it was deep enough to be told is not told', async () => {
  await using world = await createWorld(RULES.replace('value > 100', 'value > 100, confirmations: 3'));
  world.sandbox.addTransaction({});
  await pollsWithBlocks(world, 1);
  const { hash } = world.sandbox.addTransaction({ value: VALUE, status: 'pending', minedAfter: null });
  expect(await pollsWithBlocks(world, 2)).toEqual([]);
  world.sandbox.dropTransaction({ hash });
  expect(await pollsWithBlocks(world, 20)).toEqual([]);
});
