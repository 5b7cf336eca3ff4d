// Another chain stands behind the address of an explorer.
import { describe, expect, test } from '@jest/globals';
import { createWorld, type World } from '../../support/world.ts';

const RULES = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }
  - { id: heads, kind: blocks, every: 1m, alerts: [{ id: fork, on: reorg }] }
`;

/** So many blocks, as pages of fifty show them. */
async function mine(world: World, blocks: number): Promise<void> {
  for (let left = blocks; left > 0; left -= 40) {
    world.sandbox.mine({ blocks: Math.min(40, left) });
    await world.poll();
  }
}

/** A daemon that has seen a hundred blocks. */
async function aWorld(): Promise<World> {
  const world = await createWorld(RULES);
  await world.poll();
  await mine(world, 100);
  return world;
}

const OTHER = expect.objectContaining({ state: 'error' });

function data(world: World): unknown[] {
  return world.decisions.map(({ memory }) => memory.data);
}

test('a test net behind the address neither fires nor resolves anything, and the right chain goes on where it was', async () => {
  await using world = await aWorld();
  const memories = world.decisions.map(({ memory }) => memory.state);
  world.replicas.use({ otherChain: 90 });
  for (let i = 0; i < 5; i += 1) expect(await world.poll()).toEqual([]);
  expect(data(world)).toEqual([OTHER, OTHER]);
  expect(world.decisions.map(({ memory }) => memory.state)).toEqual(memories);
  expect(world.isOtherChain).toBe(true);
  expect(world.log.lines.filter((line) => line === 'error explorer:other-chain')).toHaveLength(1);
  world.replicas.use({});
  world.sandbox.mine();
  expect(await world.poll()).toEqual([]);
  expect(world.isOtherChain).toBe(false);
  expect(data(world)).toEqual([expect.objectContaining({ state: 'ok' }), expect.objectContaining({ state: 'ok' })]);
});

test('an address that was pointed to another chain while the daemon stood still is noticed at the first poll', async () => {
  await using world = await aWorld();
  await world.restart();
  // Its head is higher: nothing else would tell.
  world.replicas.use({ otherChain: -50 });
  expect(await world.poll()).toEqual([]);
  expect(data(world)).toEqual([OTHER, OTHER]);
  expect(world.replicas.asked.filter((path) => path.startsWith('addresses'))).toHaveLength(4);
});

test('one that was pointed to another chain whose head is higher is noticed within a day', async () => {
  await using world = await createWorld(RULES.replace(/.*heads.*\n/, ''));
  world.sandbox.mine({ blocks: 1 });
  await world.load(RULES);
  await mine(world, 100);
  await world.load(RULES.replace(/.*heads.*\n/, ''));
  world.replicas.use({ otherChain: -50 });
  await world.clock.advance(86_400_000);
  expect(await world.poll()).toEqual([]);
  expect(data(world)).toEqual([OTHER]);
});

test('an address that a reload points to another chain is noticed at the next poll', async () => {
  await using world = await aWorld();
  world.replicas.use({ otherChain: -50 });
  world.reconnect();
  expect(await world.poll()).toEqual([]);
  expect(data(world)).toEqual([OTHER, OTHER]);
});

describe('the same chain is not taken for another one', () => {
  test('after a start, and once a day', async () => {
    await using world = await aWorld();
    await world.restart();
    await world.poll();
    expect(data(world)[0]).toMatchObject({ state: 'ok' });
    const asked = world.replicas.asked.length;
    await world.poll();
    expect(world.replicas.asked.length - asked).toBe(2);
    await world.clock.advance(86_400_000);
    await world.poll();
    expect(world.replicas.asked.length - asked).toBe(5);
    expect(world.isOtherChain).toBe(false);
  });

  test('when a slower replica answers', async () => {
    await using world = await aWorld();
    world.replicas.use({ lag: 50 });
    await world.poll();
    expect(world.isOtherChain).toBe(false);
    expect(data(world)[0]).toMatchObject({ state: 'ok' });
  });

  test('when sixty blocks are replaced while the daemon stands still', async () => {
    await using world = await aWorld();
    world.sandbox.reorganise({ blocks: 60 });
    await world.restart();
    await world.poll();
    expect(world.isOtherChain).toBe(false);
    expect(data(world)[0]).toMatchObject({ state: 'ok' });
  });

  test('when the oldest block that is known was replaced unseen, and all of the newest page while the daemon stands still', async () => {
    await using world = await createWorld(RULES);
    await world.poll();
    // Nobody reads those heights again.
    world.sandbox.reorganise({ blocks: 55 });
    world.sandbox.mine({ blocks: 40 });
    world.sandbox.mine({ blocks: 40 });
    await mine(world, 80);
    world.sandbox.reorganise({ blocks: 55 });
    await world.restart();
    await world.poll();
    expect(world.isOtherChain).toBe(false);
    expect(data(world)[0]).toMatchObject({ state: 'ok' });
  });

  test('when nothing of it is known yet', async () => {
    await using world = await createWorld(RULES);
    await world.poll();
    world.replicas.use({ otherChain: 90 });
    await world.poll();
    expect(world.isOtherChain).toBe(false);
  });
});

test('a head that falls a little stays where it was, so that nothing counts fewer confirmations', async () => {
  await using world = await aWorld();
  const head = world.sandbox.head();
  world.replicas.use({ lag: 30 });
  await world.poll();
  expect(world.head()).toBe(BigInt(head));
});
