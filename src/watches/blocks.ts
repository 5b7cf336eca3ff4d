import { z } from 'zod';
import { duration, natural, record, RecordType, valueAt, type AnyView, type View } from '../core/values/fields.ts';
import type { DetectedEvent, Detection, Kind, SyntheticRow } from '../core/model/kind.ts';
import type { Instant } from '../lib/clock.ts';
import { Missed } from '../core/model/question.ts';
import { blocks as chainBlocks } from '../explorer/reading/endpoints.ts';
import { Block } from '../explorer/reading/resources.ts';
import { syntheticHash } from './synthetic.ts';
import { coverageOf } from './lists/coverage.ts';
import { eventsOf } from './list-events.ts';
import { syntheticBlock, ListState, startingAt, startOption, type StartOption } from './list-state.ts';
import { detectList, type ListReading, upTo } from './lists/detection.ts';
import { placeOf, type RowKey } from './lists/row-key.ts';
import { observeList, writtenReading } from './newest-first-list.ts';

type Row = View<typeof Block.fields>;

const BlockView = new RecordType('BlockView', {
  ...Block.fields,
  head: record(Block, 'the newest block'),
  age: duration('how long ago the newest block was made'),
  depth: natural('how many known blocks were replaced; only of a reorg'),
});

/** The last known blocks, newest first: what a reorg is seen against. */
const Recent = z.array(z.tuple([z.number(), z.string()]));
type Recent = readonly (readonly [height: number, hash: string])[];

interface State {
  readonly list: ListState;
  readonly recent: Recent;
}

const State: z.ZodType<State> = z.object({ list: ListState, recent: Recent });

const MOST_RECENT = 64;

const row: RowKey<typeof Block.fields> = {
  identityOf: ({ hash, height }) => (hash === undefined || height === undefined ? undefined : `${height}:${hash}`),
  blockOf: ({ height }) => height,
  happenedAt: ({ timestamp }) => timestamp,
  isChain: true,
  cursorFrom: ({ height }) => (height === undefined ? null : { block_number: `${height}` }),
};

export const blocks: Kind<StartOption, State, ListReading<typeof Block.fields>> = {
  name: 'blocks',
  summary: 'Blocks of the chain: each new one, a head that stands still, reorganisations.',
  noun: 'block',
  fields: BlockView,
  events: ['new', 'reorg'],
  conditions: true,
  of: 'none',
  token: 'none',
  options: z.strictObject(startOption),
  state: State,
  comparedByDefault: [],
  shown: ['height', 'hash', 'timestamp', 'age', 'depth', 'transactions_count'],
  fleeting: ['head', 'age', 'depth'],
  onlyOf: { depth: 'reorg' },
  measured: 'head.height',
  exported: [],
  question: ({ explorer }) => chainBlocks(explorer),
  head: () => null,
  page: (_target, view) => pageOf(view),
  async observe({ explorer, maxPages, options }, state, read) {
    const from = state?.list ?? startingAt(options);
    const reading = await observeList(chainBlocks(explorer), from, read, { ...row, maxPages });
    // Every chain has a block. A list without any says nothing about this one, least of all that its blocks are gone.
    if (reading.seen.rows.length === 0)
      throw new Missed('shape', 'blocks: none in the list, the explorer is not ready');
    return reading;
  },
  detect(target, state, seen, scope): Detection<State> {
    const chain = oneOfEachHeight(state?.recent ?? [], seen.rows);
    const replaced = state === null ? [] : replacedBlocks(state.recent, chain);
    const before = state === null ? startingAt(target.options) : aboveFork(state.list, replaced);
    const list = detectList(before, seen, { row, scope, question: chainBlocks(target.explorer) });
    const head = newest(seen.rows);
    const look = (block: Row, depth?: number): AnyView => viewAt(block, head, scope.at, depth);
    const recent = recentOf(state?.recent ?? [], chain);
    const isSame = state !== null && list.state === state.list && recent.length === 0;
    const detection = eventsOf(list, (block, novelty) => newBlock(block, novelty, look(block)));
    return {
      ...detection,
      state: isSame ? state : { list: list.state, recent: recent.length === 0 ? (state?.recent ?? []) : recent },
      events: [...detection.events, ...reorg(replaced, look)],
      now: head === undefined ? null : look(head),
      range: list.range === null ? null : { ...upTo(list.range), replaced: replaced.map(heightOf) },
    };
  },
  coverage: ({ list }) => coverageOf(list),
  script: {
    rows: 'items',
    record: Block,
    synthesize: (_target, { rows }, state) =>
      writtenReading<typeof Block.fields>(rows.map((written, i) => synthesize(written, state, rows.length - i))),
  },
};

interface Replaced {
  readonly block: Row;
  readonly oldHash: string;
}

/** Some explorers list uncles too: a known block that is still there was not replaced by them. */
function oneOfEachHeight(recent: Recent, rows: readonly Row[]): Row[] {
  const hashByHeight = new Map(recent);
  const rowByHeight = new Map<number, Row>();
  for (const block of rows) {
    const height = Number(block.height);
    if (!rowByHeight.has(height) || block.hash === hashByHeight.get(height)) rowByHeight.set(height, block);
  }
  return [...rowByHeight.values()];
}

/** Known heights that show another hash, lowest first. */
function replacedBlocks(recent: Recent, rows: readonly Row[]): Replaced[] {
  const hashByHeight = new Map(recent);
  return rows
    .flatMap((block) => {
      const oldHash = hashByHeight.get(Number(block.height));
      const isReplaced = oldHash !== undefined && block.hash !== undefined && oldHash !== block.hash;
      return isReplaced ? [{ block, oldHash }] : [];
    })
    .sort((a, b) => heightOf(a) - heightOf(b));
}

function heightOf({ block }: Replaced): number {
  return Number(block.height);
}

/** A replaced block is new again, also one that was there at the baseline. */
function aboveFork(list: ListState, [first]: readonly Replaced[]): ListState {
  const fork = Number(first?.block.height ?? Infinity);
  return fork > list.floor ? list : { ...list, floor: fork - 1 };
}

function recentOf(known: Recent, rows: readonly Row[]): Recent {
  const hashByHeight = new Map(known);
  const isNews = rows.some(({ height, hash }) => hash !== undefined && hashByHeight.get(Number(height)) !== hash);
  if (!isNews) return [];
  for (const { height, hash } of rows)
    if (height !== undefined && hash !== undefined) hashByHeight.set(Number(height), hash);
  return [...hashByHeight].sort(([a], [b]) => b - a).slice(0, MOST_RECENT);
}

/** The first one where none says its height. */
function newest(rows: readonly Row[]): Row | undefined {
  const highest = rows.reduce<Row | undefined>(
    (head, block) => (Number(block.height) > Number(head?.height ?? -1) ? block : head),
    undefined,
  );
  return highest ?? rows[0];
}

function viewAt(block: Row, head: Row | undefined, at: Instant, depth?: number): AnyView {
  const madeAt = head?.timestamp?.getTime();
  return BlockView.over(block, {
    head,
    age: madeAt === undefined ? undefined : at - madeAt,
    depth: depth === undefined ? undefined : BigInt(depth),
  });
}

function newBlock(block: Row, novelty: DetectedEvent['novelty'], view: AnyView): DetectedEvent {
  const item = { key: row.identityOf(block) ?? '', view, happenedAt: block.timestamp?.getTime() ?? null };
  return { on: 'new', ...item, novelty, before: null, changed: [], block: placeOf(row, block) };
}

/** One event a poll, however deep: at the fork, with the number of heights replaced. */
function reorg(replaced: readonly Replaced[], viewOf: (block: Row, depth: number) => AnyView): DetectedEvent[] {
  const [fork] = replaced;
  if (fork === undefined) return [];
  const key = `${fork.oldHash}>${fork.block.hash ?? ''}`;
  const view = viewOf(fork.block, replaced.length);
  const before = { hash: fork.oldHash };
  return [{ on: 'reorg', key, novelty: 'new', view, before, changed: [], happenedAt: null, block: 'nowhere' }];
}

function pageOf(view: AnyView): string | null {
  const height = valueAt(view, 'height');
  return typeof height === 'bigint' ? `/block/${height}` : null;
}

/** One height is one block, unless the test gives it another name: then it replaces the one that was there. */
function synthesize({ view, id }: SyntheticRow, state: State | null, above: number): Row {
  const block = view as Row;
  const named = block.hash ?? (id === null ? undefined : syntheticHash(id));
  const known = state?.recent.find(([, hash]) => hash === named)?.[0];
  const made = known === undefined ? syntheticBlock(state?.list ?? null, undefined, above) : BigInt(known);
  const height = block.height ?? made;
  return Block.over(block, { height, hash: named ?? syntheticHash(`block ${height}`) });
}
