import { describe, expect, test } from '@jest/globals';
import { createWorld, polls } from '../support/world.ts';

const RULES = `
watches:
  - id: vault-transactions
    kind: transactions
    of: vault
    every: 1m
    alerts:
      - { id: failed, on: new, if: status == "error" }
      - { id: large, on: new, if: value > 100 && to == vault }
      - { id: mined, on: mined, if: status == "ok" }
`;

test('a failed transaction and a large one are told once each', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ status: 'error', reason: 'paused' });
  world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
  world.sandbox.addTransaction({ value: 100n * 10n ** 18n });
  expect((await world.poll()).toSorted()).toEqual(['failed event', 'large event']);
  expect(await world.poll()).toEqual([]);
});

test('one that waits stays undecided until it is mined, and is then told', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.addTransaction({ status: 'pending', minedAfter: 2 });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine({ blocks: 2 });
  expect(await world.poll()).toEqual(['mined event']);
  expect(await world.poll()).toEqual([]);
});

test('without `of` the whole chain is watched', async () => {
  const rules = `watches: [{ id: all, kind: transactions, every: 1m, alerts: [{ id: any, on: new }] }]`;
  await using world = await createWorld(rules);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ from: world.sandbox.addresses.collector, to: world.sandbox.addresses.hot_wallet });
  expect(await world.poll()).toEqual(['any event']);
});

test('confirmations are counted from the head, which is asked for once in an interval', async () => {
  await using world = await createWorld(`
watches:
  - { id: deep, kind: transactions, of: vault, every: 1m, alerts: [{ id: large, on: new, if: value > 100, confirmations: 3 }] }
`);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine({ blocks: 2 });
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  expect(await world.poll()).toEqual(['large event']);
  expect(await world.poll()).toEqual([]);
});

const LARGE_IN_DOLLARS = `
watches:
  - { id: sums, kind: transactions, of: vault, every: 1m, alerts: [{ id: large, on: new, if: value_usd > 100_000 }] }
`;
const SENT = { value: 50n * 10n ** 18n };
const SAID = 'vault received 50 coin, $117,284, above $100,000';

describe('a value in dollars', () => {
  test('waits for its first price, also over a restart, and keeps that one', async () => {
    await using world = await createWorld(LARGE_IN_DOLLARS);
    await world.poll();
    world.sandbox.mine();
    world.sandbox.setPrice({ price: null });
    world.sandbox.addTransaction(SENT);
    world.sandbox.addTransaction({ value: 0n });
    expect(await world.poll()).toEqual([]);
    await world.restart();
    expect(await world.poll()).toEqual([]);
    world.sandbox.setPrice({ price: '2345.67' });
    expect(await world.poll()).toEqual(['large event']);
    world.sandbox.setPrice({ price: '1' });
    expect(await world.poll()).toEqual([]);
  });

  test('that is told after its confirmations has the price of its first match', async () => {
    await using world = await createWorld(LARGE_IN_DOLLARS.replace('100_000', '100_000, confirmations: 3'));
    await world.poll();
    world.sandbox.mine();
    world.sandbox.addTransaction(SENT);
    expect(await world.poll()).toEqual([]);
    world.sandbox.setPrice({ price: '1' });
    await world.restart();
    world.sandbox.mine({ blocks: 3 });
    expect(await world.poll()).toEqual(['large event']);
    const [message] = world.messages;
    expect(message?.title).toBe(SAID);
    expect(message?.lines.flat()).toContainEqual({ text: 'Price $2,345.67 as the explorer shows it.' });
    expect(message?.fields).toMatchObject({ exchange_rate: { text: '2345.67' }, value_usd: { text: '117283.5' } });
  });

  test('neither corrects nor retracts what was told when the price falls; a reorganisation does', async () => {
    await using world = await createWorld(LARGE_IN_DOLLARS);
    world.sandbox.addTransaction({});
    world.sandbox.mine();
    await world.poll();
    world.sandbox.mine();
    const { hash } = world.sandbox.addTransaction(SENT);
    expect(await world.poll()).toEqual(['large event']);
    world.sandbox.setPrice({ price: '1' });
    expect(await world.poll()).toEqual([]);
    world.sandbox.changeTransaction({ hash, reason: 'paused' });
    expect(await world.poll()).toEqual(['large corrected']);
    expect(world.messages[0]?.fields).toMatchObject({ value_usd: { text: '117283.5' } });
    world.sandbox.mine({ blocks: 2 });
    world.sandbox.addTransaction({});
    await world.poll();
    world.sandbox.reorganise({ blocks: 4, transactions: 'dropped' });
    expect(await polls(world, 4)).toEqual(['large retracted']);
  });

  test('a rule that begins to read dollars judges no known transaction', async () => {
    await using world = await createWorld(LARGE_IN_DOLLARS.replace('value_usd > 100_000', 'value > 1_000'));
    await world.poll();
    world.sandbox.mine();
    world.sandbox.addTransaction(SENT);
    expect(await world.poll()).toEqual([]);
    await world.load(LARGE_IN_DOLLARS);
    expect(await world.poll()).toEqual([]);
    world.sandbox.mine();
    world.sandbox.addTransaction(SENT);
    expect(await world.poll()).toEqual(['large event']);
  });
});

test('one that a reorganisation took out after it was told is retracted', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.addTransaction({});
  world.sandbox.mine();
  await world.poll();
  world.sandbox.mine();
  world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
  expect(await world.poll()).toEqual(['large event']);
  world.sandbox.mine({ blocks: 2 });
  world.sandbox.addTransaction({});
  await world.poll();
  world.sandbox.reorganise({ blocks: 4, transactions: 'dropped' });
  expect(await polls(world, 4)).toEqual(['large retracted']);
});

test('`start` tells what happened from a block on, before anyone watched; nothing from before it', async () => {
  const rules = (start: number): string =>
    `watches: [{ id: all, kind: transactions, of: vault, every: 1m, start: ${start}, alerts: [{ id: large, on: new, if: value > 100 }] }]`;
  await using world = await createWorld(rules(1));
  world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
  world.sandbox.mine();
  const start = world.sandbox.head();
  for (let i = 0; i < 60; i += 1) world.sandbox.addTransaction({ value: 102n * 10n ** 18n });
  await world.load(rules(start));
  expect(await world.poll()).toHaveLength(60);
  expect(await world.poll()).toEqual([]);
  await world.restart();
  expect(await world.poll()).toEqual([]);
});
