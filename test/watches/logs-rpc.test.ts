// The events of a contract by `eth_getLogs`, where the config allows the JSON-RPC and its lists of topics save questions.
import { describe, expect, test } from '@jest/globals';
import { waitingWords } from '../../src/explain/data-words.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { RELEASES } from '../../src/sandbox/releases/release.ts';
import { coverageOf } from '../../src/watches/lists/coverage.ts';
import { ListState } from '../../src/watches/list-state.ts';
import { createWorld, loadConfigOf, loadWatches, polls, pollsWithBlocks, type World } from '../support/world.ts';

const STRANGER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const OWNER_EVENT = 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)';
const APPROVAL = 'Approval(address indexed owner, address indexed spender, uint256 value)';
const ANY = '{ id: any, on: new, severity: critical }';
const BOTH = rules('events: [Paused, OwnershipTransferred],');
const OURS = approvals('owner: [treasury, vault, hot_wallet]');

function rules(keys: string, alerts = ANY): string {
  return `watches: [{ id: admin, kind: logs, of: vault, every: 1m, ${keys} alerts: [${alerts}] }]`;
}

function approvals(where: string, keys = 'of: USDC,', alerts = ANY): string {
  return `watches: [{ id: approvals, kind: logs, ${keys} every: 1m, events: '${APPROVAL}', where: { ${where} }, alerts: [${alerts}] }]`;
}

function pause(world: World, times = 1): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: 'Paused(address account)', args: ['hot_wallet'], times });
}

function newOwner(world: World): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: OWNER_EVENT, args: ['treasury', STRANGER] });
}

function approve(world: World, owner = 'vault'): void {
  world.sandbox.mine();
  world.sandbox.emit({ address: 'USDC', event: APPROVAL, args: [owner, STRANGER, '5'] });
}

function askedSince(world: World, before: number): readonly string[] {
  return world.asked.slice(before).map((one) => one.replace(/\?.*/, '').replace(/0x[0-9a-f]{40}/, '{hash}'));
}

async function stateOf({ store }: World, yaml = BOTH): Promise<ListState> {
  const id = loadWatches(yaml)[0]?.id ?? '';
  return ListState.parse((await store.recall([id])).get(id)?.state);
}

const DAY_MS = 86_400_000;

interface Filter {
  readonly address?: string;
  readonly topics: readonly unknown[];
  readonly fromBlock: string;
  readonly toBlock: string;
}

function filtersIn({ posted }: World): readonly Filter[] {
  return posted.flatMap((text) => (JSON.parse(text) as { params: Filter[] }).params);
}

describe('the question', () => {
  test.each(['instance', 'multichain'] as const)('for several events of a contract is one (%s form)', async (form) => {
    await using world = await createWorld(BOTH, { form });
    await world.poll();
    const before = world.asked.length;
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    expect(askedSince(world, before)).toEqual(['eth-rpc']);
    const filter = filtersIn(world).at(-1);
    expect(filter?.topics).toEqual([[expect.stringMatching(/^0x62e7/), expect.stringMatching(/^0x8be0/)]]);
    expect(filter).toMatchObject({ fromBlock: '0x1c', toBlock: 'latest', address: expect.stringMatching(/^0x/) });
    pause(world);
    newOwner(world);
    expect(await world.poll()).toEqual(['any event', 'any event']);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });

  test('for several values of the first indexed argument is one for each event', async () => {
    await using world = await createWorld(OURS);
    await world.poll();
    const before = world.asked.length;
    expect(await world.poll()).toEqual([]);
    expect(askedSince(world, before)).toEqual(['eth-rpc']);
    expect(filtersIn(world).at(-1)?.topics).toEqual([
      expect.stringMatching(/^0x8c5b/),
      Array.from({ length: 3 }, () => expect.stringMatching(/^0x0{24}/)),
    ]);
    for (const owner of ['treasury', 'vault', STRANGER, 'hot_wallet']) approve(world, owner);
    expect(await world.poll()).toEqual(['any event', 'any event', 'any event']);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });

  test.each([
    ['one event', rules('events: Paused,'), 1],
    ['one value', approvals('owner: treasury'), 1],
    ['values of a later argument', approvals('spender: [treasury, vault]'), 2],
    ['values of two arguments', approvals('owner: [treasury, vault], spender: hot_wallet'), 2],
    ['any contract', approvals('owner: [treasury, vault]', ''), 2],
    [
      'a rule that reads the time',
      rules('events: [Paused, OwnershipTransferred],', `{ id: any, on: new, title: "at {{ timestamp }}" }`),
      1,
    ],
  ])('for %s is asked as before', async (_case, yaml, questions) => {
    await using world = await createWorld(yaml);
    await world.poll();
    const before = world.asked.length;
    expect(await world.poll()).toEqual([]);
    const asked = askedSince(world, before).filter((path) => path !== 'blocks');
    expect(asked).toEqual(Array.from({ length: questions }, () => 'api'));
  });

  test('may have 16 values with rpc, and is refused at 17 and without it', () => {
    const some = (count: number): string =>
      approvals(
        `owner: [${Array.from({ length: count }, (_, i) => `'0x${String(i + 1).padStart(40, '0')}'`).join(', ')}]`,
      );
    expect(loadWatches(some(16))).toHaveLength(1);
    expect(() => loadWatches(some(17))).toThrow('asks 17 questions a poll, and at most 10 are possible');
    const refused = 'asks 16 questions a poll, and at most 10 are possible';
    expect(() => loadWatches(some(16), new Map(), false)).toThrow(refused);
    expect(() => loadWatches(some(16).replace('of: USDC,', ''))).toThrow(refused);
  });
});

describe('check', () => {
  const linesOf = (yaml: string, rpc = true): string =>
    describeWatches(loadWatches(yaml, new Map(), rpc), loadConfigOf(rpc)).lines.join('\n');

  test('names the question, its price, and the other ways', () => {
    const lines = linesOf(OURS);
    expect(lines).toMatch(/asks eth-get-logs +1,440 requests, 28,800 credits a day/);
    expect(lines).toContain(
      '1 question a poll by eth_getLogs; where the explorer refuses this, 3 questions to api?module=logs, and then addresses/{address}/logs, 30 credits a page',
    );
  });

  test('says without rpc how many questions it would save', () => {
    const lines = linesOf(OURS, false);
    expect(lines).toMatch(/4,320 requests, 86,400 credits a day/);
    expect(lines).toContain('3 questions a poll (1 with rpc: true at the explorer); where');
  });
});

describe('an answer', () => {
  test('of logs that are known asks and writes nothing more', async () => {
    await using world = await createWorld(BOTH);
    await world.poll();
    pause(world);
    expect(await world.poll()).toEqual(['any event']);
    const before = world.asked.length;
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
    expect(askedSince(world, before)).toEqual(['eth-rpc', 'eth-rpc', 'eth-rpc']);
    expect(world.decisions.map(({ hasChanged }) => hasChanged)).toEqual([false]);
  });

  test('with a full page is read on from its last block, also over a restart', async () => {
    await using world = await createWorld(rules('events: [Paused, OwnershipTransferred], max_pages: 2,'));
    await world.poll();
    for (let i = 0; i < 5; i += 1) pause(world, 500);
    const told = [...(await world.poll())];
    expect(told.length).toBeLessThan(2500);
    await world.restart();
    told.push(...(await polls(world, 4)));
    expect(told).toHaveLength(2500);
  });

  test('with more rows in a block than an answer has hides no other event', async () => {
    await using world = await createWorld(
      rules('events: [Paused, OwnershipTransferred],', '{ id: owner, on: new, if: event == "OwnershipTransferred" }'),
    );
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ event: 'Paused(address account)', args: ['hot_wallet'], times: 1200 });
    world.sandbox.emit({ event: OWNER_EVENT, args: ['treasury', STRANGER] });
    expect(await world.poll()).toEqual(['owner event']);
    const [gap] = coverageOf(await stateOf(world)).unread;
    expect(gap?.reason).toMatch(/more/);
  });

  test.each(RELEASES)('of release %s is told once, and retracted after a reorganisation', async (as) => {
    for (const [yaml, emit] of [
      [BOTH, pause],
      [OURS, approve],
    ] as const) {
      await using world = await createWorld(yaml, { as });
      await world.poll();
      emit(world);
      expect(await world.poll()).toEqual(['any event']);
      expect(world.asked.some((one) => one.startsWith('api?'))).toBe(false);
      expect(await pollsWithBlocks(world, 3)).toEqual([]);
      world.sandbox.reorganise({ blocks: 4, transactions: 'remined' });
      expect(await pollsWithBlocks(world, 3)).toEqual([]);
      world.sandbox.reorganise({ blocks: 8, transactions: 'dropped' });
      world.sandbox.mine({ blocks: 8 });
      expect(await polls(world, 4)).toEqual(['any retracted']);
    }
  });
});

describe('the time of an event', () => {
  const COUNT = '{ id: three, on: new, at_least: { count: 3, within: 10m } }';

  test('is that of its block, from page one of the blocks, and counts in spans', async () => {
    await using world = await createWorld(rules('events: [Paused, OwnershipTransferred],', COUNT));
    await world.poll();
    const before = world.asked.length;
    pause(world);
    await world.clock.advance(15 * 60_000);
    pause(world);
    pause(world);
    expect(await world.poll()).toEqual([]);
    expect(askedSince(world, before)).toEqual(['eth-rpc', 'blocks']);
    pause(world);
    expect(await world.poll()).toEqual(['three firing']);
  });

  test('of an older block is asked for before it is told, five pages a poll at most', async () => {
    await using world = await createWorld(BOTH, { pageSize: 2 });
    await world.poll();
    for (let i = 0; i < 8; i += 1) {
      pause(world);
      world.sandbox.mine({ blocks: 6 });
    }
    const before = world.asked.length;
    const first = await world.poll();
    expect(first.length).toBeGreaterThanOrEqual(5);
    expect(first.length).toBeLessThan(8);
    const asked = askedSince(world, before);
    expect(asked.filter((one) => one === 'blocks')).toHaveLength(6);
    expect(asked.filter((one) => one === 'eth-rpc')).toHaveLength(1);
    expect(coverageOf(await stateOf(world)).unread).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('page 2 did not come') }),
    ]);
    await world.restart();
    expect([...first, ...(await polls(world, 2))]).toHaveLength(8);
    expect(coverageOf(await stateOf(world)).unread).toEqual([]);
  });

  test('is asked for also where the plan has no credits for further pages', async () => {
    await using world = await createWorld(BOTH, { creditsPerDay: 2000 });
    await world.poll();
    for (let i = 0; i < 12; i += 1) {
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
    }
  });

  test('is known by api where the list of blocks fails', async () => {
    await using world = await createWorld(BOTH);
    await world.poll();
    pause(world);
    world.sandbox.fail({ fault: 'server-error', operation: 'blocks', times: 100 });
    const before = world.asked.length;
    expect(await world.poll()).toEqual(['any event']);
    expect(askedSince(world, before).at(-1)).toBe('api');
    world.sandbox.clearFaults();
    pause(world);
    expect(await world.poll()).toEqual(['any event']);
    expect((await stateOf(world)).rpc).toBeUndefined();
  });

  test('that is in no list of blocks keeps no event back', async () => {
    await using world = await createWorld(BOTH);
    await world.poll();
    world.sandbox.lag({ operation: 'blocks', blocks: 30 });
    for (let i = 0; i < 12; i += 1) pause(world);
    const before = world.asked.length;
    expect(await world.poll()).toHaveLength(12);
    const pages = world.asked.slice(before).filter((one) => one.startsWith('blocks?block_number=11'));
    expect(pages).toEqual(['blocks?block_number=113']);
  });

  test('tells an event that a reload adds from then on, not of before', async () => {
    await using world = await createWorld(BOTH);
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ event: 'Unpaused(address account)', args: ['hot_wallet'] });
    await world.clock.advance(60_000);
    expect(await world.poll()).toEqual([]);
    await world.load(rules('events: [Paused, OwnershipTransferred, Unpaused],'));
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
    world.sandbox.mine();
    world.sandbox.emit({ event: 'Unpaused(address account)', args: ['hot_wallet'] });
    expect(await world.poll()).toEqual(['any event']);
  });
});

describe('an explorer that refuses eth_getLogs', () => {
  type Fault = Parameters<World['sandbox']['fail']>[0]['fault'];

  function refuse(world: World, fault: Fault = 'not-found', operation = 'eth-rpc' as const): void {
    world.sandbox.fail({ fault, operation, times: 100_000 });
  }

  test.each(['not-found', 'no-calls', 'blocked', 'html', 'redirect', 'unauthorized', 'null', 'array'] as const)(
    '(%s) is asked by api at once and for a day',
    async (fault) => {
      await using world = await createWorld(BOTH);
      await world.poll();
      refuse(world, fault);
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
      const before = world.asked.length;
      await world.restart();
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
      expect(await pollsWithBlocks(world, 2)).toEqual([]);
      expect(new Set(askedSince(world, before))).toEqual(new Set(['api']));
      await world.clock.advance(DAY_MS);
      world.sandbox.clearFaults();
      expect(await pollsWithBlocks(world, 3)).toEqual([]);
      expect(world.asked.at(-1)).toMatch(/^eth-rpc/);
      expect((await stateOf(world)).rpc).toBeUndefined();
    },
  );

  test('by release 12 in an object is asked by api, too', async () => {
    await using world = await createWorld(OURS, { as: '12' });
    refuse(world, 'no-calls');
    await world.poll();
    approve(world, 'vault');
    expect(await world.poll()).toEqual(['any event']);
  });

  test('counts as refusing after server errors in three polls, none of which is missed', async () => {
    await using world = await createWorld(BOTH);
    await world.poll();
    refuse(world, 'server-error');
    const states: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
      states.push((await stateOf(world)).rpc?.state);
    }
    expect(states).toEqual(['failing', 'failing', 'refused']);
  });

  test('and getLogs, too, is asked for the list, and status names the way that is used', async () => {
    await using world = await createWorld(BOTH);
    await world.poll();
    refuse(world);
    const [watch] = loadWatches(BOTH);
    if (watch === undefined) throw new Error('no watch');
    const words = async (): Promise<readonly string[]> => {
      const memory = (await world.store.recall([watch.id])).get(watch.id);
      return memory === undefined ? [] : waitingWords(watch, memory, 'UTC');
    };
    expect(await pollsWithBlocks(world, 1)).toEqual([]);
    expect(await words()).toEqual([
      expect.stringMatching(/^read by api\?module=logs: the explorer refuses eth_getLogs \([\w-]+\) \(since /),
    ]);
    world.sandbox.fail({ fault: 'blocked', operation: 'get-logs', times: 100_000 });
    pause(world);
    expect(await world.poll()).toEqual(['any event']);
    expect(await words()).toEqual([
      expect.stringMatching(/^read by addresses\/\{address\}\/logs: the explorer refuses api\?module=logs \(blocked\)/),
    ]);
    world.sandbox.clearFaults();
    await world.clock.advance(DAY_MS);
    newOwner(world);
    expect(await polls(world, 2)).toEqual(['any event']);
    expect(await words()).toEqual([]);
  });
});

describe('a reload that adds or removes rpc', () => {
  test.each([
    ['several events', BOTH, pause],
    ['several values', OURS, approve],
  ] as const)('loses nothing, repeats nothing and bases nothing anew: %s', async (_case, yaml, emit) => {
    await using world = await createWorld(yaml, { rpc: false });
    await world.poll();
    for (let i = 0; i < 4; i += 1) {
      emit(world);
      expect(await world.poll()).toEqual(['any event']);
      const { floor } = await stateOf(world, yaml);
      // Mined before the reload, and read after it.
      emit(world);
      world.rpc = i % 2 === 0;
      await world.load(yaml);
      if (i > 1) await world.restart();
      const before = world.asked.length;
      expect(await world.poll()).toEqual(['any event']);
      expect(askedSince(world, before).includes(world.rpc ? 'eth-rpc' : 'api')).toBe(true);
      expect((await stateOf(world, yaml)).floor).toBe(floor);
      expect(await pollsWithBlocks(world, 3)).toEqual([]);
    }
  });

  test('while the range is behind, and while an event waits for confirmations, reads on there', async () => {
    const yaml = rules(
      'events: [Paused, OwnershipTransferred], max_pages: 1,',
      '{ id: late, on: new, confirmations: 3 }',
    );
    await using world = await createWorld(yaml);
    await world.poll();
    for (let i = 0; i < 4; i += 1) pause(world, 400);
    const told = [...(await world.poll())];
    world.rpc = false;
    await world.load(yaml);
    told.push(...(await polls(world, 2)));
    world.rpc = true;
    await world.load(yaml);
    world.sandbox.mine({ blocks: 4 });
    told.push(...(await polls(world, 6)));
    expect(told).toHaveLength(1600);
  });
});
