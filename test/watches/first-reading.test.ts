// What a watch finds at its first reading is no news, also where the explorer shows an empty list at first.
import { expect, test } from '@jest/globals';
import { createWorld, type World } from '../support/world.ts';

const listRules = (kind: string): string =>
  `watches: [{ id: vault-rows, kind: ${kind}, of: vault, every: 1m, alerts: [{ id: seen, on: new }] }]`;

const HOLDINGS = `
watches:
  - id: tokens
    kind: holdings
    of: treasury
    every: 1m
    alerts: [{ id: arrived, on: added }, { id: gone, on: removed }]
`;

const LISTS = [
  ['internal-transactions', (world: World) => world.sandbox.failCall({ to: 'vault' })],
  ['transactions', (world: World) => world.sandbox.addTransaction({})],
] as const;

test.each(LISTS)('an empty first answer makes no news of %s of hours ago', async (kind, add) => {
  await using world = await createWorld(listRules(kind));
  for (let i = 0; i < 120; i += 1) add(world);
  world.sandbox.fail({ fault: 'empty-list', times: 1, operation: `address-${kind}` });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  add(world);
  expect(await world.poll()).toEqual(['seen event']);
});

test.each(LISTS)('the first of the %s of an address that never had any is told', async (kind, add) => {
  await using world = await createWorld(listRules(kind));
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  add(world);
  expect(await world.poll()).toEqual(['seen event']);
  expect(await world.poll()).toEqual([]);
});

test('where the head of the chain cannot be read either, the times of the rows tell what is old', async () => {
  await using world = await createWorld(listRules('internal-transactions'));
  for (let i = 0; i < 60; i += 1) world.sandbox.failCall({ to: 'vault' });
  await world.clock.advance(60_000);
  world.sandbox.fail({ fault: 'empty-list', times: 1, operation: 'address-internal-transactions' });
  world.sandbox.fail({ fault: 'not-found', times: 1, operation: 'blocks' });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  await world.restart();
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault' });
  expect(await world.poll()).toEqual(['seen event']);
});

test('after an empty first answer a transaction that waits is told, and those that were mined are not', async () => {
  await using world = await createWorld(listRules('transactions'));
  world.sandbox.addTransaction({});
  world.sandbox.addTransaction({ status: 'pending', minedAfter: 100 });
  world.sandbox.fail({ fault: 'empty-list', times: 1, operation: 'address-transactions' });
  await world.poll();
  expect(await world.poll()).toEqual(['seen event']);
  expect(world.messages[0]?.fields['block_number']).toBeUndefined();
});

test('an empty first answer makes no news of tokens that an address has held for long', async () => {
  await using world = await createWorld(HOLDINGS);
  for (let i = 0; i < 9; i += 1) world.sandbox.giveToken({ address: 'treasury', name: `Token ${i}` });
  world.sandbox.fail({ fault: 'empty-list', times: 2, operation: 'address-tokens' });
  for (let poll = 0; poll < 4; poll += 1) expect(await world.poll()).toEqual([]);
  world.sandbox.giveToken({ address: 'treasury', name: 'New' });
  expect(await world.poll()).toEqual(['arrived event']);
});

test('an address without tokens is believed to have none at the third reading; the first that arrives is told', async () => {
  await using world = await createWorld(HOLDINGS.replace('treasury', 'hot_wallet'));
  world.sandbox.fail({ fault: 'empty-list', times: 3, operation: 'address-tokens' });
  expect(await world.poll()).toEqual([]);
  await world.restart();
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  expect(await world.poll()).toEqual([]);
  const held = await world.poll();
  expect(new Set(held)).toEqual(new Set(['arrived event']));
});
