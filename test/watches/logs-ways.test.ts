// The events of a contract where a host refuses the Etherscan-style API: the list of the address is read in its place.
import { describe, expect, test } from '@jest/globals';
import { describeWatches } from '../../src/rules/describe.ts';
import { waitingWords } from '../../src/explain/data-words.ts';
import { RELEASES } from '../../src/sandbox/releases/release.ts';
import { coverageOf } from '../../src/watches/lists/coverage.ts';
import { ListState } from '../../src/watches/list-state.ts';
import {
  createWorld as createAnyWorld,
  loadConfigOf,
  loadWatches,
  polls,
  pollsWithBlocks,
  type World,
  type WorldOptions,
} from '../support/world.ts';

const STRANGER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const OWNER_EVENT = 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)';
const ANY = '{ id: any, on: new, severity: critical }';
const ONE = rules('events: Paused,');
const BOTH = rules('events: [Paused, OwnershipTransferred],');

function rules(keys: string, alerts = ANY): string {
  return `watches: [{ id: admin, kind: logs, of: vault, every: 1m, ${keys} alerts: [${alerts}] }]`;
}

/** A world whose config does not allow the JSON-RPC. */
function createWorld(yaml: string, options: WorldOptions = {}): Promise<World> {
  return createAnyWorld(yaml, { ...options, rpc: false });
}

function pause(world: World, times = 1): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: 'Paused(address account)', args: ['hot_wallet'], times });
}

function newOwner(world: World): void {
  world.sandbox.mine();
  world.sandbox.emit({ event: OWNER_EVENT, args: ['treasury', STRANGER] });
}

/** Events that the rule does not name. */
function noise(world: World, times: number): void {
  world.sandbox.mine();
  for (let i = 0; i < times / 10; i += 1)
    world.sandbox.emit({ event: 'Noted(address by)', args: ['treasury'], times: 10 });
}

type Fault = Parameters<World['sandbox']['fail']>[0]['fault'];

function refuse(world: World, fault: Fault = 'blocked'): void {
  world.sandbox.fail({ fault, operation: 'get-logs', times: 100_000 });
}

function askedSince(world: World, before: number): readonly string[] {
  return world.asked.slice(before).map((one) => one.replace(/\?.*/, '').replace(/0x[0-9a-f]{40}/, '{hash}'));
}

async function stateOf({ store }: World): Promise<ListState> {
  const id = loadWatches(BOTH)[0]?.id ?? '';
  return ListState.parse((await store.recall([id])).get(id)?.state);
}

const unreadIn = async (world: World): Promise<readonly string[]> =>
  coverageOf(await stateOf(world)).unread.map(({ heights, reason }) => `${heights}: ${reason}`);

const DAY_MS = 86_400_000;

describe('a host that refuses getLogs', () => {
  test.each(['blocked', 'html', 'not-found', 'redirect', 'unprocessable', 'unauthorized', 'null', 'array'] as const)(
    '(%s) is asked for the list of the contract, at once and for a day',
    async (fault) => {
      await using world = await createWorld(ONE);
      await world.poll();
      refuse(world, fault);
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
      expect(world.messages.map(({ title }) => title)).toEqual(['vault was paused by hot_wallet']);
      const before = world.asked.length;
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
      expect(askedSince(world, before)).toEqual(['addresses/{hash}/logs']);
      await world.restart();
      expect(await pollsWithBlocks(world, 2)).toEqual([]);
      expect(new Set(askedSince(world, before))).toEqual(new Set(['addresses/{hash}/logs']));
      await world.clock.advance(DAY_MS);
      world.sandbox.clearFaults();
      const later = world.asked.length;
      expect(await pollsWithBlocks(world, 3)).toEqual([]);
      expect(askedSince(world, later).at(-1)).toBe('api');
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
      expect((await stateOf(world)).api).toBeUndefined();
    },
  );

  test('still after a day is refused for another day', async () => {
    await using world = await createWorld(ONE);
    refuse(world);
    await world.poll();
    await world.clock.advance(DAY_MS);
    pause(world);
    expect(await polls(world, 2)).toEqual(['any event']);
    const before = world.asked.length;
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
    expect(new Set(askedSince(world, before))).toEqual(new Set(['addresses/{hash}/logs']));
  });

  test('with a server error counts as refused after three polls in a row, and misses none of them', async () => {
    await using world = await createWorld(ONE);
    await world.poll();
    refuse(world, 'server-error');
    const ways: unknown[] = [];
    for (let i = 0; i < 4; i += 1) {
      pause(world);
      expect(await world.poll()).toEqual(['any event']);
      ways.push((await stateOf(world)).api);
    }
    expect(ways).toMatchObject([
      { state: 'failing', polls: 1 },
      { state: 'failing', polls: 2 },
      { state: 'refused', why: 'server-error' },
      { state: 'refused', why: 'server-error' },
    ]);
  });

  test('with a server error now and then is asked again at the next poll', async () => {
    await using world = await createWorld(ONE);
    await world.poll();
    for (let i = 0; i < 4; i += 1) {
      refuse(world, 'server-error');
      pause(world);
      expect(await polls(world, 2)).toEqual(['any event']);
      world.sandbox.clearFaults();
      expect(await polls(world, 2)).toEqual([]);
      expect((await stateOf(world)).api).toBeUndefined();
    }
  });

  test('and then the list, too, is asked for getLogs again at once', async () => {
    await using world = await createWorld(ONE);
    refuse(world);
    await world.poll();
    world.sandbox.clearFaults();
    world.sandbox.fail({ fault: 'not-found', operation: 'address-logs', times: 1000 });
    pause(world);
    expect(await world.poll()).toEqual(['any event']);
    expect((await stateOf(world)).api).toBeUndefined();
  });

  test('and the list is blind, and the refused path is named', async () => {
    await using world = await createWorld(ONE);
    await world.poll();
    refuse(world);
    world.sandbox.fail({ fault: 'not-found', operation: 'address-logs', times: 1000 });
    pause(world);
    expect(await world.poll()).toEqual([]);
    expect(JSON.stringify(world.log.fields)).toContain('/api?module=logs&action=getLogs');
    world.sandbox.clearFaults();
    expect(await world.poll()).toEqual(['any event']);
  });

  test('is named by status with the way that is used, and check names both', async () => {
    await using world = await createWorld(BOTH);
    refuse(world);
    await world.poll();
    const [watch] = loadWatches(BOTH, new Map(), false);
    if (watch === undefined) throw new Error('no watch');
    const memory = (await world.store.recall([watch.id])).get(watch.id);
    if (memory === undefined) throw new Error('no memory');
    expect(waitingWords(watch, memory, 'UTC')).toEqual([
      expect.stringMatching(
        /^read by addresses\/\{address\}\/logs: the explorer refuses api\?module=logs \(blocked\) \(since /,
      ),
    ]);
    expect(describeWatches([watch], loadConfigOf()).lines.join('\n')).toContain(
      'where the explorer refuses this, addresses/{address}/logs, 30 credits a page',
    );
  });
});

describe('the list of a contract', () => {
  test('is narrowed to the only topic, and of several events it is filtered here', async () => {
    await using one = await createWorld(ONE);
    refuse(one);
    await one.poll();
    expect(one.asked.at(-1)).toMatch(/^addresses\/0x\w{40}\/logs\?topic=0x62e7/);
    await using world = await createWorld(BOTH);
    refuse(world);
    await world.poll();
    noise(world, 10);
    newOwner(world);
    expect(await world.poll()).toEqual(['any event']);
    expect(world.asked.at(-1)).toMatch(/^addresses\/0x\w{40}\/logs\?(?!.*topic)/);
  });

  test('by where is narrowed to the value, and checked again here', async () => {
    const approval = 'Approval(address indexed owner, address indexed spender, uint256 value)';
    const yaml = `watches: [{ id: admin, kind: logs, of: USDC, every: 1m, events: '${approval}', where: { owner: treasury }, alerts: [${ANY}] }]`;
    await using world = await createWorld(yaml);
    refuse(world);
    await world.poll();
    world.sandbox.mine();
    world.sandbox.emit({ address: 'USDC', event: approval, args: ['hot_wallet', 'treasury', '5'] });
    world.sandbox.emit({ address: 'USDC', event: approval, args: ['treasury', 'hot_wallet', '5'] });
    expect(await world.poll()).toEqual(['any event']);
    expect(world.asked.at(-1)).toMatch(/logs\?topic=0x0{24}\w{40}$/);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });

  test('hides no event behind pages of others, and reads known pages no further each time', async () => {
    await using world = await createWorld(BOTH);
    refuse(world);
    noise(world, 120);
    await world.poll();
    world.sandbox.mine({ blocks: 20 });
    for (let i = 0; i < 4; i += 1) {
      newOwner(world);
      noise(world, 130);
      world.sandbox.mine({ blocks: 20 });
      expect(await world.poll()).toEqual(['any event']);
      const before = world.asked.length;
      noise(world, 10);
      expect(await world.poll()).toEqual([]);
      expect(world.asked.length - before).toBeLessThanOrEqual(4);
      const later = world.asked.length;
      expect(await world.poll()).toEqual([]);
      expect(world.asked.length - later).toBe(1);
    }
  });

  test('names what its pages do not reach, and reads it later', async () => {
    await using world = await createWorld(rules('events: [Paused, OwnershipTransferred], max_pages: 3,'));
    refuse(world);
    await world.poll();
    newOwner(world);
    world.sandbox.mine({ blocks: 20 });
    for (let i = 0; i < 8; i += 1) noise(world, 40);
    expect(await world.poll()).toEqual([]);
    expect(await unreadIn(world)).toEqual([expect.stringMatching(/^blocks \d+-\d+: 3 pages read$/)]);
    expect(await polls(world, 10)).toEqual(['any event']);
    expect(await unreadIn(world)).toEqual([]);
  });

  test('of a release that ignores the cursor beside a topic is read on without it', async () => {
    await using world = await createWorld(
      rules('events: Paused, max_pages: 10,', `{ id: many, on: new, at_least: { count: 160, within: 1h } }`),
    );
    refuse(world);
    world.sandbox.fail({ fault: 'ignored-cursor', operation: 'address-logs', times: 100_000 });
    await world.poll();
    for (let i = 0; i < 4; i += 1) pause(world, 40);
    noise(world, 30);
    expect(await world.poll()).toEqual(['many firing']);
    expect(await unreadIn(world)).toEqual([]);
  });

  test.each(RELEASES)('is read of release %s, told once, and retracted after a reorganisation', async (as) => {
    await using world = await createWorld(rules('events: [Paused, OwnershipTransferred],'), { as });
    refuse(world);
    await world.poll();
    world.sandbox.mine();
    pause(world, 60);
    newOwner(world);
    expect((await world.poll()).length).toBe(61);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
    world.sandbox.reorganise({ blocks: 4, transactions: 'dropped' });
    world.sandbox.mine({ blocks: 5 });
    expect((await polls(world, 4)).every((one) => one === 'any retracted')).toBe(true);
  });

  test('tells nothing of before its first reading, of a busy contract, too', async () => {
    await using world = await createWorld(BOTH);
    refuse(world);
    newOwner(world);
    noise(world, 200);
    expect(await world.poll()).toEqual([]);
    expect(await pollsWithBlocks(world, 2)).toEqual([]);
  });
});

describe('a change of the way', () => {
  test('to the list and back, also over a restart and a reload, loses nothing and repeats nothing', async () => {
    await using world = await createWorld(BOTH);
    await world.poll();
    for (let i = 0; i < 4; i += 1) {
      if (i % 2 === 0) refuse(world);
      pause(world, 2);
      expect(await world.poll()).toEqual(['any event', 'any event']);
      newOwner(world);
      if (i === 1) await world.restart();
      if (i === 2) await world.load(rules('events: [Paused, OwnershipTransferred, Unpaused],'));
      expect(await world.poll()).toEqual(['any event']);
      expect(await pollsWithBlocks(world, 2)).toEqual([]);
      world.sandbox.clearFaults();
      await world.clock.advance(DAY_MS);
      newOwner(world);
      expect(await polls(world, 2)).toEqual(['any event']);
    }
  });

  test('while an event waits for its confirmations tells it once', async () => {
    await using world = await createWorld(rules('events: Paused,', '{ id: late, on: new, confirmations: 3 }'));
    await world.poll();
    pause(world);
    expect(await world.poll()).toEqual([]);
    refuse(world);
    expect(await polls(world, 2)).toEqual([]);
    world.sandbox.mine({ blocks: 4 });
    expect(await world.poll()).toEqual(['late event']);
    world.sandbox.clearFaults();
    await world.clock.advance(DAY_MS);
    expect(await pollsWithBlocks(world, 3)).toEqual([]);
  });

  test('while the range is behind reads on where it was', async () => {
    await using world = await createWorld(rules('events: Paused, max_pages: 1,'));
    await world.poll();
    for (let i = 0; i < 4; i += 1) pause(world, 600);
    const told = [...(await world.poll())];
    expect(await unreadIn(world)).toEqual([expect.stringMatching(/^blocks from \d+ on/)]);
    refuse(world);
    told.push(...(await world.poll()));
    expect(await unreadIn(world)).not.toEqual([]);
    world.sandbox.clearFaults();
    await world.clock.advance(DAY_MS);
    told.push(...(await polls(world, 8)));
    expect(told).toHaveLength(2400);
    expect(await unreadIn(world)).toEqual([]);
  });
});
