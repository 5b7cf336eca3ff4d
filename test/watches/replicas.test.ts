// An explorer is often several machines behind one address, and some of them are behind the others.
import { describe, expect, test } from '@jest/globals';
import { createWorld, polls, type World } from '../support/world.ts';

const EVENTS = `
watches:
  - { id: txs, kind: transactions, of: vault, every: 1m, alerts: [{ id: tx, on: new, if: value > 100 }] }
  - { id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: call, on: new, if: success == false }] }
`;

function blocksAsked({ replicas }: World): number {
  return replicas.asked.filter((path) => path === 'blocks').length;
}

describe('a replica three blocks behind', () => {
  test('takes back nothing that another one has shown, for as long as it answers', async () => {
    await using world = await createWorld(EVENTS);
    await world.poll();
    world.sandbox.mine({ blocks: 2 });
    for (let i = 0; i < 6; i += 1) {
      world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
      world.sandbox.failCall({ to: 'vault' });
    }
    expect(await world.poll()).toHaveLength(12);
    world.replicas.use({ lag: 3 });
    expect(await polls(world, 6)).toEqual([]);
    world.replicas.use({});
    expect(await polls(world, 4)).toEqual([]);
  });

  test('takes back what is missing from a block that it has read', async () => {
    await using world = await createWorld(EVENTS);
    world.sandbox.addTransaction({});
    world.sandbox.mine();
    await world.poll();
    world.sandbox.mine();
    world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
    expect(await world.poll()).toEqual(['tx event']);
    world.sandbox.mine({ blocks: 9 });
    world.sandbox.reorganise({ blocks: 10, transactions: 'dropped' });
    world.replicas.use({ lag: 3 });
    expect(await polls(world, 4)).toEqual(['tx retracted']);
  });

  test.each([
    ['a balance', '{ id: w, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }'],
    [
      'a balance of a token',
      '{ id: w, kind: balance, token: USDC, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }',
    ],
    ['a token', `{ id: w, kind: token, token: ACME, every: 1m, alerts: [{ id: low, while: reputation == "scam" }] }`],
  ])('ends no alert on %s by what was so before', async (_what, watch) => {
    await using world = await createWorld(`watches: [${watch}]`);
    const set = (isLow: boolean): void => {
      world.sandbox.mine();
      world.sandbox.setBalance({ address: 'treasury', value: isLow ? 1n : 10n ** 20n });
      world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: isLow ? 1n : 10n ** 9n });
      world.sandbox.flagToken({ token: 'ACME', reputation: isLow ? 'scam' : 'ok' });
    };
    set(false);
    expect(await world.poll()).toEqual([]);
    set(true);
    expect(await world.poll()).toEqual(['low firing']);
    world.replicas.use({ lag: 1 });
    expect(await polls(world, 3)).toEqual([]);
    world.replicas.use({});
    expect(await polls(world, 2)).toEqual([]);
    set(false);
    expect(await world.poll()).toEqual(['low resolved']);
  });

  test('removes no token that arrived since', async () => {
    await using world = await createWorld(
      'watches: [{ id: w, kind: holdings, of: treasury, every: 1m, alerts: [{ id: here, on: added }, { id: gone, on: removed }] }]',
    );
    await world.poll();
    world.sandbox.mine();
    const { token } = world.sandbox.giveToken({ address: 'treasury', value: 5 });
    expect(await world.poll()).toEqual(['here event']);
    world.replicas.use({ lag: 1 });
    expect(await polls(world, 3)).toEqual([]);
    world.replicas.use({});
    expect(await polls(world, 2)).toEqual([]);
    world.sandbox.setBalance({ address: 'treasury', token, value: 0 });
    expect(await polls(world, 2)).toEqual(['gone event']);
  });

  test('removes no token by one poll, though nobody knows when it arrived', async () => {
    await using world = await createWorld(
      'watches: [{ id: w, kind: holdings, of: treasury, every: 1m, alerts: [{ id: gone, on: removed }] }]',
    );
    world.sandbox.mine();
    world.sandbox.giveToken({ address: 'treasury', value: 5 });
    expect(await world.poll()).toEqual([]);
    world.replicas.use({ lag: 1 });
    expect(await world.poll()).toEqual([]);
    world.replicas.use({});
    expect(await polls(world, 3)).toEqual([]);
  });
});

test('the head is asked for when a decision rests on it, once for all watches of a tick, and never in a quiet poll', async () => {
  await using world = await createWorld(`${EVENTS}
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }
`);
  world.sandbox.setBalance({ address: 'treasury', value: 10n ** 20n });
  world.sandbox.addTransaction({});
  world.sandbox.failCall({ to: 'vault' });
  await polls(world, 3);
  world.sandbox.mine();
  world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
  world.sandbox.failCall({ to: 'vault' });
  await polls(world, 3);
  expect(blocksAsked(world)).toBe(0);
  world.sandbox.setBalance({ address: 'treasury', value: 1n });
  await polls(world, 3);
  expect(blocksAsked(world)).toBe(1);
  world.sandbox.setBalance({ address: 'treasury', value: 10n ** 20n });
  world.replicas.use({ lag: 1 });
  await world.poll();
  expect(blocksAsked(world)).toBe(2);
});

test('an alert does not end while it cannot be seen how far the explorer has read', async () => {
  await using world = await createWorld(
    'watches: [{ id: w, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]',
  );
  world.sandbox.setBalance({ address: 'treasury', value: 1n });
  expect(await world.poll()).toEqual(['low firing']);
  world.sandbox.setBalance({ address: 'treasury', value: 10n ** 20n });
  world.sandbox.fail({ fault: 'not-found', operation: 'blocks', times: 2 });
  expect(await polls(world, 2)).toEqual([]);
  expect(await world.poll()).toEqual(['low resolved']);
});

describe('two replicas on two forks', () => {
  const HEAD = `
watches:
  - { id: head, kind: blocks, every: 1m, alerts: [{ id: reorg, on: reorg }, { id: block, on: new }] }
`;

  test('are one reorganisation, not one in every poll, while they take turns and both go on', async () => {
    await using world = await createWorld(HEAD);
    await world.poll();
    world.sandbox.mine({ blocks: 3 });
    await world.poll();
    const forkedAt = world.sandbox.head() - 1;
    world.replicas.use({ forkedAt });
    expect(tally(await world.poll())).toEqual({ 'reorg event': 1, 'block event': 2, 'block retracted': 2 });
    const said: string[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      world.replicas.use(turn % 2 === 0 ? {} : { forkedAt });
      world.sandbox.mine();
      said.push(...(await world.poll()));
    }
    expect([...new Set(said)]).toEqual(['block event']);
  });

  test('of which one wins: after ten minutes its blocks are said to be there after all, and the others to be gone', async () => {
    await using world = await createWorld(HEAD);
    await world.poll();
    world.sandbox.mine({ blocks: 3 });
    await world.poll();
    world.replicas.use({ forkedAt: world.sandbox.head() - 1 });
    await world.poll();
    world.replicas.use({});
    expect(tally(await polls(world, 9))).toEqual({ 'block retracted': 2 });
    expect(tally(await polls(world, 2))).toEqual({ 'block reinstated': 2 });
    expect(await polls(world, 12)).toEqual([]);
  });
});

describe('a block that takes the place of another', () => {
  const WITH_HEAD = `${EVENTS}  - { id: head, kind: blocks, every: 1m, alerts: [{ id: deep, on: reorg, if: depth > 99 }] }\n`;

  /** A block with that many transactions and calls, and two blocks on top. */
  async function tellOf(world: World, items: number): Promise<void> {
    await world.poll();
    world.sandbox.mine();
    for (let i = 0; i < items; i += 1) {
      world.sandbox.addTransaction({ value: 101n * 10n ** 18n });
      world.sandbox.failCall({ to: 'vault' });
    }
    expect(await world.poll()).toHaveLength(2 * items);
    world.sandbox.mine({ blocks: 2 });
    await world.poll();
  }

  test('takes back at once what was told of that one', async () => {
    await using world = await createWorld(WITH_HEAD);
    await tellOf(world, 2);
    world.sandbox.reorganise({ blocks: 3, transactions: 'dropped' });
    expect(tally(await world.poll())).toEqual({ 'tx retracted': 2, 'call retracted': 2 });
  });

  test('takes back at once however much was told of it', async () => {
    await using world = await createWorld(WITH_HEAD);
    await tellOf(world, 30);
    world.sandbox.reorganise({ blocks: 3, transactions: 'dropped' });
    expect(tally(await world.poll())).toEqual({ 'tx summary': 1, 'call summary': 1 });
  });

  test('does so after a restart too', async () => {
    await using world = await createWorld(WITH_HEAD);
    await tellOf(world, 1);
    await world.restart();
    world.sandbox.reorganise({ blocks: 3, transactions: 'dropped' });
    expect(tally(await world.poll())).toEqual({ 'tx retracted': 1, 'call retracted': 1 });
  });

  test('takes back nothing while replicas on two forks take turns; the metric says that they do', async () => {
    await using world = await createWorld(WITH_HEAD);
    await tellOf(world, 1);
    const forkedAt = world.sandbox.head() - 2;
    world.replicas.use({ forkedAt });
    expect(tally(await world.poll())).toEqual({ 'tx retracted': 1, 'call retracted': 1 });
    expect(world.areForked).toBe(false);
    const said: string[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      world.replicas.use(turn % 2 === 0 ? {} : { forkedAt });
      world.sandbox.mine();
      said.push(...(await world.poll()));
    }
    expect(said).toEqual([]);
    expect(world.areForked).toBe(true);
    expect(world.log.lines.filter((line) => line.includes('forks'))).toEqual(['warn explorer:forks']);
    world.replicas.use({});
    expect(tally(await polls(world, 11))).toEqual({ 'tx reinstated': 1, 'call reinstated': 1 });
    expect(world.areForked).toBe(false);
  });
});

function tally(said: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(said, (one) => one)].map(([one, all]) => [one, all.length]));
}
