// The total of a list of tokens, over polls that lack something.
import { expect, test } from '@jest/globals';
import { createWorld, type World, type WorldOptions } from '../support/world.ts';

const HOLDER = `0x${'7'.repeat(40)}`;
const LOW = 'while: total_usd < 1_000, until: total_usd > 1_100';
const rules = (more = '', alert = LOW): string =>
  `watches: [{ id: tokens, kind: holdings, of: '${HOLDER}', every: 1m${more}, alerts: [{ id: low, ${alert} }] }]`;
const USDC = 10n ** 6n;

/** 1,500 dollars in two tokens. */
async function aHolder(text = rules(), options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(text, options);
  world.sandbox.setPrice({ token: 'USDC', price: '1' });
  world.sandbox.setPrice({ token: 'ACME', price: '2' });
  world.sandbox.giveToken({ address: HOLDER, token: 'USDC', value: 900n * USDC });
  world.sandbox.giveToken({ address: HOLDER, token: 'ACME', value: 300n * 10n ** 18n });
  expect(await world.poll()).toEqual([]);
  return world;
}

test('a missing price fires nothing and ends nothing; nor does a poll that was missed', async () => {
  await using world = await aHolder();
  world.sandbox.setPrice({ token: 'ACME', price: null });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'ACME', price: '0' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'ACME', price: '0.1' });
  expect(await world.poll()).toEqual(['low firing']);
  expect(world.messages[0]?.title).toBe('0x7777…7777 tokens $930, below $1,000');
  world.sandbox.setPrice({ token: 'ACME', price: null });
  expect(await world.poll()).toEqual([]);
  world.sandbox.fail({ fault: 'html', times: 1 });
  expect(await world.poll()).toEqual([]);
  await world.restart();
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'ACME', price: '2' });
  expect(await world.poll()).toEqual(['low resolved']);
});

test('a token that one reading lacks is in no total: it is unknown until the token is there or gone', async () => {
  await using world = await aHolder();
  world.sandbox.setBalance({ address: HOLDER, token: 'ACME', value: 0 });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setBalance({ address: HOLDER, token: 'ACME', value: 300n * 10n ** 18n });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setBalance({ address: HOLDER, token: 'ACME', value: 0 });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual(['low firing']);
  expect(await world.poll()).toEqual([]);
});

test('tokens that the config does not name are counted with `tokens: all`, which a reload may add', async () => {
  await using world = await aHolder();
  const { token } = world.sandbox.giveToken({ address: HOLDER, name: 'Other', value: 10n ** 18n });
  world.sandbox.setPrice({ token, price: '5000' });
  world.sandbox.setBalance({ address: HOLDER, token: 'USDC', value: 100n * USDC });
  expect(await world.poll()).toEqual(['low firing']);
  await world.load(rules(', tokens: all'));
  expect(await world.poll()).toEqual(['low resolved']);
  expect(world.messages[0]?.title).toBe('0x7777…7777 tokens $5,700, above $1,100');
  await world.load(rules());
  expect(await world.poll()).toEqual(['low firing']);
});

test('a token that turns scam is left out, and counted with `tokens: all`', async () => {
  await using world = await aHolder();
  world.sandbox.flagToken({ token: 'ACME' });
  expect(await world.poll()).toEqual(['low firing']);
  await world.load(rules(', tokens: all'));
  expect(await world.poll()).toEqual(['low resolved']);
});

test('tokens without a price are counted, and told by their number', async () => {
  await using world = await aHolder(rules('', 'while: unpriced > 1'));
  world.sandbox.giveToken({ address: HOLDER, name: 'One' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.giveToken({ address: HOLDER, name: 'Two' });
  expect(await world.poll()).toEqual(['low firing']);
  expect(world.messages[0]?.title).toBe('0x7777…7777 tokens without a price 2, above 1');
});
