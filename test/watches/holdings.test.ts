import { describe, expect, test } from '@jest/globals';
import { holdings } from '../../src/watches/holdings.ts';
import { isConfirmed } from '../../src/watches/holdings/missing.ts';
import { HoldingsState } from '../../src/watches/holdings/state.ts';
import { createWorld, polls, type World } from '../support/world.ts';

const RULES = `
watches:
  - id: treasury-tokens
    kind: holdings
    of: treasury
    every: 1m
    alerts:
      - { id: scam-arrived, on: added, if: 'token.reputation == "scam"' }
      - { id: turned-scam, on: changed, if: 'token.reputation == "scam"' }
      - { id: any-change, on: changed }
      - { id: gone, on: removed }
`;

test('what was there at the first poll is a baseline; a scam token that arrives is told once', async () => {
  await using world = await createWorld(RULES);
  expect(await world.poll()).toEqual([]);
  world.sandbox.giveToken({ address: 'treasury', name: 'Fine', reputation: 'ok' });
  world.sandbox.giveToken({ address: 'treasury', name: 'Bad', reputation: 'scam' });
  expect(await world.poll()).toEqual(['scam-arrived event']);
  expect(await world.poll()).toEqual([]);
});

test('scam tokens that were sent to an account are counted', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  const scams = (): number | undefined => holdings.scams?.(HoldingsState.parse(world.decisions.at(-1)?.memory.state));
  expect(scams()).toBe(0);
  world.sandbox.giveToken({ address: 'treasury', name: 'Fine', reputation: 'ok' });
  for (const name of ['Free', 'Gift']) world.sandbox.giveToken({ address: 'treasury', name, reputation: 'scam' });
  await world.poll();
  expect(scams()).toBe(2);
});

test('a held token that turns scam is told, and again after it was fine in between', async () => {
  await using world = await createWorld(RULES);
  const { token } = world.sandbox.giveToken({ address: 'treasury', value: 5 });
  await world.poll();
  world.sandbox.flagToken({ token });
  expect(await world.poll()).toEqual(['turned-scam event']);
  expect(await world.poll()).toEqual([]);
  world.sandbox.flagToken({ token, reputation: 'ok' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.flagToken({ token });
  expect(await world.poll()).toEqual(['turned-scam event']);
});

test('a token that is gone is told once, with its name from memory; its second arrival is news', async () => {
  await using world = await createWorld(RULES);
  const { token } = world.sandbox.giveToken({ address: 'treasury', value: 5, symbol: 'BYE', reputation: 'scam' });
  await world.poll();
  world.sandbox.setBalance({ address: 'treasury', token, value: 0 });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual(['gone event']);
  expect(world.messages[0]?.fields).toMatchObject({ token: { record: { symbol: { untrusted: 'BYE' } } } });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setBalance({ address: 'treasury', token, value: 7 });
  expect(await world.poll()).toEqual(['scam-arrived event']);
});

test('a balance that moves is a change, with the value before', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 5_000_001 });
  await world.poll();
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 6_500_000 });
  expect(await world.poll()).toEqual(['any-change event']);
  const [message] = world.messages;
  expect([message?.before['balance'], message?.fields['balance']]).toEqual([{ text: '5.000001' }, { text: '6.5' }]);
});

test('an empty list after a full one is believed at the third poll only', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.giveToken({ address: 'treasury' });
  await world.poll();
  world.sandbox.fail({ fault: 'empty-list', operation: 'address-tokens', times: 2 });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
});

test('answers that fail say nothing, and take nothing away', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.giveToken({ address: 'treasury', reputation: 'scam' });
  await world.poll();
  for (const fault of ['html', 'no-items', 'array', 'truncated', 'unauthorized'] as const) {
    world.sandbox.fail({ fault });
    expect(await world.poll()).toEqual([]);
  }
});

describe('a token that is missing', () => {
  const setBalance = (world: World, value: number): void => {
    world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value });
  };
  async function held(rules = RULES): Promise<World> {
    const world = await createWorld(rules);
    setBalance(world, 5_000_000);
    await world.poll();
    return world;
  }

  test('is gone when the next poll does not show it either, and not when that shows it', async () => {
    await using world = await held();
    for (const value of [0, 5_000_000, 0, 5_000_000]) {
      setBalance(world, value);
      expect(await world.poll()).toEqual([]);
    }
    setBalance(world, 0);
    expect(await world.poll()).toEqual([]);
    expect(world.decisions.flatMap(({ reasons }) => reasons)).toContainEqual({
      type: 'note',
      text: 'tokens missing: 1, gone if the next whole reading lacks them too',
    });
    expect(await polls(world, 3)).toEqual(['gone event']);
  });

  test('is looked for again after 20 seconds, once, where the interval is longer', async () => {
    await using world = await held(RULES.replace('1m', '1h'));
    setBalance(world, 0);
    const before = world.asked.length;
    while (world.asked.length === before) expect(await world.run(1000)).toEqual([]);
    expect(await world.run(19_000)).toEqual([]);
    expect(await world.run(2000)).toEqual(['gone event']);
    expect(await world.run(50 * 60_000)).toEqual([]);
    expect(world.asked.length - before).toBe(2);
  });

  test('and cannot be looked for again soon is gone when the next regular poll does not show it', async () => {
    await using world = await held(RULES.replace('1m', '1h'));
    setBalance(world, 0);
    const before = world.asked.length;
    while (world.asked.length === before) await world.run(1000);
    world.sandbox.fail({ fault: 'unauthorized' });
    expect(await world.run(59 * 60_000)).toEqual([]);
    world.sandbox.clearFaults();
    expect(await world.run(2 * 60_000)).toEqual(['gone event']);
  });

  test('is gone by the second poll also over a reload and a restart', async () => {
    await using world = await held();
    setBalance(world, 0);
    expect(await world.poll()).toEqual([]);
    await world.load(RULES.replace('every: 1m', 'every: 2m'));
    await world.restart();
    expect(await world.poll()).toEqual(['gone event']);
    expect(await polls(world, 2)).toEqual([]);
  });

  test('is not gone by a list of which a part did not come', async () => {
    await using world = await held(RULES.replace('every', 'max_pages: 1\n    every'));
    setBalance(world, 0);
    expect(await world.poll()).toEqual([]);
    for (let count = 0; count < 60; count += 1) world.sandbox.giveToken({ address: 'treasury', value: 1 });
    expect(await polls(world, 3)).not.toContain('gone event');
  });
});

test.each([
  ['60s', 1, false],
  ['60s', 17, false],
  ['60s', 20, true],
  ['60s', -3600, true],
  ['10s', 8, false],
  ['10s', 9.5, true],
])('polled every %s, a reading %d seconds later counts as another one: %s', (every, seconds, isAnother) => {
  const intervalMs = Number.parseInt(every) * 1000;
  const scope = { intervalMs, at: 1e12 + seconds * 1000 };
  expect(isConfirmed({ '0x1': 1e12 }, '0x1', scope)).toBe(isAnother);
});
