// A list that is read by ranges of blocks, upwards, whatever happens to it: full pages, pages that fail, rows that come
// late or move, restarts.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Address } from '../../src/core/values/address.ts';
import { Missed, type Cursor, type ListQuestion, type Page, type Read } from '../../src/core/model/watch/question.ts';
import { Block } from '../../src/explorer/reading/resources/block.ts';
import { Log } from '../../src/explorer/reading/resources/log.ts';
import { finish } from '../../src/lib/steps.ts';
import { ListState } from '../../src/watches/list-state.ts';
import { logs } from '../../src/watches/logs.ts';
import { aScope } from '../support/scope.ts';

const VAULT = '0xca55518dF8A55440f3834CE64D573ABa5E458550';
const PAUSED = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258';
const options = { events: [{ name: 'Paused', signature: 'Paused(address account)' }] };
const TARGET = {
  explorer: 'chain',
  coin: { symbol: 'ETH', decimals: 18 },
  address: Address.parse(VAULT) ?? null,
  token: null,
  maxPages: 20,
  options,
};
const kind = logs.forOptions?.(options) ?? logs;
const BLOCK_MS = 12_000;
const NO_PATHS: readonly string[] = [];

interface Row {
  readonly name: string;
  block: number;
}

/** A contract as an explorer shows it, and what was told of it. */
class World {
  readonly rows: Row[] = [];
  readonly told: string[] = [];
  readonly asked: string[] = [];
  state: ListState | null = null;
  head = 100_000;
  at = 0;
  /** The page of the next poll that does not come. */
  failing = Infinity;
  showsBlocks = true;
  /** How often the rows of an answer were read. */
  rowsRead = 0;
  beforePage: (page: number) => void = () => undefined;
  #made = 0;
  #read = { target: TARGET, kind };
  readonly #pageSize: number;
  /** Equal answers have the same content. */
  readonly #contents = new Map<string, object>();

  constructor(pageSize = 1000) {
    this.#pageSize = pageSize;
  }

  add(count: number, block: number): void {
    for (let i = 0; i < count; i += 1) this.rows.push({ name: `0x${(this.#made += 1).toString(16)}`, block });
  }

  reload(events: typeof options.events): void {
    const target = { ...TARGET, options: { events } };
    this.#read = { target, kind: logs.forOptions?.(target.options) ?? logs };
  }

  async poll(passedMs = 60_000, downTo: number | null = null): Promise<readonly string[]> {
    this.at += passedMs;
    let pages = 0;
    const page = async (question: ListQuestion, cursor: Cursor | null): Promise<Page> => {
      this.beforePage((pages += 1));
      if (pages === this.failing) throw new Missed('server-error', 'the explorer failed');
      return this.#page(question, cursor);
    };
    const one = () => Promise.reject(new Missed('not-found', 'it is a list'));
    const read = { one, page, pageAgain: page, sweepPage: page } as unknown as Read;
    const before = this.told.length;
    const { target, kind } = this.#read;
    const reading = await kind.observe(target, this.state, read, downTo).catch(() => null);
    this.failing = Infinity;
    if (reading === null) return [];
    const scope = aScope({
      tracked: NO_PATHS,
      at: this.at,
      coveredUntil: this.at - passedMs,
      isComplete: reading.partial === null,
    });
    const { state, events } = finish(kind.detect(target, this.state, reading.seen, scope));
    this.state = state;
    for (const { novelty, view } of events)
      if (novelty === 'new') this.told.push((view as { transaction_hash?: string }).transaction_hash ?? '');
    return this.told.slice(before);
  }

  restart(): void {
    if (this.state !== null) this.state = ListState.parse(JSON.parse(JSON.stringify(this.state)));
  }

  #page({ path, params }: ListQuestion, cursor: Cursor | null): Page {
    if (path === 'blocks') {
      const rows = this.showsBlocks ? [rowOf(Block, { height: this.head })] : [];
      return { rows, next: null } as unknown as Page;
    }
    const from = Number(cursor?.['fromBlock'] ?? params['fromBlock']);
    const to = params['toBlock'] === 'latest' ? Infinity : Number(params['toBlock']);
    this.asked.push(`${from}-${to}`);
    const found = this.rows.filter(({ block }) => block >= from && block <= to).toSorted((a, b) => a.block - b.block);
    const shown = found.slice(0, this.#pageSize);
    const isFull = shown.length === this.#pageSize;
    const next = isFull ? { fromBlock: String(shown.at(-1)?.block) } : null;
    const content = this.#contentOf(JSON.stringify([from, to, shown, next]));
    const rows = (): unknown => {
      this.rowsRead += 1;
      return shown.map(({ name, block }, place) => rowOf(Log, logRow(name, block, place)));
    };
    return {
      content,
      get rows() {
        return rows();
      },
      next,
    } as unknown as Page;
  }

  #contentOf(answer: string): object {
    const content = this.#contents.get(answer) ?? {};
    this.#contents.set(answer, content);
    return content;
  }
}

function rowOf(record: { read(raw: unknown, units: { coin: number }): unknown }, row: object): unknown {
  return record.read(row, { coin: 18 });
}

function logRow(name: string, block: number, place: number): object {
  return {
    address: VAULT,
    topics: [PAUSED, null, null, null],
    data: `0x${'0'.repeat(64)}`,
    blockNumber: `0x${block.toString(16)}`,
    logIndex: `0x${place.toString(16)}`,
    timeStamp: `0x${((block * BLOCK_MS) / 1000).toString(16)}`,
    transactionHash: name,
  };
}

type Act =
  | { readonly type: 'blocks'; readonly rows: readonly number[] }
  | { readonly type: 'late'; readonly below: number; readonly rows: number }
  | { readonly type: 'restart' }
  | { readonly type: 'fail'; readonly page: number }
  | { readonly type: 'reorg'; readonly depth: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ type: fc.constant('blocks' as const), rows: fc.array(fc.nat(4), { minLength: 1, maxLength: 30 }) }),
  fc.record({
    type: fc.constant('late' as const),
    below: fc.integer({ min: 1, max: 400 }),
    rows: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({ type: fc.constant('restart' as const) }),
  fc.record({ type: fc.constant('fail' as const), page: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 30 }) }),
);

function perform(world: World, one: Act, floor: number): void {
  switch (one.type) {
    case 'blocks':
      for (const rows of one.rows) world.add(rows, (world.head += 1));
      return;
    case 'late':
      world.add(one.rows, Math.max(floor + 1, world.head - one.below));
      return;
    case 'restart':
      world.restart();
      return;
    case 'fail':
      world.failing = one.page;
      return;
    case 'reorg': {
      // The rows of the last blocks are mined again in the other order.
      const from = Math.max(floor + 1, world.head - one.depth + 1);
      for (const row of world.rows) if (row.block >= from) row.block = from + world.head - row.block;
    }
  }
}

test('each row is told once, whatever the size of pages, however late, wherever it moves', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), fc.integer({ min: 25, max: 60 }), async (acts, pageSize) => {
      const world = new World(pageSize);
      world.add(3, world.head - 5);
      await world.poll();
      const floor = world.head;
      for (const one of acts) {
        perform(world, one, floor);
        await world.poll();
      }
      // Two hours later the sweep has read everything.
      for (let poll = 0; poll < 12; poll += 1) await world.poll(1_200_000);
      expect(world.told.toSorted()).toEqual(
        world.rows
          .filter(({ name }) => !['0x1', '0x2', '0x3'].includes(name))
          .map(({ name }) => name)
          .toSorted(),
      );
    }),
    { numRuns: 60 },
  );
});

test('the rows of an answer that came before are not read again, also after a reload that added an event', async () => {
  const world = new World();
  world.add(3, world.head);
  await world.poll(1000);
  world.add(3, (world.head += 1));
  expect(await world.poll(1000)).toHaveLength(3);
  await world.poll(1000);
  const pollFive = async (): Promise<number> => {
    const before = world.rowsRead;
    for (let again = 0; again < 5; again += 1) expect(await world.poll(1000)).toEqual([]);
    return world.rowsRead - before;
  };
  expect(await pollFive()).toBe(0);
  world.reload([...options.events, { name: 'Unpaused', signature: 'Unpaused(address account)' }]);
  expect(await world.poll(1000)).toEqual([]);
  await world.poll(1000);
  expect(await pollFive()).toBe(0);
  world.add(1, (world.head += 1));
  expect(await world.poll(1000)).toHaveLength(1);
});

describe('the look-back', () => {
  test('is read again from the highest known row, and not deeper for a contract with many rows', async () => {
    const world = new World();
    await world.poll();
    world.add(1, (world.head += 500));
    await world.poll();
    await world.poll();
    expect(world.asked.at(-1)).toBe(`${world.head - 72}-Infinity`);
    for (let block = 0; block < 60; block += 1) world.add(20, (world.head += 1));
    await world.poll();
    await world.poll();
    expect(world.asked.at(-1)).toBe(`${world.head - 25}-Infinity`);
  });

  test('is swept once an hour: a row that comes late, far below, is told once', async () => {
    const world = new World();
    await world.poll();
    world.add(1, (world.head += 1000));
    expect(await world.poll()).toHaveLength(1);
    world.add(1, world.head - 900);
    expect(await world.poll()).toEqual([]);
    await world.poll(3_600_000);
    expect(await world.poll()).toHaveLength(1);
    expect(await world.poll()).toEqual([]);
  });
});

test('a row that moves to a higher block between two pages is told once', async () => {
  const world = new World(30);
  await world.poll();
  world.add(1, (world.head += 1));
  for (let block = 0; block < 4; block += 1) world.add(10, (world.head += 1));
  world.beforePage = (page) => {
    const [first] = world.rows;
    if (page === 3 && first !== undefined) first.block = world.head += 1;
  };
  expect((await world.poll()).toSorted()).toEqual(world.rows.map(({ name }) => name).toSorted());
});

test('a first reading waits for the head of the chain: no old row counts as new', async () => {
  const world = new World(30);
  for (let block = 1000; block < 1100; block += 1) world.add(10, block);
  world.showsBlocks = false;
  expect(await world.poll()).toEqual([]);
  world.showsBlocks = true;
  expect(await world.poll()).toEqual([]);
  expect(await world.poll()).toEqual([]);
  world.add(1, (world.head += 1));
  expect(await world.poll()).toHaveLength(1);
});

test('a missing row is looked for where it was, however many rows are newer', async () => {
  const world = new World();
  await world.poll();
  for (let block = 0; block < 60; block += 1) world.add(20, (world.head += 1));
  await world.poll();
  await world.poll(60_000, world.head - 45);
  expect(world.asked.at(-1)).toBe(`${world.head - 45}-Infinity`);
});

test('the highest row of two questions is no head: the server that answered the other one may be behind it', async () => {
  const seen = 'Transfer(address indexed from, address indexed to, uint256 value)';
  const where = { to: [VAULT, `0x${'7'.repeat(40)}`] };
  const both = { events: [{ name: 'Transfer', signature: seen }], where, start: 100_000 };
  const ofBoth = logs.forOptions?.(both) ?? logs;
  const target = { ...TARGET, options: both };
  const page = ({ path }: ListQuestion): Promise<Page> => {
    const topics = [...path.matchAll(/&topic\d=(0x\w+)/g)].map(([, topic = '']) => topic);
    const isBehind = path.includes('7'.repeat(40));
    const row = { ...logRow('0x1', 100_050, 0), topics: [topics[0], `0x${'0'.repeat(64)}`, topics[1]] };
    return Promise.resolve({ rows: isBehind ? [] : [rowOf(Log, row)], next: null } as unknown as Page);
  };
  const { seen: reading } = await ofBoth.observe(target, null, { page } as unknown as Read, null);
  const detection = finish(ofBoth.detect(target, null, reading, aScope({ at: 0, isComplete: true })));
  expect(detection.events).toHaveLength(1);
  expect(detection.range).toEqual({ from: 99_927, to: 'head', head: null, replaced: [] });
});
