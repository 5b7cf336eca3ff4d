import { describe, expect, test } from '@jest/globals';
import { exactOf, valueAt } from '../../src/core/values/fields.ts';
import type { DetectionScope } from '../../src/core/model/detection.ts';
import { Balance } from '../../src/watches/balance/reading.ts';
import { balance, type BalanceState } from '../../src/watches/balance.ts';
import { addressOf, openExplorer } from '../explorer/support/open.ts';
import { sendJson, startServer } from '../explorer/support/server.ts';
import { createWorld } from '../support/world.ts';
import { aScope } from '../support/scope.ts';
import { finish } from '../../src/lib/steps.ts';

const token = (alerts: string) => `
watches:
  - { id: usdc, kind: balance, of: treasury, token: USDC, every: 1m, alerts: [${alerts}] }
`;
const HOLDER = '0x00000000000000000000000000000000000000aa';
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

test('a token that two polls of the whole list lack has balance 0, with the decimals it had', async () => {
  await using world = await createWorld(token(`${LOW}, ${MOVED}`));
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 500_000_000 });
  await world.poll();
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 0 });
  expect(await world.poll()).toEqual([]);
  expect(world.decisions.map(({ memory }) => memory.data?.state)).toEqual(['nodata']);
  await world.restart();
  expect((await world.poll()).toSorted()).toEqual(['low firing', 'moved event']);
  expect(world.messages[0]?.fields['balance']).toEqual({ text: '0' });
  expect(world.messages[0]?.token?.decimals).toBe(6);
});

test('a token that every other poll lacks is not zero', async () => {
  await using world = await createWorld(token(`${LOW}, ${MOVED}`));
  for (const value of [500_000_000, 0, 500_000_000, 0, 500_000_000]) {
    world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value });
    expect(await world.poll()).toEqual([]);
  }
});

test('a token that is missing is looked for again after 20 seconds, once, or at the next poll if that fails', async () => {
  await using world = await createWorld(token(LOW).replace('1m', '1h'));
  const asked = (): number => world.asked.filter((path) => path.includes('/tokens')).length;
  const leaves = async (): Promise<number> => {
    world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 500_000_000 });
    await world.poll();
    world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 0 });
    const before = asked();
    while (asked() === before) expect(await world.run(1000)).toEqual([]);
    return before;
  };
  const before = await leaves();
  expect(await world.run(19_000)).toEqual([]);
  expect(await world.run(2000)).toEqual(['low firing']);
  expect(asked() - before).toBe(2);
  expect(await world.run(50 * 60_000)).toEqual([]);
  expect(asked() - before).toBe(2);
  await leaves();
  world.sandbox.fail({ fault: 'unauthorized' });
  expect(await world.run(59 * 60_000)).toEqual([]);
  world.sandbox.clearFaults();
  expect(await world.run(2 * 60_000)).toEqual(['low firing']);
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

test('a proxy that gets another implementation is told, and what its coins are worth', async () => {
  let implementation = { address_hash: `0x${'c'.repeat(40)}`, name: 'VaultV1' };
  await using explorer = await startServer((_request, response) => {
    const details = { coin_balance: '2000000000000000000', exchange_rate: '2345.67', is_verified: true };
    const proxy = { proxy_type: 'eip1967', implementations: [implementation], creator_address_hash: HOLDER };
    sendJson(response, { hash: HOLDER, is_contract: true, ...details, ...proxy });
  });
  const opened = openExplorer(explorer.url);
  const target = { explorer: 'ethereum', coin: { symbol: 'ETH', decimals: 18 }, token: null, maxPages: 1, options: {} };
  const holder = { ...target, address: addressOf(HOLDER) };
  const scope: DetectionScope = aScope({ tracked: ['implementations', 'exchange_rate'] });
  let state: BalanceState | null = null;
  const poll = async () => {
    const { seen } = await balance.observe(holder, state, opened.explorer.tickReader(), null);
    const detection = finish(balance.detect(holder, state, seen, scope));
    state = detection.state;
    return detection;
  };
  const { now } = await poll();
  if (now === null) throw new Error('nothing was seen');
  expect(exactOf(valueAt(now, 'exchange_rate'))?.toString()).toBe('2345.67');
  expect(valueAt(now, 'is_verified')).toBe(true);
  expect(valueAt(now, 'proxy_type')).toBe('eip1967');
  expect(valueAt(now, 'creator_address_hash')).toEqual(addressOf(HOLDER));
  expect((await poll()).events.flatMap(({ changed }) => changed)).toEqual([]);
  implementation = { address_hash: `0x${'d'.repeat(40)}`, name: 'VaultV2' };
  expect((await poll()).events.flatMap(({ changed }) => changed)).toEqual(['implementations']);
});

test('a value in dollars is of one answer, unknown without its price, and 0 where nothing is held', async () => {
  let answer: Record<string, unknown> = { coin_balance: '2000000000000000001', exchange_rate: '2345.67' };
  await using explorer = await startServer((_request, response) => {
    sendJson(response, { hash: HOLDER, ...answer });
  });
  const opened = openExplorer(explorer.url);
  const target = { explorer: 'ethereum', coin: { symbol: 'ETH', decimals: 18 }, token: null, maxPages: 1, options: {} };
  const holder = { ...target, address: addressOf(HOLDER) };
  const worth = async (next: Record<string, unknown>): Promise<string | undefined> => {
    answer = next;
    const { seen } = await balance.observe(holder, null, opened.explorer.tickReader(), null);
    return exactOf(valueAt(seen.view ?? Balance.make({}), 'balance_usd'))?.toString();
  };
  expect(await worth(answer)).toBe('4691.34000000000000234567');
  expect(await worth({ ...answer, exchange_rate: null })).toBeUndefined();
  expect(await worth({ ...answer, exchange_rate: '0' })).toBeUndefined();
  expect(await worth({ coin_balance: '5' })).toBeUndefined();
  expect(await worth({ coin_balance: null, exchange_rate: '1' })).toBeUndefined();
  expect(await worth({ coin_balance: '0', exchange_rate: null })).toBe('0');
});

test('the age of a price that moved before is kept over a restart, a missing price and an outage', async () => {
  const rules = `watches: [{ id: w, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance_usd < 1_000 }] }]`;
  await using world = await createWorld(rules);
  world.sandbox.setBalance({ address: 'treasury', value: 10n ** 18n });
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ price: '2000' });
  expect(await world.poll()).toEqual([]);
  await world.clock.advance(13 * 3_600_000);
  world.sandbox.setPrice({ price: null });
  expect(await world.poll()).toEqual([]);
  world.sandbox.fail({ fault: 'html', times: 1 });
  expect(await world.poll()).toEqual([]);
  await world.restart();
  await world.clock.advance(13 * 3_600_000);
  world.sandbox.setPrice({ price: '2000' });
  world.sandbox.setBalance({ address: 'treasury', value: 10n ** 17n });
  expect(await world.poll()).toEqual(['low firing']);
  expect(world.messages[0]?.lines.flat()).toContainEqual({
    text: 'Price $2,000 as the explorer shows it. Price unchanged for 26 h.',
  });
  world.sandbox.setPrice({ price: '20000' });
  expect(await world.poll()).toEqual(['low resolved']);
  expect(world.messages[0]?.lines.flat()).toContainEqual({ text: 'Price $20,000 as the explorer shows it.' });
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

describe('a token that is not in the list', () => {
  const TOKEN = '0x00000000000000000000000000000000000000bb';
  const details = { decimals: null, symbol: 'ODD', type: 'ERC-20' };
  const other = { token: { ...details, address_hash: `0x${'c'.repeat(40)}` }, value: '1' };

  test('two readings and its details until that is known, then one reading a poll', async () => {
    await using explorer = await startServer((request, response) => {
      sendJson(response, request.path.endsWith('/tokens') ? { items: [other], next_page_params: null } : details);
    });
    const list = `/api/v2/addresses/${HOLDER}/tokens`;
    const poll = openBalance(explorer.url, HOLDER, TOKEN);
    expect(await poll()).toBe('0');
    expect(explorer.requests.map(({ path }) => path)).toEqual([list, list, `/api/v2/tokens/${TOKEN}`]);
    expect(await poll()).toBe('0');
    expect(explorer.requests.slice(3).map(({ path }) => path)).toEqual([list]);
  });

  test('one that is gone is looked for once a poll, and is zero by the second one', async () => {
    let held = true;
    const row = { token: { ...details, decimals: '0', address_hash: TOKEN }, value: '7' };
    await using explorer = await startServer((_request, response) => {
      sendJson(response, { items: held ? [row, other] : [other], next_page_params: null });
    });
    const poll = openBalance(explorer.url, HOLDER, TOKEN);
    expect(await poll()).toBe('7');
    held = false;
    expect(await poll()).toBeUndefined();
    expect(await poll()).toBe('0');
    expect(explorer.requests).toHaveLength(3);
    expect(await poll()).toBe('0');
    expect(explorer.requests).toHaveLength(4);
  });

  test('among rows that name no token nothing is absent', async () => {
    const named = { token: { ...details, decimals: '0', address_hash: TOKEN }, value: '7' };
    const rows = [[named], [{ token: null, value: '7' }], [{ token: { ...details, contract: TOKEN }, value: '7' }]];
    await using explorer = await startServer((_request, response, index) => {
      sendJson(response, { items: rows[index], next_page_params: null });
    });
    const poll = openBalance(explorer.url, HOLDER, TOKEN);
    expect([await poll(), await poll(), await poll()]).toEqual(['7', undefined, undefined]);
  });

  test('decimals that no amount can have leave the balance unknown and the raw one known', async () => {
    const row = { token: { ...details, decimals: '4294967295', address_hash: TOKEN }, value: '7' };
    await using explorer = await startServer((_request, response) => {
      sendJson(response, { items: [row], next_page_params: null });
    });
    const poll = openBalance(explorer.url, HOLDER, TOKEN);
    expect(await poll()).toBeUndefined();
  });
});

/** Polls of one balance; each gives what is held, as `while` looks at it. */
function openBalance(url: string, holder: string, token: string): () => Promise<string | undefined> {
  const opened = openExplorer(url);
  const coin = { symbol: 'ETH', decimals: 18 };
  const target = {
    explorer: 'ethereum',
    coin,
    address: addressOf(holder),
    token: addressOf(token),
    maxPages: 20,
    options: {},
  };
  let state: BalanceState | null = null;
  let at = 0;
  return async () => {
    const { seen } = await balance.observe(target, state, opened.explorer.tickReader(), null);
    const detection = finish(balance.detect(target, state, seen, aScope({ at: (at += 60_000), tracked: ['balance'] })));
    state = detection.state;
    return detection.now === null ? undefined : exactOf(valueAt(detection.now, 'balance'))?.toString();
  };
}
