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
