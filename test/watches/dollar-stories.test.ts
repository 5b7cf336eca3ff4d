// Values in US dollars over polls without a price.
import { expect, test } from '@jest/globals';
import { createWorld } from '../support/world.ts';

const COIN = 10n ** 18n;
const OUT = `watches: [{ id: w, kind: balance, of: treasury, every: 1m, alerts: [{ id: out, on: changed, if: (before.balance - balance) * exchange_rate > 100_000 }] }]`;

test('an outflow at a poll without a price is told at the next price, though that moved', async () => {
  await using world = await createWorld(OUT);
  world.sandbox.setBalance({ address: 'treasury', value: 1000n * COIN });
  world.sandbox.setPrice({ price: '2000' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ price: null });
  world.sandbox.setBalance({ address: 'treasury', value: 900n * COIN });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setBalance({ address: 'treasury', value: 880n * COIN });
  expect(await world.poll()).toEqual([]);
  await world.restart();
  world.sandbox.setPrice({ price: '1900' });
  expect(await world.poll()).toEqual(['out event']);
  world.sandbox.setPrice({ price: '1901' });
  expect(await world.poll()).toEqual([]);
});

const TOKEN_OUT = `watches: [{ id: w, kind: holdings, of: treasury, every: 1m, alerts: [{ id: out, on: changed, if: (before.balance - balance) * token.exchange_rate > 100_000 }] }]`;

test('so is an outflow of a token in a list', async () => {
  await using world = await createWorld(TOKEN_OUT);
  world.sandbox.setBalance({ address: 'treasury', token: 'ACME', value: 1000n * COIN });
  world.sandbox.setPrice({ token: 'ACME', price: '2000' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'ACME', price: null });
  world.sandbox.setBalance({ address: 'treasury', token: 'ACME', value: 900n * COIN });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'ACME', price: '1900' });
  expect(await world.poll()).toEqual(['out event']);
  world.sandbox.setPrice({ token: 'ACME', price: '1901' });
  expect(await world.poll()).toEqual([]);
});

const SUM = `watches: [{ id: w, kind: transactions, of: vault, every: 1m, alerts: [{ id: sum, on: new, at_least: { sum: value_usd, than: 200_000, within: 10m } }] }]`;

test('a sum waits for the price of its items', async () => {
  await using world = await createWorld(SUM);
  await world.poll();
  world.sandbox.setPrice({ price: null });
  for (let i = 0; i < 2; i += 1) {
    world.sandbox.mine();
    world.sandbox.addTransaction({ value: 60n * COIN });
    expect(await world.poll()).toEqual([]);
  }
  world.sandbox.setPrice({ price: '2000' });
  expect(await world.poll()).toEqual(['sum firing']);
  await world.clock.advance(30 * 60_000);
  expect(await world.poll()).toEqual(['sum resolved']);
});

test('a sum is told although its price comes after its time', async () => {
  await using world = await createWorld(SUM);
  await world.poll();
  world.sandbox.setPrice({ price: null });
  for (let i = 0; i < 2; i += 1) {
    world.sandbox.mine();
    world.sandbox.addTransaction({ value: 60n * COIN });
    expect(await world.poll()).toEqual([]);
  }
  await world.clock.advance(30 * 60_000);
  expect(await world.poll()).toEqual([]);
  await world.restart();
  world.sandbox.setPrice({ price: '2000' });
  expect(await world.poll()).toEqual(['sum firing']);
  expect(world.messages[0]?.fields).toMatchObject({ count: 2, sum: { text: '240000' } });
  expect(await world.poll()).toEqual(['sum resolved']);
  expect(await world.poll()).toEqual([]);
});

test('a late price does not tell again of a sum that was told', async () => {
  await using world = await createWorld(SUM);
  await world.poll();
  world.sandbox.setPrice({ price: '2000' });
  world.sandbox.mine();
  world.sandbox.addTransaction({ value: 110n * COIN });
  expect(await world.poll()).toEqual(['sum firing']);
  world.sandbox.setPrice({ price: null });
  world.sandbox.mine();
  world.sandbox.addTransaction({ value: COIN });
  expect(await world.poll()).toEqual([]);
  await world.clock.advance(30 * 60_000);
  expect(await world.poll()).toEqual(['sum resolved']);
  world.sandbox.setPrice({ price: '2000' });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
});
