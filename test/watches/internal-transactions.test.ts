import { expect, test } from '@jest/globals';
import { createWorld } from '../support/world.ts';

const RULES = `
watches:
  - id: vault-calls
    kind: internal-transactions
    of: vault
    direction: to
    every: 1m
    alerts:
      - { id: call-failed, on: new, if: success == false, text: '{{ error }}' }
`;

test('a call that fails is told once', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.failCall({ to: 'vault', reason: 'before the baseline' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault', reason: 'paused' });
  expect(await world.poll()).toEqual(['call-failed event']);
  expect(world.messages[0]?.text).toEqual([{ untrusted: 'paused' }]);
  expect(await world.poll()).toEqual([]);
});

test('calls that are traced late appear below newer ones, and are told', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.failCall({ to: 'vault' });
  await world.poll();
  world.sandbox.mine();
  world.sandbox.hideTraces({ block: world.sandbox.head() });
  const late = world.sandbox.head();
  world.sandbox.failCall({ to: 'vault', reason: 'late' });
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault', reason: 'in time' });
  expect(await world.poll()).toEqual(['call-failed event']);
  world.sandbox.hideTraces({ block: late, hidden: false });
  expect(await world.poll()).toEqual(['call-failed event']);
  expect(world.messages[0]?.text).toEqual([{ untrusted: 'late' }]);
});

test('more than a page of new calls is read page by page, oldest told first, none twice', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  for (let i = 0; i < 120; i += 1) {
    world.sandbox.mine();
    world.sandbox.failCall({ to: 'vault', reason: `number ${i}` });
  }
  const said = await world.poll();
  expect(said).toHaveLength(120);
  expect(world.messages[0]?.text).toEqual([{ untrusted: 'number 0' }]);
  expect(await world.poll()).toEqual([]);
});

test('a page that fails on the way leaves a gap that the next poll reads', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  for (let i = 0; i < 120; i += 1) {
    world.sandbox.mine();
    world.sandbox.failCall({ to: 'vault', reason: `number ${i}` });
  }
  world.sandbox.fail({ fault: 'stuck-cursor', times: 1 });
  const first = await world.poll();
  const second = await world.poll();
  const third = await world.poll();
  expect(first.length + second.length).toBe(120);
  expect(third).toEqual([]);
});

test('after a reorganisation the same call in another block is not told again', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.failCall({ to: 'vault' });
  expect(await world.poll()).toEqual(['call-failed event']);
  world.sandbox.reorganise({ blocks: 1 });
  expect(await world.poll()).toEqual([]);
});
