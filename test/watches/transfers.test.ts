import { describe, expect, test } from '@jest/globals';
import { createWorld, polls, type World, type WorldOptions } from '../support/world.ts';

const PAYEE = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';

const OUT = `
watches:
  - id: out
    kind: transfers
    of: treasury
    every: 1m
    alerts:
      - { id: large, on: new, if: direction == "out" && value_usd > 100_000, severity: critical }
      - { id: unpriced, on: new, if: direction == "out" && raw > 0 && !has(value_usd) }
`;
const MANY = 200_000n * 10n ** 6n;

/** Enough for every story, and a transfer before the first poll. */
async function funded(rules: string, options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(rules, options);
  world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 100n * MANY });
  world.sandbox.setBalance({ address: 'treasury', token: 'ACME', value: 10n ** 30n });
  send(world, { value: 1n });
  return world;
}

function send({ sandbox }: World, options: Partial<Parameters<World['sandbox']['transferToken']>[0]> = {}) {
  return sandbox.transferToken({ token: 'USDC', from: 'treasury', to: PAYEE, value: MANY, ...options });
}

test('a large transfer is told once, with its value, its price and its transaction', async () => {
  await using world = await funded(OUT);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  const { hash } = send(world);
  send(world, { value: 1n });
  send(world, { from: 'vault', to: 'treasury', moves: false });
  expect(await world.poll()).toEqual(['large event']);
  const [message] = world.messages;
  expect(message?.title).toBe('treasury sent 200,000 USDC to 0x3c54…b3AB, $200,000, above $100,000');
  expect(message?.lines).toEqual([
    [{ text: `Block 101, tx ${hash.slice(0, 6)}…${hash.slice(-4)}.` }],
    [{ text: 'Price $1 as the explorer shows it.' }],
  ]);
  expect(await world.poll()).toEqual([]);
});

test('one without a price is told as such', async () => {
  await using world = await funded(OUT);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.setPrice({ token: 'ACME', price: null });
  send(world, { token: 'ACME', value: 5n * 10n ** 18n });
  expect(await world.poll()).toEqual(['unpriced event']);
  expect(world.messages[0]?.title).toBe('treasury sent 5 ACME to 0x3c54…b3AB, no price known');
});

test('a limit in dollars waits for the first price, also over a restart, and keeps that one', async () => {
  await using world = await funded(OUT);
  await world.poll();
  world.sandbox.mine();
  world.sandbox.setPrice({ token: 'USDC', price: null });
  send(world);
  expect(await world.poll()).toEqual(['unpriced event']);
  await world.restart();
  expect(await world.poll()).toEqual([]);
  world.sandbox.setPrice({ token: 'USDC', price: '0.9996' });
  expect(await world.poll()).toEqual(['large event']);
  expect(world.messages[0]?.title).toContain('$199,920, above $100,000');
  world.sandbox.setPrice({ token: 'USDC', price: '0.1' });
  expect(await polls(world, 2)).toEqual([]);
});

describe('equal transfers of one transaction', () => {
  const ANY = OUT.replace('direction == "out" && value_usd > 100_000', 'raw > 0');

  test('are told each, and not again after a restart, nor in another block at another place', async () => {
    await using world = await funded(ANY);
    await world.poll();
    world.sandbox.mine();
    send(world, { times: 3, method: 'multicall' });
    expect(await world.poll()).toEqual(['large event', 'large event', 'large event']);
    await world.restart();
    world.sandbox.reorganise({ blocks: 2 });
    expect(await polls(world, 3)).toEqual([]);
  });

  test('that the end of a page cuts are told each, once, when the page is full of them', async () => {
    await using world = await funded(ANY);
    await world.poll();
    world.sandbox.mine();
    send(world, { times: 60, value: 7n });
    expect(await world.poll()).toHaveLength(60);
    expect(await polls(world, 2)).toEqual([]);
    world.sandbox.mine();
    send(world, { times: 30, value: 8n });
    expect(await world.poll()).toHaveLength(30);
    await world.restart();
    expect(await polls(world, 2)).toEqual([]);
  });
});

test('a transfer that vanishes with its block is retracted, and reinstated when it comes back', async () => {
  await using world = await funded(OUT);
  world.sandbox.mine();
  await world.poll();
  world.sandbox.mine();
  send(world);
  expect(await world.poll()).toEqual(['large event']);
  world.sandbox.mine({ blocks: 2 });
  send(world, { value: 1n });
  await world.poll();
  world.sandbox.reorganise({ blocks: 4, transactions: 'dropped' });
  expect(await polls(world, 4)).toEqual(['large retracted']);
});

test('an outage loses and repeats nothing', async () => {
  await using world = await funded(OUT);
  await world.poll();
  world.sandbox.mine();
  send(world);
  world.sandbox.fail({ fault: 'null', times: 2 });
  expect(await polls(world, 2)).toEqual([]);
  world.sandbox.clearFaults();
  expect(await world.poll()).toEqual(['large event']);
  expect(await world.poll()).toEqual([]);
});

test.each([
  ['', [], ['large event']],
  [', provisional: true', ['large event'], []],
])('with 3 confirmations%s it is told when they are there, or at once', async (more, first, later) => {
  await using world = await funded(OUT.replace('100_000,', `100_000, confirmations: 3${more},`));
  await world.poll();
  world.sandbox.mine();
  send(world);
  expect(await world.poll()).toEqual(first);
  world.sandbox.mine({ blocks: 3 });
  expect(await world.poll()).toEqual(later);
  expect(await world.poll()).toEqual([]);
});

test('a reload that adds the watch tells nothing from before; another direction begins anew', async () => {
  const other = 'watches: [{ id: head, kind: blocks, every: 1m, alerts: [{ id: reorg, on: reorg }] }]';
  await using world = await funded(other);
  await world.poll();
  world.sandbox.mine();
  send(world);
  await world.load(OUT);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  send(world);
  expect(await world.poll()).toEqual(['large event']);
  await world.load(OUT.replace('of: treasury', 'of: treasury\n    direction: out'));
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  send(world);
  expect(await world.poll()).toEqual(['large event']);
  await world.load(OUT.replace('of: treasury', 'of: treasury\n    token: USDC'));
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine();
  send(world);
  send(world, { token: 'ACME', value: 10n ** 24n });
  expect(await world.poll()).toEqual(['large event']);
});

test('a token alone is asked by its own list; with an address, the list of the address is filtered', async () => {
  const watches = [
    '{ id: mints, kind: transfers, token: ACME, every: 1m, alerts: [{ id: minted, on: new, if: transfer.type == "token_minting" && amount > 100_000 }] }',
    '{ id: acme, kind: transfers, of: treasury, token: ACME, every: 1m, alerts: [{ id: any, on: new, if: raw > 0 }] }',
  ];
  await using world = await funded(`watches: [${watches.join(', ')}]`);
  world.sandbox.transferToken({ token: 'ACME', to: 'vault', value: 1n });
  await world.poll();
  world.sandbox.mine();
  world.sandbox.transferToken({ token: 'ACME', to: PAYEE, value: 10n ** 24n });
  send(world);
  send(world, { token: 'ACME', value: 5n });
  expect((await world.poll()).toSorted()).toEqual(['any event', 'minted event']);
  const { ACME } = world.sandbox.tokens;
  const asked = new Set(world.asked.map((one) => one.split('?')[0]).filter((one) => one?.includes('transfers')));
  expect(asked).toEqual(
    new Set([
      `tokens/${ACME.toLowerCase()}/transfers`,
      `addresses/${world.sandbox.addresses.treasury.toLowerCase()}/token-transfers`,
    ]),
  );
  expect(world.messages.map(({ title }) => title)).toContain('1,000,000 ACME minted to 0x3c54…b3AB, above 100,000');
});

test('an amount without decimals is unknown, and the message says so', async () => {
  await using world = await funded(OUT);
  const { token } = world.sandbox.giveToken({ address: 'treasury', decimals: null, value: 100n });
  await world.poll();
  world.sandbox.mine();
  send(world, { token, value: 5n });
  expect(await world.poll()).toEqual(['unpriced event']);
  const short = `${token.slice(0, 6)}…${token.slice(-4)}`;
  expect(world.messages[0]?.title).toBe(
    `${short} claims that treasury sent an unknown amount of ${short} to 0x3c54…b3AB, no price known`,
  );
});

describe('an explorer of another release', () => {
  test.each(['8', '9', '11', '12'] as const)('%s: tells the same', async (as) => {
    await using world = await funded(OUT, { as });
    await world.poll();
    world.sandbox.mine();
    send(world);
    send(world, { times: 60, value: 7n });
    expect(await world.poll()).toEqual(['large event']);
    expect(await polls(world, 2)).toEqual([]);
  });

  test('below 6.9 shows no block of a transfer: there is no data, and it says why', async () => {
    await using world = await funded(OUT, { as: '6' });
    expect(await world.poll()).toEqual([]);
    expect(world.decisions.map(({ memory }) => memory.data?.state)).toEqual(['nodata']);
    expect(JSON.stringify(world.log.fields)).toContain('its token transfers name no block');
  });
});

describe('a transfer of a token that the config does not name', () => {
  const CLAIMED = OUT.replace(
    /alerts:[^]*/,
    `alerts:
      - { id: moved, on: new, if: direction == "out" && raw > 0, severity: critical }
      - { id: much, on: new, if: direction == "out" && raw > 0, at_least: { count: 1, within: 1h }, severity: critical }
      - { id: idle, on: new, if: direction == "out" && raw > 0, none_for: 2h }
      - { id: dollars, on: new, if: direction == "out" && value_usd > 100, severity: critical }
`,
  );
  const said = ({ messages }: World) => messages.map(({ alert, severity, title }) => `${alert} ${severity}: ${title}`);

  async function strange(rules = CLAIMED) {
    const world = await funded(rules);
    const { token } = world.sandbox.giveToken({ address: 'vault', symbol: 'USDC', value: 1n });
    await world.poll();
    world.sandbox.mine();
    return { world, token, short: `${token.slice(0, 6)}…${token.slice(-4)}` };
  }

  async function pollsUntilSaid(world: World): Promise<string[]> {
    for (let i = 0; i < 4 && (await world.poll()).length === 0; i += 1);
    return said(world);
  }

  const claim = (world: World, token: string, value = 5n * 10n ** 18n) => send(world, { token, value, moves: false });

  test('is told as a claim and as a warning, and counts for nothing', async () => {
    const { world, token, short } = await strange();
    await using _world = world;
    claim(world, token);
    expect(await world.poll()).toEqual(['moved event']);
    expect(said(world)).toEqual([`moved warning: ${short} claims that treasury sent 5 of ${short} to 0x3c54…b3AB`]);
    expect(await world.run(2 * 3_600_000)).toEqual(['idle firing']);
  });

  test('is told once in a poll, and the others are folded', async () => {
    const { world, token } = await strange();
    await using _world = world;
    for (let i = 1n; i <= 30n; i += 1n) claim(world, token, i);
    send(world, { value: 1n });
    expect((await world.poll()).toSorted()).toEqual([
      ...Array.from({ length: 31 }, () => 'moved event'),
      'much firing',
    ]);
    expect(world.messages.map(({ type, severity }) => `${type} ${severity}`).toSorted()).toEqual([
      'alert.event critical',
      'alert.event warning',
      'alert.firing critical',
      'alert.summary warning',
    ]);
    const summary = world.messages.find(({ type }) => type === 'alert.summary');
    expect(summary).toMatchObject({
      title: '29 more moved claims of out in one poll',
      lines: [[{ text: '29 more claims at once, beside the one that is sent.' }]],
    });
  });

  test('is retracted as what it was told as, after a restart', async () => {
    const { world, token, short } = await strange();
    await using _world = world;
    claim(world, token);
    await world.poll();
    world.sandbox.mine({ blocks: 2 });
    send(world, { value: 1n, from: 'vault', to: 'treasury', moves: false });
    await world.poll();
    await world.restart();
    world.sandbox.reorganise({ blocks: 3, transactions: 'dropped' });
    expect(await pollsUntilSaid(world)).toEqual([
      `moved warning: ${short} claims that treasury sent 5 of ${short} to 0x3c54…b3AB`,
    ]);
  });

  test('is believed where the rule compares dollars, a price is known and no scam is', async () => {
    const { world, token } = await strange();
    await using _world = world;
    world.sandbox.setPrice({ token, price: '200' });
    claim(world, token);
    await world.poll();
    expect(world.messages.map(({ alert, severity }) => `${alert} ${severity}`).toSorted()).toEqual([
      'dollars critical',
      'moved warning',
    ]);
    world.sandbox.mine();
    world.sandbox.flagToken({ token });
    claim(world, token);
    await world.poll();
    expect(world.messages.map(({ severity }) => severity)).toEqual(['warning', 'warning']);
  });

  test('is believed with emitter: any, which a reload may add without telling anything again', async () => {
    const { world, token } = await strange();
    await using _world = world;
    claim(world, token);
    await world.poll();
    await world.load(CLAIMED.replace('of: treasury', 'of: treasury\n    emitter: any'));
    expect(await world.poll()).toEqual([]);
    world.sandbox.mine();
    claim(world, token);
    expect((await world.poll()).toSorted()).toEqual(['moved event', 'much firing']);
    expect(said(world)[0]).toMatch(/^moved critical: treasury sent 5 of 0x/);
  });
});
