// Values in US dollars over polls without a price.
import { expect, test } from '@jest/globals';
import { showDollars } from '../../src/core/values/amount.ts';
import { TokenBalance } from '../../src/explorer/reading/resources/token.ts';
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

const priced = (alert: string): string =>
  `watches: [{ id: w, kind: balance, of: treasury, every: 1m, alerts: [{ id: a, ${alert} }] }]`;

test('a price that moves writes nothing for a rule that reads no dollars', async () => {
  await using world = await createWorld(priced('while: balance < 5'));
  const pollAt = async (price: string): Promise<boolean | undefined> => {
    world.sandbox.setPrice({ price });
    await world.poll();
    return world.decisions[0]?.hasChanged;
  };
  await pollAt('2000');
  await pollAt('2001');
  expect(await pollAt('2002')).toBe(false);
  await world.load(priced('while: balance_usd < 5'));
  await pollAt('2003');
  expect(await pollAt('2004')).toBe(true);
});

test.each([
  ['\'change(balance_usd, "5m") < percent("-10")\'', 1],
  // A least value is that of earlier polls, so it falls one poll later.
  ['\'min(balance_usd, "5m") < 1_000\'', 2],
])('a message about a window of dollars has the price: %s', async (condition, polls) => {
  await using world = await createWorld(priced(`while: ${condition}`));
  world.sandbox.setBalance({ address: 'treasury', value: COIN });
  world.sandbox.setPrice({ price: '2000' });
  for (let i = 0; i < 7; i += 1) expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ price: null });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ price: '900' });
  for (let i = 1; i < polls; i += 1) expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual(['a firing']);
  expect(world.messages[0]?.lines.flat()).toContainEqual({ text: 'Price $900 as the explorer shows it.' });
});

const HOLDER = `0x${'7'.repeat(40)}`;
const listed = (alert: string): string =>
  `watches: [{ id: w, kind: holdings, of: '${HOLDER}', every: 1m, alerts: [{ id: a, ${alert} }] }]`;

test('pieces of one collection are one token without a price', async () => {
  await using world = await createWorld(listed('while: unpriced > 1'));
  const { token } = world.sandbox.giveToken({
    address: HOLDER,
    name: 'Art',
    type: 'ERC-1155',
    tokenId: '1',
    value: 3n,
  });
  world.sandbox.giveToken({ address: HOLDER, token, tokenId: '2', value: 3n });
  expect(await world.poll()).toEqual([]);
  world.sandbox.giveToken({ address: HOLDER, name: 'More' });
  expect(await world.poll()).toEqual(['a firing']);
});

test('a fall of a total in a window is told, with what is unknown left out', async () => {
  await using world = await createWorld(listed('while: \'change(total_usd, "5m") < percent("-10")\''));
  world.sandbox.giveToken({ address: HOLDER, token: 'USDC', value: 900n * 10n ** 6n });
  world.sandbox.setPrice({ token: 'USDC', price: '1' });
  for (let i = 0; i < 7; i += 1) expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'USDC', price: null });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'USDC', price: '0.5' });
  expect(await world.poll()).toEqual(['a firing']);
  expect(world.messages[0]?.title).toBe('0x7777…7777 tokens fell 50 % in 5 min (limit 10 %)');
});

test.each(['1e30', `0.${'0'.repeat(39)}1`, 'NaN', 'Infinity', '-5', '1e4000', '', '0x10', [1], true])(
  'a price of %j breaks nothing',
  (price) => {
    const row = { value: '2500000', token: { decimals: '6', exchange_rate: price } };
    const worth = TokenBalance.read(row, { coin: 18 })?.balance_usd;
    const shown = worth === undefined ? null : showDollars(worth);
    expect(shown).toEqual(
      new Map<unknown, string>([
        ['1e30', '$2,500,000,000,000,000,000,000,000,000,000'],
        [`0.${'0'.repeat(39)}1`, `$0.${'0'.repeat(39)}25`],
      ]).get(price) ?? null,
    );
  },
);

test('a token without decimals cannot hide the total of the others from `tokens: all`', async () => {
  await using world = await createWorld(
    listed('while: total_usd < 1_000').replace('every: 1m', 'every: 1m, tokens: all'),
  );
  const { token } = world.sandbox.giveToken({ address: HOLDER, name: 'Odd', decimals: null });
  world.sandbox.setPrice({ token, price: '5' });
  world.sandbox.giveToken({ address: HOLDER, token: 'USDC', value: 900n * 10n ** 6n });
  world.sandbox.setPrice({ token: 'USDC', price: '1' });
  expect(await world.poll()).toEqual(['a firing']);
});

test('a named token that becomes a scam is told by the total, and by its reputation', async () => {
  await using world = await createWorld(listed('while: total_usd > 1_000_000'));
  world.sandbox.giveToken({ address: HOLDER, token: 'ACME', value: 10n ** 18n });
  world.sandbox.setPrice({ token: 'ACME', price: '1' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.flagToken({ token: 'ACME' });
  world.sandbox.setPrice({ token: 'ACME', price: '99999999999999999999' });
  expect(await world.poll()).toEqual([]);
  const { token } = world.sandbox.giveToken({ address: HOLDER, name: 'Rich' });
  world.sandbox.setPrice({ token, price: '99999999999999999999' });
  expect(await world.poll()).toEqual([]);
  world.sandbox.flagToken({ token: 'ACME', reputation: 'ok' });
  expect(await world.poll()).toEqual(['a firing']);
});
