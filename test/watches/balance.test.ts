import { expect, test } from '@jest/globals';
import { createWorld } from '../support/world.ts';

const token = (alerts: string) => `
watches:
  - { id: usdc, kind: balance, of: treasury, token: USDC, every: 1m, alerts: [${alerts}] }
`;
const LOW = '{ id: low, while: balance < 100 }';
const MOVED = '{ id: moved, on: changed }';

test('a token below its threshold fires, and resolves with both values', async () => {
  await using world = await createWorld(token(LOW));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 100_000_000 });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 99_999_999 });
  expect(await world.poll()).toEqual(['low firing']);
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 100_000_000 });
  expect(await world.poll()).toEqual(['low resolved']);
  const [message] = world.messages;
  expect([message?.before['balance'], message?.fields['balance']]).toEqual([{ text: '99.999999' }, { text: '100' }]);
});

test('a token that is absent from a complete list has balance 0, with the decimals it had', async () => {
  await using world = await createWorld(token(`${LOW}, ${MOVED}`));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 500_000_000 });
  await world.poll();
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 0 });
  expect((await world.poll()).toSorted()).toEqual(['low firing', 'moved event']);
  expect(world.messages[0]?.fields['balance']).toEqual({ text: '0' });
  expect(world.messages[0]?.token?.decimals).toBe(6);
});

test('absent from one reading and there in the second is not zero', async () => {
  await using world = await createWorld(token(`${LOW}, ${MOVED}`));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 500_000_000 });
  await world.poll();
  world.sandbox.fail({ fault: 'empty-list', operation: 'address-tokens', times: 1 });
  expect(await world.poll()).toEqual([]);
});

test('a token never held is 0 from the start', async () => {
  await using world = await createWorld(token(LOW));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 0 });
  expect(await world.poll()).toEqual(['low firing']);
  expect(world.messages[0]?.token).toMatchObject({ decimals: 6, symbol: 'USDC' });
});

test('the native coin is read from the address, to the last wei', async () => {
  const rules = `watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: moved, on: changed }] }]`;
  await using world = await createWorld(rules);
  world.sandbox.setBalance({ address: 'treasury', value: 10n ** 24n });
  await world.poll();
  world.sandbox.setBalance({ address: 'treasury', value: 10n ** 24n + 1n });
  expect(await world.poll()).toEqual(['moved event']);
  expect(world.messages[0]?.fields['balance']).toEqual({ text: '1000000.000000000000000001' });
});

test('nulls and failures are unknown: a firing alert stays, silently', async () => {
  await using world = await createWorld(token(LOW));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 1 });
  expect(await world.poll()).toEqual(['low firing']);
  for (const fault of ['nulls', 'html', 'cut', 'unauthorized'] as const) {
    world.sandbox.fail({ fault, times: 1 });
    expect(await world.poll()).toEqual([]);
  }
  expect(await world.poll()).toEqual([]);
});

test('a restart repeats nothing and forgets nothing', async () => {
  await using world = await createWorld(token(`${LOW}, ${MOVED}`));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 5 });
  await world.poll();
  await world.restart();
  expect(await world.poll()).toEqual([]);
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 900_000_000 });
  expect((await world.poll()).toSorted()).toEqual(['low resolved', 'moved event']);
});

test('taking an address out of the rule resolves what fired there, for those who were told', async () => {
  const rules = (of: string) =>
    `watches: [{ id: coins, kind: balance, of: ${of}, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]`;
  await using world = await createWorld(rules('[treasury, vault]'));
  world.sandbox.setBalance({ address: 'treasury', value: 5 });
  world.sandbox.setBalance({ address: 'vault', value: 5 });
  expect(await world.poll()).toEqual(['low firing', 'low firing']);
  await world.load(rules('treasury'));
  expect(await world.poll()).toEqual(['low resolved']);
  expect(world.messages[0]).toMatchObject({ reason: 'rule removed', of: { name: 'vault' } });
});
