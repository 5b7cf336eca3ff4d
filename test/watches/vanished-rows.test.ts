// Items that a reorganisation takes away, and what is said of them while the list goes on growing.
import { expect, test } from '@jest/globals';
import { createWorld, polls } from '../support/world.ts';

const CALLS = `
watches:
  - { id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: call, on: new, if: success == false }] }
`;

test('a call that left its block is taken back, though newer ones have pushed its place off the first page', async () => {
  await using world = await createWorld(CALLS);
  world.sandbox.failCall({ to: 'vault' });
  world.sandbox.mine();
  await world.poll();
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault' });
  expect(await world.poll()).toEqual(['call event']);
  world.sandbox.mine({ blocks: 2 });
  world.sandbox.reorganise({ blocks: 3, transactions: 'dropped' });
  world.sandbox.mine();
  for (let i = 0; i < 60; i += 1) world.sandbox.failCall({ to: 'vault' });
  world.sandbox.mine();
  expect(await polls(world, 1)).not.toContain('call retracted');
  expect(await polls(world, 2)).toEqual(['call retracted']);
  expect(await polls(world, 3)).toEqual([]);
});

test('calls that left their block are taken back, though a burst takes their place beyond the pages of a poll', async () => {
  await using world = await createWorld(CALLS.replace('every: 1m,', 'every: 1m, max_pages: 4,'));
  world.sandbox.failCall({ to: 'vault' });
  world.sandbox.mine();
  await world.poll();
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault' });
  world.sandbox.failCall({ to: 'vault' });
  expect(await world.poll()).toEqual(['call event', 'call event']);
  world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
  for (let block = 0; block < 16; block += 1) {
    world.sandbox.mine();
    for (let i = 0; i < 20; i += 1) world.sandbox.failCall({ to: 'vault' });
  }
  const said = await world.run(4 * 3_600_000);
  expect(said.filter((one) => one === 'call retracted')).toHaveLength(2);
  expect(await world.run(2 * 3_600_000)).toEqual([]);
});

test('a call that left its block is taken back, though a burst is read in parts until 64 blocks lie on top', async () => {
  await using world = await createWorld(CALLS.replace('every: 1m,', 'every: 1m, max_pages: 2,'));
  world.sandbox.failCall({ to: 'vault' });
  world.sandbox.mine();
  await world.poll();
  world.sandbox.mine();
  for (let i = 0; i < 400; i += 1) world.sandbox.failCall({ to: 'vault' });
  const told = await world.poll();
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault' });
  told.push(...(await world.poll()));
  world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
  world.sandbox.mine({ blocks: 70 });
  world.sandbox.failCall({ to: 'vault' });
  told.push(...(await polls(world, 2)));
  await world.restart();
  told.push(...(await polls(world, 8)));
  expect(told.filter((one) => one === 'call event')).toHaveLength(402);
  expect(told.filter((one) => one === 'call retracted')).toHaveLength(1);
  expect(await polls(world, 3)).toEqual([]);
});

test('a transaction that left its block is taken back, though the blocks after it are empty', async () => {
  const rule = 'alerts: [{ id: large, on: new, if: value > 100 }]';
  await using world = await createWorld(`watches: [{ id: all, kind: transactions, every: 1m, ${rule} }]`);
  world.sandbox.addTransaction({ value: 1n });
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
  expect(await world.poll()).toEqual(['large event']);
  world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
  world.sandbox.mine({ blocks: 5 });
  expect(await polls(world, 4)).toEqual(['large retracted']);
  expect(await polls(world, 3)).toEqual([]);
});
