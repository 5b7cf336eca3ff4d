// Explorers show an empty list for a moment, while they start or where a replica has not read it yet. What was in it is
// not gone by that.
import { describe, expect, test } from '@jest/globals';
import { balance } from '../../src/watches/balance.ts';
import { holdings } from '../../src/watches/holdings.ts';
import { packItems } from '../../src/watches/holdings/items.ts';
import { createWorld, polls, pollsWithBlocks, type World } from '../support/world.ts';

const BALANCE = `
watches:
  - id: usdc
    kind: balance
    of: treasury
    token: USDC
    every: 1h
    alerts: [{ id: low, while: balance < 100 }, { id: high, while: balance > 200 }, { id: moved, on: changed }]
`;
const TOKENS = `
watches:
  - { id: tokens, kind: holdings, of: treasury, every: 1h, alerts: [{ id: here, on: added }, { id: gone, on: removed }] }
`;
const TRANSACTIONS = `
watches:
  - { id: txs, kind: transactions, of: vault, every: 1m, alerts: [{ id: tx, on: new, if: value > 100 }] }
`;
const LARGE = { value: 101n * 10n ** 18n };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** More than a wallet of the sandbox ever holds. */
const ALL = 1000;

/** The next answers to the list show nothing. */
function empty({ sandbox }: World, times: number, operation: 'tokens' | 'transactions' = 'tokens'): void {
  sandbox.fail({ fault: 'empty-list', operation: `address-${operation}`, times });
}

/** What the last polls thought of the data. */
function dataIn({ decisions }: World): (string | undefined)[] {
  return decisions.map(({ memory }) => memory.data?.state);
}

function asked({ replicas }: World): number {
  return replicas.asked.length;
}

async function wealthy(rules = BALANCE): Promise<World> {
  const world = await createWorld(rules);
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 500_000_000 });
  await world.poll();
  return world;
}

/** Runs for so long, with a block every ten seconds. */
async function live(world: World, ms: number): Promise<string[]> {
  const said: string[] = [];
  for (let passed = 0; passed < ms; passed += 10_000) {
    world.sandbox.mine();
    said.push(...(await world.run(10_000)));
  }
  return said;
}

describe('a balance', () => {
  test('is not zero because the list of tokens is empty for a moment: nothing fires, nothing resolves', async () => {
    await using world = await wealthy();
    empty(world, 2);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    expect(dataIn(world)).toEqual(['nodata']);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
    expect(dataIn(world)).toEqual(['ok']);
  });

  test('is zero when the wallet was emptied: asked anew twice, so that it is told within a minute', async () => {
    await using world = await wealthy();
    const before = asked(world);
    empty(world, ALL);
    const said: string[] = [];
    while (asked(world) === before) said.push(...(await live(world, 10_000)));
    expect(said).toEqual([]);
    expect((await live(world, MINUTE)).toSorted()).toEqual(['high resolved', 'low firing', 'moved event']);
    // Each time the list, and how far the explorer has read; and once whether it still shows the same chain.
    expect(asked(world) - before).toBe(7);
    expect(await live(world, HOUR)).toEqual([]);
    expect(asked(world) - before).toBe(8);
  });

  test('stays unknown while the chain stands still, and the log says why', async () => {
    await using world = await wealthy();
    empty(world, ALL);
    expect(await polls(world, 5)).toEqual([]);
    expect(dataIn(world)).toEqual(['nodata']);
    expect(world.log.lines.filter((line) => line.includes('note'))).toEqual([]);
    const reasons = world.decisions.flatMap((decision) => decision.reasons);
    const head = "the list is empty, which is not believed yet: the chain's head has not moved since";
    expect(reasons).toContainEqual({ type: 'note', text: head });
    world.sandbox.mine();
    expect((await world.poll()).toSorted()).toEqual(['high resolved', 'low firing', 'moved event']);
  });

  test('does not begin again to doubt after a restart', async () => {
    await using world = await wealthy();
    empty(world, ALL);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    await world.restart();
    expect((await pollsWithBlocks(world, 1)).toSorted()).toEqual(['high resolved', 'low firing', 'moved event']);
    expect(world.messages[0]?.fields['balance']).toEqual({ text: '0' });
    expect(world.messages[0]?.token).toMatchObject({ decimals: 6, symbol: 'USDC' });
  });

  test('of a token that was never held is not told before the empty list is believed', async () => {
    await using world = await createWorld(BALANCE.replace('treasury', 'hot_wallet'));
    empty(world, 1);
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    world.sandbox.fail({ fault: 'not-found', operation: 'blocks', times: 1 });
    empty(world, 1);
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    empty(world, ALL);
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    expect(await pollsWithBlocks(world, 1)).toEqual(['low firing']);
  });
});

describe('tokens', () => {
  test('are not gone because their list is empty for a moment', async () => {
    await using world = await wealthy(TOKENS);
    empty(world, 2);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    expect(dataIn(world)).toEqual(['nodata']);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
  });

  test('are gone when the third reading shows none of them either', async () => {
    await using world = await wealthy(TOKENS);
    const before = asked(world);
    empty(world, ALL);
    while (asked(world) === before) await live(world, 10_000);
    const said = await live(world, MINUTE);
    expect(new Set(said)).toEqual(new Set(['gone event']));
    expect(said.length).toBeGreaterThan(1);
    expect(asked(world) - before).toBe(6);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });

  test('that an address never had are no news when its list is first read as empty, also over a restart', async () => {
    await using world = await createWorld(TOKENS);
    empty(world, 2);
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    await world.restart();
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    expect(dataIn(world)).toEqual(['nodata']);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    expect(dataIn(world)).toEqual(['ok']);
  });

  test('of a collection are named by their piece when one leaves', async () => {
    await using world = await createWorld(TOKENS);
    await world.poll();
    const { token } = world.sandbox.giveToken({ address: 'treasury', type: 'ERC-721', tokenId: '7', value: 1 });
    expect(await pollsWithBlocks(world, 1)).toEqual(['here event']);
    await world.restart();
    world.sandbox.setBalance({ address: 'treasury', token, tokenId: '7', value: 0 });
    expect(await pollsWithBlocks(world, 2)).toEqual(['gone event']);
    expect(world.messages[0]?.fields['token_id']).toMatchObject({ untrusted: '7' });
  });
});

describe('a list of transactions', () => {
  async function told(): Promise<World> {
    const world = await createWorld(TRANSACTIONS);
    await world.poll();
    world.sandbox.mine();
    world.sandbox.addTransaction(LARGE);
    expect(await world.poll()).toEqual(['tx event']);
    return world;
  }

  test('takes nothing back because it is empty for a moment', async () => {
    await using world = await told();
    empty(world, 2, 'transactions');
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    expect(dataIn(world)).toEqual(['nodata']);
    expect(await pollsWithBlocks(world, 5)).toEqual([]);
    expect(dataIn(world)).toEqual(['ok']);
  });

  test('that stays empty takes back what was told of it', async () => {
    await using world = await told();
    empty(world, ALL, 'transactions');
    expect(await pollsWithBlocks(world, 4)).toEqual([]);
    expect(await pollsWithBlocks(world, 3)).toEqual(['tx retracted']);
    expect(dataIn(world)).toEqual(['ok']);
  });

  test('does not forget what was not read of it yet', async () => {
    await using world = await createWorld(TRANSACTIONS.replace('every', 'max_pages: 1, every'));
    world.sandbox.addTransaction({});
    await world.poll();
    world.sandbox.mine();
    for (let i = 0; i < 100; i += 1) world.sandbox.addTransaction(LARGE);
    expect(await pollsWithBlocks(world, 1)).toHaveLength(50);
    empty(world, 1, 'transactions');
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    expect(await pollsWithBlocks(world, 2)).toHaveLength(50);
  });
});

test('a list that is not empty, or was never anything else, is asked for once a poll', async () => {
  await using world = await createWorld(
    `${BALANCE}${TOKENS.replace('watches:', '')}${TRANSACTIONS.replace('watches:', '')}`,
  );
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 500_000_000 });
  await pollsWithBlocks(world, 3);
  const before = asked(world);
  await pollsWithBlocks(world, 5);
  expect(asked(world) - before).toBe(10);
});

test('what a former release remembered of tokens and balances is read, so that an update tells nothing anew', () => {
  const values = { balance: '5', raw: '5000000', decimals: '6', symbol: 'USDC' };
  expect(balance.state.parse({ values, changes: 7 })).toEqual({
    values,
    changes: 7,
    emptied: null,
    missingSince: null,
    price: null,
  });
  const items = { '0x51': { values: {}, arrival: 0, change: 0 } };
  const former = { items, counter: 3, empty: 2, head: 99, hasBaseline: true };
  const packed = packItems(new Map(Object.entries(items)));
  expect(holdings.state.parse(former)).toEqual({
    items: packed,
    counter: 3,
    emptied: null,
    missing: {},
    head: 99,
    hasBaseline: true,
  });
});
