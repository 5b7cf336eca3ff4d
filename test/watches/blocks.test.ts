import { describe, expect, test } from '@jest/globals';
import { blankMemory, step } from '../../src/core/step.ts';
import type { Explorer } from '../../src/explorer/explorer.ts';
import { Block } from '../../src/explorer/reading/resources/block.ts';
import { blocks } from '../../src/watches/blocks.ts';
import { blockRows, openExplorer } from '../explorer/support/open.ts';
import { sendJson, startServer } from '../explorer/support/server.ts';
import { createWorld, loadWatches, polls } from '../support/world.ts';
import { aScope } from '../support/scope.ts';
import { finish } from '../../src/lib/steps.ts';
import type { Detection } from '../../src/core/model/detection.ts';

const RULES = `
watches:
  - id: head
    kind: blocks
    every: 1m
    alerts:
      - { id: stalled, while: 'age > duration("5m")' }
      - { id: reorg, on: reorg, if: depth > 1 }
      - { id: block, on: new }
`;

test('each new block is told once, however many came between two polls', async () => {
  await using world = await createWorld(RULES);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine({ blocks: 120 });
  expect((await world.poll()).filter((said) => said === 'block event')).toHaveLength(120);
  expect((await world.poll()).filter((said) => said === 'block event')).toEqual([]);
});

test('a reorganisation is one event, with its depth; the blocks in the places of others are new, and those are gone', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.mine({ blocks: 3 });
  await world.poll();
  world.sandbox.reorganise({ blocks: 2 });
  expect(await world.poll()).toEqual([
    'reorg event',
    'block event',
    'block event',
    'block retracted',
    'block retracted',
  ]);
  const [reorg, ...blocks] = world.messages;
  expect(reorg?.fields['depth']).toBe(2);
  expect(blocks.slice(2).map(({ seq, reason }) => [seq, reason])).toEqual(Array(2).fill([2, 'the block was replaced']));
  expect(await world.poll()).toEqual([]);
});

test('a reorganisation in blocks that are read only in a later poll is told then', async () => {
  await using world = await createWorld(RULES.replace('every: 1m', 'every: 1m\n    max_pages: 1'));
  await world.poll();
  world.sandbox.mine({ blocks: 3 });
  await world.poll();
  world.sandbox.reorganise({ blocks: 2 });
  world.sandbox.mine({ blocks: 60 });
  expect(await world.poll()).not.toContain('reorg event');
  world.sandbox.mine();
  expect(await world.poll()).toContain('reorg event');
  expect(world.messages.find(({ alert }) => alert === 'reorg')?.fields['depth']).toBe(2);
  expect(await world.poll()).toEqual([]);
});

test('a reorganisation of more than twenty told blocks is told of each new one, and of the others at once', async () => {
  await using world = await createWorld(RULES);
  await world.poll();
  world.sandbox.mine({ blocks: 30 });
  await world.poll();
  world.sandbox.reorganise({ blocks: 30 });
  const said = await world.poll();
  expect(said.filter((one) => one !== 'block event')).toEqual(['reorg event', 'block summary']);
  expect(world.messages.at(-1)?.summary).toMatchObject({ of: 'alert.retracted', count: 30 });
});

test('a server that lags behind the one that was read before takes nothing back', () => {
  const [watch] = loadWatches(RULES);
  if (watch === undefined) throw new Error('no watch');
  const hash = (height: bigint): string => `0x${height.toString(16).padStart(64, '0')}`;
  const upTo = (head: bigint) =>
    Array.from({ length: 50 }, (_, i) => head - BigInt(i)).map((height) => Block.make({ height, hash: hash(height) }));
  let memory = blankMemory(watch);
  const said: string[] = [];
  for (const [i, head] of [1000n, 1005n, 1002n, 1002n, 1003n, 1005n, 1006n].entries()) {
    const seen = { rows: upTo(head), stopped: null, reachedEnd: false, older: null };
    const decision = step(watch, memory, {
      type: 'seen',
      paceMs: 0,
      at: i * 60_000,
      head: null,
      chain: 'not-asked',
      seen,
      partial: null,
    });
    ({ memory } = decision);
    said.push(decision.transitions.map(({ message }) => message.type.slice(6)).join(' '));
  }
  expect(said).toEqual(['', 'event event event event event', '', '', '', '', 'event']);
});

test('a head that stands still fires; a chain that moves on resolves', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.mine();
  expect(await polls(world, 8)).toEqual(['stalled firing']);
  world.sandbox.mine();
  expect(await world.poll()).toContain('stalled resolved');
});

test('an explorer that does not answer is not a stalled chain', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.mine();
  await world.poll();
  const said: string[] = [];
  for (let minute = 0; minute < 8; minute += 1) {
    world.sandbox.fail({ fault: 'html' });
    said.push(...(await world.poll()));
  }
  expect(said).toEqual([]);
});

test('what lies below the most pages of a poll is told in the next one', async () => {
  const rules = RULES.replace('every: 1m', 'every: 1m\n    max_pages: 2');
  await using world = await createWorld(rules);
  await world.poll();
  world.sandbox.mine({ blocks: 150 });
  expect((await world.poll()).filter((said) => said === 'block event')).toHaveLength(100);
  expect((await world.poll()).filter((said) => said === 'block event')).toHaveLength(50);
  expect((await world.poll()).filter((said) => said === 'block event')).toEqual([]);
});

test('a list without any block is no chain: nothing begins with it, and nothing is taken back', async () => {
  await using world = await createWorld(RULES);
  world.sandbox.fail({ fault: 'empty-list', operation: 'blocks', times: 1 });
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  world.sandbox.mine({ blocks: 2 });
  expect(await world.poll()).toEqual(['block event', 'block event']);
  world.sandbox.fail({ fault: 'empty-list', operation: 'blocks', times: 4 });
  expect(await polls(world, 4)).toEqual([]);
  expect(world.log.lines.filter((line) => line === 'warn explorer:no-answer')).toHaveLength(2);
});

test('an uncle beside a known block replaces nothing, in whichever order they are listed', async () => {
  const uncle = { ...blockRows(100, 1)[0], hash: `0x${'f'.repeat(64)}` };
  const pages = [blockRows(100, 3), [uncle, ...blockRows(101, 4)], [...blockRows(101, 3), uncle], blockRows(102, 3)];
  await using explorer = await startServer((_request, response, index) => {
    sendJson(response, { items: pages[index], next_page_params: null });
  });
  await using opened = openExplorer(explorer.url);
  const poll = pollsOf(opened.explorer, 1);
  const said: string[] = [];
  const heads: unknown[] = [];
  for (const _page of pages) {
    const { events, range } = await poll();
    said.push(...events.map(({ on }) => on));
    heads.push(range?.to);
  }
  expect(said).not.toContain('reorg');
  expect(heads).toEqual([100, 101, 101, 102]);
});

describe('a page with new blocks on it is the last that is read', () => {
  /** Polls an explorer that has these heights, newest first, fifty a page; what was told, and how many pages were asked for. */
  async function story(
    ...polls: readonly (readonly { readonly height: number; readonly fork?: string }[])[]
  ): Promise<[told: number[], pages: number][]> {
    let chain: Record<string, unknown>[] = [];
    await using explorer = await startServer(({ query }, response) => {
      const rest = chain.filter(({ height }) => Number(height) < Number(query['block_number'] ?? Infinity));
      const items = rest.slice(0, 50);
      const next = rest.length > 50 ? { block_number: items.at(-1)?.['height'] } : null;
      sendJson(response, { items, next_page_params: next });
    });
    await using opened = openExplorer(explorer.url);
    const poll = pollsOf(opened.explorer, 20);
    const said: [number[], number][] = [];
    for (const heights of polls) {
      const asked = explorer.requests.length;
      chain = heights.map(({ height, fork = '' }) => ({ height, hash: `0x${fork}${height}`.padEnd(66, '0') }));
      const { events } = await poll();
      const fresh = events.filter(({ on, novelty }) => on === 'new' && novelty === 'new');
      said.push([fresh.map(({ block }) => Number(block)), explorer.requests.length - asked]);
    }
    return said;
  }

  const down = (from: number, to: number): { height: number }[] =>
    Array.from({ length: from - to + 1 }, (_, i) => ({ height: from - i }));
  const told = (from: number, to: number): number[] =>
    down(to, from)
      .map(({ height }) => height)
      .reverse();

  test('where its lowest one is known', async () => {
    expect(await story(down(200, 1), down(203, 1), down(204, 1), down(204, 1))).toEqual([
      [[], 1],
      [[201, 202, 203], 1],
      [[204], 1],
      [[], 1],
    ]);
  });

  test('not where more blocks came than it holds', async () => {
    const [, second] = await story(down(200, 1), down(260, 1));
    expect(second).toEqual([told(201, 260), 2]);
  });

  test('nor where one is missing that the explorer has yet to fill in, however deep it stands by then', async () => {
    const without = (heights: { height: number }[]): { height: number }[] =>
      heights.filter(({ height }) => height !== 202);
    expect(
      await story(down(200, 1), without(down(203, 1)), without(down(240, 1)), without(down(260, 1)), down(261, 1)),
    ).toEqual([
      [[], 1],
      [[201, 203], 2],
      [told(204, 240), 2],
      [told(241, 260), 2],
      [[202, 261], 3],
    ]);
  });

  test('nor where the lowest one was replaced', async () => {
    const replaced = down(261, 1).map(({ height }) => ({ height, fork: height > 200 ? 'f' : '' }));
    const [, , third] = await story(down(200, 1), down(260, 1), replaced);
    expect(third).toEqual([told(201, 261), 3]);
  });
});

/** Polls of the chain; each gives what the kind notices. */
function pollsOf(explorer: Explorer, maxPages: number): () => Promise<Detection<Parameters<typeof blocks.detect>[1]>> {
  const coin = { symbol: 'ETH', decimals: 18 };
  const target = { explorer: 'ethereum', coin, address: null, token: null, maxPages, options: {} };
  let state: Parameters<typeof blocks.detect>[1] = null;
  return async () => {
    const { seen } = await blocks.observe(target, state, explorer.tickReader(), null);
    const detection = finish(blocks.detect(target, state, seen, aScope()));
    state = detection.state;
    return detection;
  };
}
