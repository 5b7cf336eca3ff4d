import { expect, test } from '@jest/globals';
import { createWorld } from '../support/world.ts';

const RULES = `
watches:
  - id: head
    kind: blocks
    every: 1m
    alerts:
      - { id: stalled, while: 'age > duration("5m")' }
      - { id: reorg, on: reorg, if: depth > 1 }
      - { id: block, on: new }
`;

test('each new block is told once, however many came between two polls', async () => {
  await using world = await createWorld(RULES);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine({ blocks: 120 });
  expect((await world.poll()).filter((said) => said === 'block event')).toHaveLength(120);
  expect((await world.poll()).filter((said) => said === 'block event')).toEqual([]);
});

test('a reorganisation is one event, with its depth; the blocks that took the places are new', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.mine({ blocks: 3 });
  await world.poll();
  world.sandbox.reorganise({ blocks: 2 });
  expect(await world.poll()).toEqual(['reorg event', 'block event', 'block event']);
  expect(world.messages[0]?.fields['depth']).toBe(2);
});

test('those that were told and are gone are retracted, once a second reading shows that too', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.mine({ blocks: 3 });
  await world.poll();
  world.sandbox.reorganise({ blocks: 2 });
  await world.poll();
  expect(await world.poll()).toEqual(['block retracted', 'block retracted']);
  expect(world.messages.map(({ seq, reason }) => [seq, reason])).toEqual(Array(2).fill([2, 'not found any more']));
  expect(await world.poll()).toEqual([]);
});

test('a head that stands still fires; a chain that moves on resolves', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.mine();
  const said: string[] = [];
  for (let minute = 0; minute < 8; minute += 1) said.push(...(await world.poll()));
  expect(said).toEqual(['stalled firing']);
  world.sandbox.mine();
  expect(await world.poll()).toContain('stalled resolved');
});

test('an explorer that does not answer is not a stalled chain', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.mine();
  await world.poll();
  const said: string[] = [];
  for (let minute = 0; minute < 8; minute += 1) {
    world.sandbox.fail({ fault: 'html' });
    said.push(...(await world.poll()));
  }
  expect(said).toEqual([]);
});

test('more than the pages allow is said, with the blocks that were not examined', async () => {
  const rules = RULES.replace('every: 1m', 'every: 1m\n    max_pages: 2');
  await using world = await createWorld(rules);
  await world.poll();
  world.sandbox.mine({ blocks: 150 });
  expect((await world.poll()).filter((said) => said === 'block event')).toHaveLength(100);
  expect((await world.poll()).filter((said) => said === 'block event')).toEqual([]);
});

test('a list without any block is no chain: nothing begins with it, and nothing is taken back', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.fail({ fault: 'empty-list', operation: 'blocks', times: 1 });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine({ blocks: 2 });
  expect(await world.poll()).toEqual(['block event', 'block event']);
  world.sandbox.fail({ fault: 'empty-list', operation: 'blocks', times: 4 });
  const said: string[] = [];
  for (let minute = 0; minute < 4; minute += 1) said.push(...(await world.poll()));
  expect(said).toEqual([]);
  const note = 'no block in the list: the explorer is not ready';
  expect(world.decisions[0]?.reasons).toContainEqual({ type: 'note', text: note });
});
