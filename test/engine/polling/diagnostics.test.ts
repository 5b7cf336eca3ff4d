// What the poller keeps beside memory: what was last looked at, and how the rules do.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createWorld, type World } from '../../support/world.ts';

const RULES = (below: string) => `
watches:
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: ${below} }, { id: moved, on: changed }] }
  - { id: calls, kind: transactions, of: vault, every: 1m, alerts: [{ id: big, on: new, if: value > 5 }] }
`;

let world: World;
beforeEach(async () => {
  world = await createWorld(RULES('balance < 1'), { isLively: true });
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const keptOf = async (id: string) => [...(await world.store.diagnostics())].find(([key]) => key.startsWith(id))?.[1];

test('what was looked at is kept at the flush, not at the poll', async () => {
  await world.poll();
  expect((await keptOf('coins'))?.snapshot ?? null).toBeNull();
  await world.restart();
  expect((await keptOf('coins'))?.snapshot).toMatchObject({
    at: world.clock.now(),
    view: { symbol: 'coin' },
    isStale: false,
  });
  const newest = (await keptOf('calls'))?.snapshot;
  expect(newest).toMatchObject({ view: { hash: expect.stringMatching(/^0x/), timestamp: expect.any(String) } });
});

test('health is counted over a restart, and starts anew when the condition is another one', async () => {
  for (const restarts of [0, 1]) {
    await world.poll();
    expect((await keptOf('coins'))?.health['low']?.evaluations ?? 0).toBe(restarts);
    await world.restart();
  }
  expect((await keptOf('coins'))?.health['low']).toMatchObject({ evaluations: 2, trueAt: null });
  await world.load(RULES('balance > 1'));
  await world.poll();
  await world.restart();
  expect((await keptOf('coins'))?.health['low']).toMatchObject({ evaluations: 1, falseAt: null });
});

test('an event without a condition has no health, and nothing to ask is no evaluation', async () => {
  await world.poll();
  await world.restart();
  expect(Object.keys((await keptOf('coins'))?.health ?? {})).toEqual(['low']);
  expect((await keptOf('calls'))?.health['big']).toMatchObject({ evaluatedAt: null, evaluations: 0 });
});
