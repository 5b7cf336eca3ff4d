// A field that rules read disappears from an explorer's answers, as after an upgrade.
import { describe, expect, test } from '@jest/globals';
import { createWorld, type World } from '../support/world.ts';

const TOKEN = `
watches:
  - id: our-token
    kind: token
    token: ACME
    every: 1m
    alerts:
      - { id: flagged, while: reputation == "scam" }
`;

/** The state of the watch's data after each of so many polls, which say nothing. */
async function statesAfter(world: World, polls: number): Promise<(string | undefined)[]> {
  const states: (string | undefined)[] = [];
  for (let i = 0; i < polls; i += 1) {
    expect(await world.poll()).toEqual([]);
    states.push(world.decisions[0]?.memory.data?.state);
  }
  return states;
}

const GONE_IN_THREE = ['ok', 'ok', 'blind-field', 'blind-field'];

test('a rule is not blind in silence: the third poll without its field says so, and the alert stays as it was', async () => {
  await using world = await createWorld(TOKEN);
  await world.poll();
  world.sandbox.flagToken({ token: 'ACME' });
  expect(await world.poll()).toEqual(['flagged firing']);
  world.replicas.use({ without: 'reputation' });
  expect(await statesAfter(world, 4)).toEqual(GONE_IN_THREE);
  expect(world.decisions[0]?.reasons).toContainEqual({
    type: 'note',
    text: 'reputation is in no row of the answers any more: conditions that read it are unknown',
  });
  world.sandbox.flagToken({ token: 'ACME', reputation: 'ok' });
  expect(await statesAfter(world, 1)).toEqual(['blind-field']);
  world.replicas.use({});
  expect(await world.poll()).toEqual(['flagged resolved']);
  expect(world.decisions[0]?.memory.data?.state).toBe('ok');
});

test('a condition that asks whether the field is known does not end by its absence, not even in the first poll', async () => {
  await using world = await createWorld(TOKEN.replace('reputation == "scam"', 'has(reputation)'));
  expect(await world.poll()).toEqual(['flagged firing']);
  world.replicas.use({ without: 'reputation' });
  expect(await statesAfter(world, 4)).toEqual(GONE_IN_THREE);
});

test('a restart does not forget that the field came before', async () => {
  await using world = await createWorld(TOKEN);
  await world.poll();
  await world.restart();
  world.replicas.use({ without: 'reputation' });
  expect(await statesAfter(world, 2)).toEqual(['ok', 'ok']);
  await world.restart();
  expect(await statesAfter(world, 2)).toEqual(['blind-field', 'blind-field']);
});

test('a field that this explorer never sent is none that disappeared', async () => {
  await using world = await createWorld(TOKEN);
  world.replicas.use({ without: 'reputation' });
  expect(await statesAfter(world, 5)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
});

test('a field without a value has not disappeared', async () => {
  await using world = await createWorld(TOKEN);
  await world.poll();
  for (let i = 0; i < 4; i += 1) {
    world.sandbox.fail({ fault: 'nulls' });
    expect(await statesAfter(world, 1)).toEqual(['ok']);
  }
});

test('a field that no condition reads may disappear', async () => {
  await using world = await createWorld(TOKEN);
  await world.poll();
  world.replicas.use({ without: 'holders_count' });
  expect(await statesAfter(world, 4)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test('polls that are missed in between neither count nor begin anew', async () => {
  await using world = await createWorld(TOKEN);
  await world.poll();
  world.replicas.use({ without: 'reputation' });
  expect(await statesAfter(world, 2)).toEqual(['ok', 'ok']);
  world.sandbox.fail({ fault: 'blocked' });
  expect(await statesAfter(world, 1)).toEqual(['error']);
  expect(await statesAfter(world, 1)).toEqual(['blind-field']);
});

describe('of each kind', () => {
  const rule = (keys: string): string => `watches: [{ id: it, every: 1m, ${keys} }]`;

  test.each([
    ['coins', 'kind: balance, of: treasury, alerts: [{ id: low, while: balance < 1 }]', 'coin_balance'],
    ['a token held', 'kind: balance, of: treasury, token: USDC, alerts: [{ id: low, while: balance < 1 }]', 'value'],
    [
      'its decimals',
      'kind: balance, of: treasury, token: USDC, alerts: [{ id: low, while: decimals < 1 }]',
      'decimals',
    ],
    [
      'holdings',
      'kind: holdings, of: treasury, alerts: [{ id: bad, on: added, if: token.reputation == "scam" }]',
      'reputation',
    ],
    ['changed holdings', 'kind: holdings, of: treasury, alerts: [{ id: moved, on: changed }]', 'value'],
    ['the age of blocks', 'kind: blocks, alerts: [{ id: old, while: age > duration("9h") }]', 'timestamp'],
    [
      'the head',
      'kind: blocks, alerts: [{ id: full, while: head.gas_used_percentage > 100.0 }]',
      'gas_used_percentage',
    ],
    ['blocks', 'kind: blocks, alerts: [{ id: full, on: new, if: gas_used_percentage > 100.0 }]', 'gas_used_percentage'],
    [
      'calls',
      'kind: internal-transactions, of: vault, alerts: [{ id: bad, on: new, if: success == false }]',
      'success',
    ],
    [
      'counted calls',
      'kind: internal-transactions, of: vault, alerts: [{ id: many, on: new, per: call.type, at_least: { count: 9, within: 1h } }]',
      'type',
    ],
    ['transactions', 'kind: transactions, alerts: [{ id: bad, on: new, if: fee.value > 1000000.0 }]', 'fee'],
    [
      'what is in a part of them',
      'kind: transactions, alerts: [{ id: bad, on: new, if: fee.value > 1000000.0 }]',
      'value',
    ],
  ])('%s: a field that is gone is noticed', async (_name, keys, without) => {
    await using world = await createWorld(rule(keys), { isLively: true });
    await world.poll();
    await world.poll();
    expect(world.decisions[0]?.memory.data?.state).toBe('ok');
    world.replicas.use({ without });
    const states: (string | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) {
      world.sandbox.mine();
      await world.poll();
      states.push(world.decisions[0]?.memory.data?.state);
    }
    expect(states).toEqual(GONE_IN_THREE);
  });

  test('an empty list says nothing of its fields', async () => {
    await using world = await createWorld(
      rule('kind: internal-transactions, of: vault, alerts: [{ id: bad, on: new, if: success == false }]'),
    );
    world.sandbox.failCall({ to: 'vault' });
    await world.poll();
    expect(world.decisions[0]?.memory.data?.fields).toEqual({ success: 0 });
    for (let i = 0; i < 4; i += 1) {
      world.sandbox.fail({ fault: 'empty-list' });
      await statesAfter(world, 1);
    }
    expect(world.decisions[0]?.memory.data?.fields).toEqual({ success: 0 });
  });
});
