// What a growing list promises, whatever happens to it: rows that come late, pages that fail, blocks that are replaced,
// restarts, and more rows than are remembered.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Missed, type Page, type Read } from '../../src/core/model/watch/question.ts';
import { Transaction } from '../../src/explorer/reading/resources/transaction.ts';
import { ListState } from '../../src/watches/list-state.ts';
import { transactions } from '../../src/watches/transactions.ts';
import { aScope } from '../support/scope.ts';
import { finish } from '../../src/lib/steps.ts';

const PAGE = 50;
const TARGET = {
  explorer: 'chain',
  coin: { symbol: 'ETH', decimals: 18 },
  address: null,
  token: null,
  maxPages: 1000,
  options: {},
};

interface Row {
  readonly name: string;
  /** Null while pending. */
  block: number | null;
}

type Act =
  | { readonly type: 'blocks'; readonly rows: readonly number[] }
  | { readonly type: 'late'; readonly below: number; readonly rows: number }
  | { readonly type: 'pending' | 'mine' | 'restart' }
  | { readonly type: 'reorg'; readonly depth: number };

/** A list as an explorer would show it, and what was told of it. */
class World {
  readonly rows: Row[] = [];
  readonly told = new Map<string, number>();
  state: ListState | null = null;
  head = 1000;
  /** The page that does not come in the next poll. */
  failing = Infinity;
  /** A field that a release leaves out, or that this chain does not have. */
  without: 'block_number' | 'status' | null = null;
  #made = 0;
  #notes: readonly string[] = [];

  add(count: number, block: number | null): void {
    for (let i = 0; i < count; i += 1) this.rows.push({ name: `0x${(this.#made += 1).toString(16)}`, block });
  }

  act(act: Act): void {
    switch (act.type) {
      case 'blocks':
        for (const count of act.rows) this.add(count, (this.head += 1));
        return;
      case 'late':
        this.add(act.rows, this.head - act.below);
        return;
      case 'pending':
        this.add(1, null);
        return;
      case 'mine':
        this.head += 1;
        for (const row of this.rows) row.block ??= this.head;
        return;
      case 'reorg':
        // What was in the replaced blocks is mined again, all of it one block higher.
        for (const row of this.rows) if (row.block !== null && row.block > this.head - act.depth) row.block += 1;
        this.head += 1;
        return;
      case 'restart':
        this.state = ListState.nullable().parse(JSON.parse(JSON.stringify(this.state)));
    }
  }

  /** Null when page one did not come; else the names of all rows that were read. */
  async poll(): Promise<readonly Row[] | null> {
    const reading = await transactions.observe(TARGET, this.state, this.#reader(), null).catch((error: unknown) => {
      if (error instanceof Missed) return null;
      throw error;
    });
    this.failing = Infinity;
    if (reading === null) return null;
    const { state, events, notes } = finish(transactions.detect(TARGET, this.state, reading.seen, aScope()));
    for (const { on, novelty, key } of events)
      if (on === 'new' && novelty === 'new') this.told.set(key, (this.told.get(key) ?? 0) + 1);
    this.state = state;
    this.#notes = notes;
    const read = new Set(reading.seen.rows.map(({ hash }) => hash));
    return this.rows.filter(({ name }) => read.has(name));
  }

  /** What a poll says for the log. */
  async notes(): Promise<readonly string[]> {
    await this.poll();
    return this.#notes;
  }

  #reader(): Read {
    const shown = this.rows.toSorted((a, b) => (b.block ?? Infinity) - (a.block ?? Infinity) || 0);
    const page = (at: number): Page<typeof Transaction.fields> => {
      if (at / PAGE + 1 >= this.failing) throw new Missed('timeout', 'a page did not come');
      const rows = shown.slice(at, at + PAGE).map(({ name, block }) =>
        Transaction.make({
          hash: name,
          block_number: block === null || this.without === 'block_number' ? undefined : BigInt(block),
          status: block === null || this.without === 'status' ? undefined : 'ok',
        }),
      );
      return { rows, next: at + PAGE < shown.length ? { at: String(at + PAGE) } : null };
    };
    const read = async (_question: unknown, cursor: { readonly [name: string]: string } | null) =>
      page(Number(cursor?.['at'] ?? 0));
    return { page: read, pageAgain: read, one: () => Promise.reject(new Error('not asked')) } as Read;
  }
}

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('blocks' as const),
      rows: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('late' as const),
      below: fc.integer({ min: 0, max: 60 }),
      rows: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('pending' as const, 'mine' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 4 }) }) },
);
const failing = fc.oneof(
  { weight: 5, arbitrary: fc.constant(Infinity) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
);
const history = fc.array(fc.record({ acts: fc.array(act, { maxLength: 3 }), failing }), {
  minLength: 20,
  maxLength: 60,
  size: 'max',
});

describe('of every list it holds that', () => {
  test('each row on a page that was read, above the floor, is told once and never again', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (polls) => {
        const world = new World();
        world.add(30, world.head);
        await world.poll();
        const quiet = new Set(world.rows.map(({ name }) => name));
        for (const { acts, failing: page } of [...polls, { acts: [], failing: Infinity }]) {
          for (const one of acts) world.act(one);
          world.failing = page;
          const floor = world.state?.floor ?? 0;
          const read = await world.poll();
          const above = (read ?? []).filter(({ name, block }) => !quiet.has(name) && (block === null || block > floor));
          // What was first read below the floor is as quiet as the baseline, wherever a reorganisation puts it.
          for (const { name } of read ?? []) if (!world.told.has(name)) quiet.add(name);
          expect(above.filter(({ name }) => world.told.get(name) !== 1)).toEqual([]);
          const { floor: risen = 0, gaps = [] } = world.state ?? {};
          expect(risen).toBeGreaterThanOrEqual(floor);
          expect(gaps.filter(({ from }) => from <= risen)).toEqual([]);
        }
        expect([...world.told].filter(([name, times]) => times !== 1 || quiet.has(name))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  test('each row that came at the head is told, whichever pages failed on the way', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (polls) => {
        const world = new World();
        world.add(30, world.head);
        await world.poll();
        const atHead: string[] = [];
        for (const { acts, failing: page } of [...polls, { acts: [], failing: Infinity }]) {
          for (const one of acts) {
            const before = world.rows.length;
            if (one.type !== 'late') world.act(one);
            atHead.push(...world.rows.slice(before).map(({ name }) => name));
          }
          world.failing = page;
          await world.poll();
        }
        expect(atHead.filter((name) => world.told.get(name) !== 1)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

async function quietList(): Promise<World> {
  const world = new World();
  world.add(30, world.head);
  await world.poll();
  return world;
}

test('where blocks were replaced all that was in them is read again: what lies a page deeper now is not gone', async () => {
  const world = new World();
  world.add(60, world.head);
  await world.poll();
  world.add(90, (world.head += 3));
  await world.poll();
  for (const row of world.rows.slice(100)) row.block = world.head - 1;
  expect(await world.poll()).toEqual(expect.arrayContaining(world.rows.slice(60)));
  expect((await world.poll())?.length).toBe(50);
});

test('a page that fails for long loses nothing, however many rows come above it meanwhile', async () => {
  const world = await quietList();
  for (let poll = 0; poll < 40; poll += 1) {
    world.act({ type: 'blocks', rows: [20, 20, 20] });
    world.failing = 2;
    await world.poll();
  }
  for (let poll = 0; poll < 5; poll += 1) await world.poll();
  expect(world.state?.gaps).toEqual([]);
  expect(world.told.size).toBe(2400);
  expect([...world.told.values()].every((times) => times === 1)).toBe(true);
});

test('what is remembered of a busy list stays below forty kilobytes', async () => {
  const world = await quietList();
  const sizes: number[] = [];
  for (let poll = 0; poll < 400; poll += 1) {
    world.act({ type: 'blocks', rows: [10, 10, 10, 10, 10] });
    await world.poll();
    sizes.push(JSON.stringify(world.state).length);
  }
  expect(world.told.size).toBe(20_000);
  expect(Math.max(...sizes)).toBeLessThan(40_000);
});

test('a release that calls the block by another name makes no news of what is old, and loses none', async () => {
  const world = await quietList();
  world.act({ type: 'blocks', rows: [40, 40, 40, 40, 40] });
  await world.poll();
  world.without = 'block_number';
  world.act({ type: 'blocks', rows: [20] });
  expect(await world.notes()).toEqual(['50 rows without a usable hash or block were passed over']);
  expect(world.told.size).toBe(200);
  world.without = null;
  await world.poll();
  expect([...world.told.values()]).toEqual(Array(220).fill(1));
});

test('a chain that knows no status tells each row once, and nothing from before', async () => {
  const world = new World();
  world.without = 'status';
  world.act({ type: 'blocks', rows: [40, 40, 40, 40, 40] });
  await world.poll();
  for (let poll = 0; poll < 20; poll += 1) {
    world.act({ type: 'blocks', rows: [30, 30] });
    await world.poll();
  }
  expect([...world.told.values()]).toEqual(Array(1200).fill(1));
});

test('a chain that was reset is no silence: it is said up to where nothing will be told', async () => {
  const world = await quietList();
  world.rows.length = 0;
  world.add(10, 20);
  expect(await world.notes()).toEqual(['all listed items are old, no message is sent up to block 1000']);
  world.add(1, 1001);
  expect(await world.notes()).toEqual([]);
  expect([...world.told]).toEqual([[world.rows.at(-1)?.name, 1]]);
});
