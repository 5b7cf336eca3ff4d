import { expect, test } from '@jest/globals';
import { holdings } from '../../src/watches/holdings.ts';
import { HoldingsState } from '../../src/watches/holdings/state.ts';
import { createWorld } from '../support/world.ts';

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
  // Two readings a poll: what is missing is looked for once more.
  world.sandbox.fail({ fault: 'empty-list', operation: 'address-tokens', times: 4 });
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
