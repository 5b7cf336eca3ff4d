// One log or transfer is one item, however it is read: in the shape of one API or another, in pages of any size, by
// replicas that are behind, and after its transaction was mined again.
import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Address } from '../../src/core/values/address.ts';
import type { AnyKind } from '../../src/core/model/watch/kind.ts';
import type { Cursor, ListQuestion, Page, Read } from '../../src/core/model/watch/question.ts';
import { Block } from '../../src/explorer/reading/resources/block.ts';
import { finish } from '../../src/lib/steps.ts';
import { ListState } from '../../src/watches/list-state.ts';
import { logs } from '../../src/watches/logs.ts';
import { transfers } from '../../src/watches/transfers.ts';
import { aScope } from '../support/scope.ts';

const VAULT = '0xca55518dF8A55440f3834CE64D573ABa5E458550';
const STRANGER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const PAUSED = '0x62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a258';
const UNPAUSED = '0x5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa';
const START = 100_000;
const BLOCK_MS = 12_000;

/** The contents of what a transaction does, in order; equal numbers are equal items. */
interface Transaction {
  readonly hash: string;
  readonly contents: readonly number[];
}

interface Item {
  readonly hash: string;
  readonly content: number;
  readonly block: number;
  /** The hash of the block. */
  readonly within: string;
  readonly place: number;
}

/** A chain, from block `START` on. */
class Ledger {
  blocks: readonly (readonly Transaction[])[] = [[]];
  /** The chain as a replica has it that is behind. */
  stale: Ledger['blocks'] = [[]];
  #made = 0;

  get head(): number {
    return START + this.blocks.length - 1;
  }

  mine(contents: readonly (readonly number[])[]): void {
    const made = contents.map((one) => ({
      hash: `0x${(this.#made += 1).toString(16).padStart(64, '0')}`,
      contents: one,
    }));
    this.blocks = [...this.blocks, made];
  }

  /** The transactions of the last blocks are mined again, in the other order and some blocks later. */
  reorganise(depth: number, later: number): void {
    const first = Math.max(1, this.blocks.length - depth);
    const again = this.blocks.slice(first).toReversed();
    const empty = Array.from({ length: later }, () => []);
    this.blocks = [...this.blocks.slice(0, first), ...empty, ...again.map((one) => one.toReversed())];
  }

  items(blocks = this.blocks): readonly Item[] {
    return blocks.flatMap((transactions, i) =>
      transactions
        .flatMap((one) =>
          one.contents.map((content) => ({ hash: one.hash, content, block: START + i, within: hashOf(transactions) })),
        )
        .map((item, place) => ({ ...item, place })),
    );
  }
}

function hashOf(transactions: readonly Transaction[]): string {
  return `0x${hash('sha256', transactions.map((one) => one.hash).join(), 'hex')}`;
}

const word = (value: number): string => value.toString(16).padStart(64, '0');
const hex = (value: number): string => (value === 0 ? '0x' : `0x${value.toString(16)}`);
const topicOf = ({ content }: Item): string => (content === 2 ? UNPAUSED : PAUSED);
const dateOf = ({ block }: Item): Date => new Date(block * BLOCK_MS);

const LOG_SHAPES = {
  api: (item: Item) => ({
    address: VAULT.toLowerCase(),
    topics: [topicOf(item), null, null, null],
    data: `0x${word(item.content)}`,
    blockNumber: hex(item.block),
    logIndex: hex(item.place),
    timeStamp: hex(dateOf(item).getTime() / 1000),
    transactionHash: item.hash,
  }),
  rpc: (item: Item) => ({
    address: VAULT.toLowerCase(),
    topics: [topicOf(item)],
    data: `0x${word(item.content)}`,
    blockNumber: `0x${item.block.toString(16)}`,
    blockHash: `0x${word(item.block)}`,
    logIndex: `0x${item.place.toString(16)}`,
    transactionHash: item.hash,
  }),
  v2: (item: Item) => ({
    address: { hash: VAULT },
    topics: [topicOf(item).toUpperCase().replace('0X', '0x'), null, null, null],
    data: `0x${word(item.content)}`,
    block_number: item.block,
    index: item.place,
    block_timestamp: dateOf(item).toISOString(),
    transaction_hash: item.hash,
  }),
  'no place': (item: Item) => ({ ...LOG_SHAPES.api(item), logIndex: undefined }),
} as const;

type Shape = keyof typeof LOG_SHAPES;

function transferRow({ hash: transaction, content, block, within, place }: Item): object {
  return {
    block_hash: within,
    transaction_hash: transaction,
    block_number: block,
    log_index: place,
    from: { hash: VAULT },
    to: { hash: STRANGER },
    token: { address_hash: STRANGER, decimals: '0', type: 'ERC-20' },
    total: { value: String(content), decimals: '0' },
    type: 'token_transfer',
    timestamp: new Date(block * BLOCK_MS).toISOString(),
  };
}

/** How the explorer answers in one poll. */
interface Answering {
  readonly shape: Shape;
  readonly pageSize: number;
  /** Pages that another replica answers, which is behind. */
  readonly stale: readonly boolean[];
  /** The number of blocks that are mined again after the first page. */
  readonly moving: number;
}

type List = (question: ListQuestion, cursor: Cursor | null, items: readonly Item[], how: Answering) => Page;

const logList: List = ({ path, params, record }, cursor, items, { shape, pageSize }) => {
  const from = Number(cursor?.['fromBlock'] ?? params['fromBlock']);
  const to = params['toBlock'] === 'latest' ? Infinity : Number(params['toBlock']);
  const topic = /topic0=(0x\w{64})/.exec(path)?.[1];
  const found = items.filter(
    (item) => item.block >= from && item.block <= to && (topic === undefined || topicOf(item) === topic),
  );
  const shown = found.slice(0, pageSize);
  return {
    rows: shown.map((item) => record.read(LOG_SHAPES[shape](item), { coin: 18 })),
    next: shown.length === pageSize ? { fromBlock: String(shown.at(-1)?.block) } : null,
  } as unknown as Page;
};

const transferList: List = ({ record }, cursor, items, { pageSize }) => {
  const below = (item: Item): boolean =>
    cursor === null ||
    item.block < Number(cursor['block_number']) ||
    (item.block === Number(cursor['block_number']) && item.place < Number(cursor['index']));
  const found = items.toReversed().filter(below);
  const shown = found.slice(0, pageSize);
  const last = shown.at(-1);
  const isEnd = found.length <= pageSize || last === undefined;
  return {
    rows: shown.map((item) => record.read(transferRow(item), { coin: 18 })),
    next: isEnd ? null : { block_number: String(last.block), index: String(last.place) },
  } as unknown as Page;
};

interface Watched {
  readonly kind: AnyKind;
  readonly target: Parameters<AnyKind['observe']>[0];
  readonly list: List;
}

const TARGET = {
  explorer: 'chain',
  coin: { symbol: 'ETH', decimals: 18 },
  address: Address.parse(VAULT) ?? null,
  token: null,
  maxPages: 400,
};
const EVENTS = {
  events: [
    { name: 'Paused', signature: 'Paused(address account)' },
    { name: 'Unpaused', signature: 'Unpaused(address account)' },
  ],
};
const LOGS: Watched = {
  kind: logs.forOptions?.(EVENTS) ?? logs,
  target: { ...TARGET, options: EVENTS },
  list: logList,
};
const TRANSFERS: Watched = { kind: transfers, target: { ...TARGET, options: {} }, list: transferList };

/** Reads a ledger as a watch does, and notes the keys of what is new. */
class Reader {
  readonly told: string[] = [];
  readonly #ledger: Ledger;
  readonly #watched: Watched;
  #state: ListState | null = null;
  #at = 0;

  constructor(ledger: Ledger, watched: Watched) {
    this.#ledger = ledger;
    this.#watched = watched;
  }

  async poll(how: Answering, passedMs = 60_000): Promise<void> {
    const { kind, target, list } = this.#watched;
    this.#at += passedMs;
    let pages = 0;
    const page = async (question: ListQuestion, cursor: Cursor | null): Promise<Page> => {
      if (question.path === 'blocks')
        return { rows: [Block.read({ height: this.#ledger.head }, { coin: 18 })], next: null } as unknown as Page;
      if ((pages += 1) === 2 && how.moving > 0) this.#ledger.reorganise(how.moving, how.moving);
      const blocks = how.stale[pages % how.stale.length] === true ? this.#ledger.stale : this.#ledger.blocks;
      return list(question, cursor, this.#ledger.items(blocks), how);
    };
    const read = { page, pageAgain: page, sweepPage: page } as unknown as Read;
    const reading = await kind.observe(target, this.#state, read, null);
    const scope = aScope({ at: this.#at, coveredUntil: this.#at - passedMs, isComplete: reading.partial === null });
    const { state, events } = finish(kind.detect(target, this.#state, reading.seen, scope));
    this.#state = ListState.parse(JSON.parse(JSON.stringify(state)));
    this.told.push(...events.filter(({ novelty }) => novelty === 'new').map(({ key }) => key));
  }

  async readAll(): Promise<void> {
    for (let i = 0; i < 6; i += 1) await this.poll(CALM, 1_200_000);
  }
}

const CALM: Answering = { shape: 'api', pageSize: 50, stale: [false], moving: 0 };

type Act =
  | { readonly type: 'blocks'; readonly blocks: readonly (readonly (readonly number[])[])[] }
  | { readonly type: 'reorganise'; readonly depth: number }
  | { readonly type: 'fall behind' };

const block = fc.array(fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }), { maxLength: 3 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('blocks' as const),
      blocks: fc.array(block, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('reorganise' as const), depth: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fall behind' as const) }) },
);

function perform(ledger: Ledger, one: Act): void {
  if (one.type === 'blocks') for (const contents of one.blocks) ledger.mine(contents);
  else if (one.type === 'reorganise') ledger.reorganise(one.depth, 1);
  else ledger.stale = ledger.blocks;
}

const answering: fc.Arbitrary<Answering> = fc.record({
  shape: fc.constantFrom<Shape[]>('api', 'rpc', 'v2', 'no place'),
  pageSize: fc.integer({ min: 1, max: 50 }),
  stale: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  moving: fc.nat(2),
});

test.each([
  ['log', LOGS],
  ['transfer', TRANSFERS],
])('a %s is told once, under the same key by two readers that are answered differently', async (_name, watched) => {
  const steps = fc.array(fc.record({ one: act, how: answering, other: answering }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const ledger = new Ledger();
      ledger.mine([[1]]);
      ledger.stale = ledger.blocks;
      const readers = [new Reader(ledger, watched), new Reader(ledger, watched)] as const;
      for (const reader of readers) await reader.poll(CALM);
      for (const { one, how, other } of taken) {
        perform(ledger, one);
        await readers[0].poll(how);
        await readers[1].poll(other);
      }
      const [first = [], second] = await Promise.all(
        readers.map(async (reader) => {
          await reader.readAll();
          return reader.told.toSorted();
        }),
      );
      expect(new Set(first).size).toBe(first.length);
      expect(second).toEqual(first);
      // The first one was there before.
      expect(first).toHaveLength(ledger.items().length - 1);
    }),
    { numRuns: 60 },
  );
});
