// Strangers who fill the lists that are watched: with tokens that they made up, transfers of nothing, events of their own
// contracts, and calls whose functions have colliding selectors. What is true is told in time.
import { describe, expect, test } from '@jest/globals';
import { bodyOf } from '../../src/notifiers/rendering/body.ts';
import { aDelivery } from '../notifiers/samples.ts';
import { createWorld, polls, pollsWithBlocks, type World } from '../support/world.ts';

const PAYEE = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const STRANGER = '0x9f2e0000000000000000000000000000000041c7';

/** In the order of the alphabet: watches are polled side by side. */
const said = ({ messages }: World): string[] =>
  messages.map(({ severity, alert, title }) => `${severity} ${alert}: ${title}`).toSorted();

/** Made-up tokens that call themselves USDC. */
function fakeTokens({ sandbox }: World, count: number): readonly string[] {
  return Array.from(
    { length: count },
    () => sandbox.giveToken({ address: 'vault', symbol: 'USDC', decimals: 6, value: 1n }).token,
  );
}

describe('transfers', () => {
  const RULES = `
watches:
  - id: out
    kind: transfers
    of: treasury
    every: 1m
    alerts:
      - { id: moved, on: new, if: direction == "out", severity: critical }
      - { id: large, on: new, if: direction == "out" && value_usd > 100_000, severity: critical }
      - { id: much, on: new, at_least: { count: 5, within: 1h }, severity: critical }
`;
  const MANY = 200_000n * 10n ** 6n;

  async function funded(rules = RULES): Promise<World> {
    const world = await createWorld(rules);
    world.sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 10n * MANY });
    world.sandbox.transferToken({ token: 'USDC', from: 'treasury', to: PAYEE, value: 1n });
    await world.poll();
    return world;
  }

  const pay = ({ sandbox }: World) =>
    sandbox.transferToken({ token: 'USDC', from: 'treasury', to: PAYEE, value: MANY });

  /** `half`: called between the halves. */
  function flood(world: World, transactions: number, half: () => void = () => undefined): void {
    const tokens = fakeTokens(world, 3);
    for (let i = 0; i < transactions; i += 1) {
      if (i % 100 === 0) world.sandbox.mine();
      if (i === transactions / 2) half();
      const isNothing = i % 100 === 50;
      world.sandbox.transferToken({
        token: isNothing ? 'USDC' : (tokens[i % tokens.length] ?? ''),
        from: 'treasury',
        to: PAYEE,
        value: isNothing ? 0n : MANY + BigInt(i),
        moves: false,
        times: 5,
      });
    }
  }

  test('the true one among 10,000 false ones is told in the next poll, and each poll has one claim and one line', async () => {
    await using world = await funded();
    flood(world, 2000, () => pay(world));
    const first = await world.poll();
    expect(said(world)).toEqual([
      'critical large: treasury sent 200,000 USDC to 0x3c54…b3AB, $200,000, above $100,000',
      'critical moved: treasury sent 200,000 USDC to 0x3c54…b3AB',
      'warning moved: 989 more moved claims of out in one poll',
      'warning moved: USDC claims that treasury sent 0 USDC to 0x3c54…b3AB',
    ]);
    expect(first.filter((one) => one === 'large event')).toHaveLength(1);
    const claims = world.messages.map((message) => bodyOf(aDelivery({ message })).data.claim);
    expect(claims.toSorted()).toEqual([true, true, undefined, undefined]);
    expect(await polls(world, 3)).not.toContain('large event');
    expect(said(world)).toHaveLength(2);
    await world.restart();
    const later = await world.poll();
    expect([later.includes('large event'), later.includes('much firing')]).toEqual([false, false]);
  });

  test('one that comes while the flood is read on is told in the next poll, and taken back with its block', async () => {
    await using world = await funded(RULES.replace('every: 1m', 'every: 1m\n    max_pages: 4'));
    flood(world, 60);
    await world.poll();
    flood(world, 20, () => pay(world));
    expect(await world.poll()).toContain('large event');
    world.sandbox.reorganise({ blocks: 1, transactions: 'dropped' });
    expect((await pollsWithBlocks(world, 12)).filter((one) => one.startsWith('large'))).toEqual(['large retracted']);
  });

  test('a list without a flood is asked for once', async () => {
    await using world = await funded();
    pay(world);
    const before = world.asked.length;
    await world.poll();
    expect(world.asked.slice(before)).toHaveLength(1);
  });
});

describe('logs', () => {
  const APPROVAL = 'Approval(address indexed owner, address indexed spender, uint256 value)';
  const OWNER = 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)';
  const RULES = `
watches:
  - id: admin
    kind: logs
    of: [vault, treasury]
    every: 1m
    events: [Paused, OwnershipTransferred, RoleGranted, Upgraded]
    alerts: [{ id: told, on: new, severity: critical }]
  - id: approvals
    kind: logs
    of: USDC
    every: 1m
    events: '${APPROVAL}'
    where: { owner: ours }
    alerts: [{ id: unlimited, on: new, if: unlimited(args.value), severity: critical }]
`;
  const UNLIMITED = String(2n ** 256n - 1n);
  const FALSE = [
    { event: 'Paused(address account)', args: ['vault'] },
    { event: OWNER, args: ['treasury', STRANGER] },
    { event: OWNER.replaceAll(' indexed', ''), args: ['treasury', STRANGER] },
    {
      event: 'RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
      args: [`0x${'0'.repeat(64)}`, STRANGER, 'treasury'],
    },
    { event: 'Upgraded(address implementation)', args: [STRANGER] },
    { event: APPROVAL, args: ['treasury', STRANGER, UNLIMITED] },
    { event: APPROVAL, args: ['treasury', STRANGER, UNLIMITED], data: '0x01' },
  ];

  test('events of 10,000 from a contract without a name are not even read, and the true ones are told at once', async () => {
    await using world = await createWorld(RULES);
    const { sandbox } = world;
    await world.poll();
    for (let i = 0; i < 100; i += 1) {
      if (i % 20 === 0) sandbox.mine();
      sandbox.emit({ address: STRANGER, from: STRANGER, times: 100, ...(FALSE[i % FALSE.length] ?? {}) });
      // Anybody can approve what he has himself.
      sandbox.emit({
        address: 'USDC',
        from: STRANGER,
        event: APPROVAL,
        args: [STRANGER, 'treasury', UNLIMITED],
        times: 20,
      });
    }
    const before = world.asked.length;
    expect(await world.poll()).toEqual([]);
    expect(world.asked.slice(before)).toHaveLength(3);
    sandbox.mine();
    sandbox.emit({ event: OWNER, args: ['treasury', STRANGER] });
    sandbox.emit({ address: 'USDC', event: APPROVAL, args: ['treasury', STRANGER, UNLIMITED] });
    await world.poll();
    expect(said(world)).toEqual([
      'critical told: owner of vault is now 0x9f2e…41c7, was treasury',
      'critical unlimited: treasury approved 0x9f2e…41c7 to spend USDC without limit',
    ]);
  });

  const ANYBODY = `
watches:
  - id: approvals
    kind: logs
    every: 1m
    events: '${APPROVAL}'
    where: { owner: ours }
    alerts:
      - { id: unlimited, on: new, if: address in tokens && unlimited(args.value), severity: critical }
      - { id: any, on: new, severity: critical }
`;

  test('the true one among 10,000 false approvals is told in the next poll, within a twentieth of the plan', async () => {
    const plan = 1_000_000;
    await using world = await createWorld(ANYBODY, { form: 'multichain', creditsPerDay: plan });
    const { sandbox } = world;
    await world.poll();
    const spent: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 100; i += 1) {
        if (i % 10 === 0) sandbox.mine();
        sandbox.emit({
          address: STRANGER,
          from: STRANGER,
          event: APPROVAL,
          args: ['treasury', STRANGER, UNLIMITED],
          times: 50,
        });
      }
      sandbox.emit({ address: 'USDC', event: APPROVAL, args: ['treasury', STRANGER, UNLIMITED] });
      const before = world.asked.length;
      const told = [...(await world.poll())];
      const first = said(world);
      expect(first.filter((one) => one.startsWith('critical'))).toEqual([
        'critical any: treasury approved 0x9f2e…41c7 to spend USDC without limit',
        'critical unlimited: treasury approved 0x9f2e…41c7 to spend USDC without limit',
      ]);
      expect(first.length).toBeLessThanOrEqual(4);
      spent.push(world.asked.slice(before).length);
      expect((await polls(world, 3)).filter((one) => one.startsWith('unlimited'))).toEqual([]);
      expect(told.filter((one) => one === 'unlimited event')).toHaveLength(1);
    }
    await world.run(7_200_000);
    sandbox.emit({ address: STRANGER, from: STRANGER, event: APPROVAL, args: ['treasury', STRANGER, '7'] });
    expect(await world.poll()).toEqual(['any event']);
    expect(said(world)[0]).toMatch(/^warning any: 0x9f2e…41c7 claims that/);
    // Of what a poll costs above its two questions and the head.
    expect(spent.every((count) => (count - 3) * 20 <= plan * 0.05)).toBe(true);
    await world.restart();
    expect(said(world).filter((one) => one.startsWith('critical'))).toEqual([]);
  });

  test('of several owners at once hide no true one, even if the pages do not suffice for each', async () => {
    const few = ANYBODY.replace('every: 1m', 'every: 1m\n    max_pages: 4');
    await using world = await createWorld(few, { form: 'multichain' });
    const { sandbox } = world;
    await world.poll();
    for (let i = 0; i < 200; i += 1) {
      if (i % 10 === 0) sandbox.mine();
      const owner = i % 2 === 0 ? 'treasury' : 'vault';
      sandbox.emit({
        address: STRANGER,
        from: STRANGER,
        event: APPROVAL,
        args: [owner, STRANGER, UNLIMITED],
        times: 50,
      });
    }
    sandbox.emit({ address: 'USDC', event: APPROVAL, args: ['treasury', STRANGER, UNLIMITED] });
    await world.poll();
    expect(said(world)).toContain('critical unlimited: treasury approved 0x9f2e…41c7 to spend USDC without limit');
  });
});

describe('calls', () => {
  const PAUSE = '0x8456cb59';
  const TRANSFER_OWNERSHIP = '0xf2fde38b';
  const RULES = `
watches:
  - id: direct
    kind: transactions
    of: vault
    every: 1m
    calls: [pause, transferOwnership]
    alerts:
      - { id: admin, on: new, if: 'to == vault && status == "ok" && called in ["pause", "transferOwnership"]', severity: critical }
      - { id: owner, on: new, if: 'status == "ok" && args.newOwner != treasury', severity: critical }
  - id: nested
    kind: internal-transactions
    of: vault
    direction: to
    every: 1m
    calls: [pause, transferOwnership]
    alerts:
      - { id: admin, on: new, if: 'success == true && call.type == "call" && called == "pause"', severity: critical }
`;

  test('that fail, that are delegated or that send anything else are not told, and the true ones are at once', async () => {
    await using world = await createWorld(RULES);
    const { sandbox } = world;
    await world.poll();
    for (let i = 0; i < 800; i += 1) {
      if (i % 50 === 0) sandbox.mine();
      const input = [PAUSE, `${TRANSFER_OWNERSHIP}ff`, `${PAUSE}00`, '0x8456cb'][i % 4] ?? '0x';
      sandbox.addTransaction({ from: STRANGER, to: 'vault', input, status: input === '0x8456cb' ? 'ok' : 'error' });
      if (i === 400) sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', input: PAUSE });
    }
    for (let i = 0; i < 3000; i += 1) {
      if (i % 100 === 0) sandbox.mine();
      const made = { from: STRANGER, to: 'vault', function: 'pause()' };
      if (i % 2 === 0) sandbox.callContract({ ...made, type: 'delegatecall' });
      else sandbox.failCall(made);
      if (i === 1500) sandbox.callContract({ from: PAYEE, to: 'vault', function: 'pause()' });
    }
    await world.poll();
    expect(said(world)).toEqual([
      'critical admin: hot_wallet called pause on vault',
      'critical admin: pause called on vault by 0x3c54…b3AB',
    ]);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });
});

test('tokens that are given away are no holding of ours, and upgrades of other contracts none of our contract', async () => {
  await using world = await createWorld(`
watches:
  - id: held
    kind: holdings
    of: treasury
    every: 1m
    alerts:
      - { id: ours, on: added, if: token.address_hash in tokens, severity: critical }
      - { id: rich, while: total_usd > 100_000_000_000, severity: critical }
  - id: code
    kind: contract
    of: vault
    every: 1m
    alerts: [{ id: upgraded, on: changed, severity: critical }]
`);
  const { sandbox } = world;
  await world.poll();
  sandbox.mine();
  for (let i = 0; i < 300; i += 1) {
    const { token } = sandbox.giveToken({ address: 'treasury', symbol: 'USDC', name: 'USD Coin', value: 10n ** 30n });
    if (i % 3 === 0) sandbox.setPrice({ token, price: '1000000' });
    sandbox.emit({ address: STRANGER, event: 'Upgraded(address indexed implementation)', args: [STRANGER] });
  }
  expect(await pollsWithBlocks(world, 2)).toEqual([]);
  sandbox.setBalance({ address: 'treasury', token: 'ITEMS', tokenId: '1', value: 1n });
  sandbox.upgrade({ implementation: STRANGER });
  expect(await pollsWithBlocks(world, 1)).toContain('upgraded event');
});
