import { z } from 'zod';
import { duration, natural, record } from '../core/values/field-declarations.ts';
import { RecordType } from '../core/values/record-type.ts';
import { valueAt, type AnyView, type View } from '../core/values/fields.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import type { Kind } from '../core/model/watch/kind.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Head } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { Steps } from '../lib/steps.ts';
import { Missed } from '../core/model/watch/question.ts';
import { blocks as chainBlocks } from '../explorer/operations.ts';
import { Block } from '../explorer/reading/resources/block.ts';
import { headOf } from '../explorer/reading/head.ts';
import { BLOCK_EXAMPLES } from './examples.ts';
import { syntheticHash } from './synthetic.ts';
import { coverageOf } from './lists/coverage.ts';
import { eventsOf, NEW_ROW } from './list-events.ts';
import { syntheticBlock, ListState, startingAt, startOption, type StartOption } from './list-state.ts';
import { detectList } from './lists/detection.ts';
import { type ListReading, upTo } from './lists/list-reading.ts';
import { historyOf, placeOf, type RowKey } from './lists/row-key.ts';
import { observeList, writtenReading } from './newest-first-list.ts';
import { type Fork, forkOf, heightOf, RecentBlocks, withBlocks } from './blocks/recent-blocks.ts';
import { blockWording } from './wording/blocks.ts';

type Row = View<typeof Block.fields>;

const BlockView = new RecordType('BlockView', {
  ...Block.fields,
  head: record(Block, 'the newest block', { ofHead: true }),
  age: duration('the age of the newest block', { ofHead: true }),
  depth: natural('the number of known blocks that were replaced; only of a reorg'),
});

interface State {
  readonly list: ListState;
  /** The last known blocks, newest first, to detect a reorg. */
  readonly recent: RecentBlocks;
}

const State: z.ZodType<State> = z.object({ list: ListState, recent: RecentBlocks });

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
  events: { new: NEW_ROW, reorg: { doc: 'known blocks were replaced by others', inBlocks: false } },
  while: { measured: 'head.height', exported: [] },
  of: 'none',
  token: 'none',
  options: z.strictObject(startOption),
  state: State,
  comparedByDefault: [],
  shown: ['height', 'hash', 'timestamp', 'age', 'depth', 'transactions_count'],
  fleeting: ['head', 'age', 'depth'],
  placeInBlock: [],
  onlyOf: { depth: 'reorg' },
  wording: blockWording,
  question: ({ explorer }) => chainBlocks(explorer),
  head: () => null,
  page: (_target, view) => pageOf(view),
  async observe({ explorer, maxPages, options }, state, read, downTo) {
    const from = state?.list ?? startingAt(options);
    const reading = await observeList(chainBlocks(explorer), from, read, { ...row, maxPages, downTo });
    // Every chain has a block. So an empty list is a failed reading, and does not mean that the blocks disappeared.
    if (reading.seen.rows.length === 0)
      throw new Missed('shape', 'blocks: none in the list, the explorer is not ready');
    return reading;
  },
  *detect(target, state, seen, scope): Steps<Detection<State>> {
    const known = state?.recent ?? [];
    const shown = [...seen.rows, ...(seen.older?.rows ?? [])];
    const fork = state === null ? null : forkOf(known, shown);
    const isNewFork = fork !== null && fork.isNew;
    const before = state === null ? startingAt(target.options) : isNewFork ? aboveFork(state.list, fork) : state.list;
    const list = yield* detectList(before, seen, { row, scope, question: chainBlocks(target.explorer) });
    const head = newest(seen.rows);
    const look = (block: Row, depth?: number): AnyView => viewAt(block, head, scope.at, depth);
    const recent = withBlocks(known, shown);
    const isSame = state !== null && list.state === state.list && recent === known;
    const detection = yield* eventsOf(list, (block, novelty) => newBlock(block, novelty, look(block)));
    const replaced = isNewFork ? fork.heights : [];
    return {
      ...detection,
      state: isSame ? state : { list: list.state, recent },
      events: [...detection.events, ...(isNewFork ? [reorg(fork, look)] : [])],
      now: head === undefined ? null : look(head),
      range: list.range === null ? null : { ...upTo(list.range), replaced },
    };
  },
  coverage: ({ list }) => coverageOf(list),
  history: historyOf(row),
  examples: BLOCK_EXAMPLES,
  rowsOf: (seen) => seen,
  sourceOf,
  script: {
    rows: 'items',
    record: Block,
    synthesize: (_target, { rows }, state) =>
      writtenReading<typeof Block.fields>(rows.map((written, i) => synthesize(written, state, rows.length - i))),
    head: headOfWritten,
  },
};

/** The path of a field in a row of the answer; null: there is none. The fields of `head` are those of its row. */
function sourceOf(path: string): string | null {
  if (path === 'depth' || path === 'head') return null;
  return path === 'age' ? 'timestamp' : path.replace(/^head\./, '');
}

/** Lowers the floor to below the fork, so that the blocks above it are new even at heights of the baseline. */
function aboveFork(list: ListState, { heights }: Fork): ListState {
  const lowest = Math.min(...heights);
  return lowest > list.floor ? list : { ...list, floor: lowest - 1 };
}

/** The highest block; the first row if no row has a height. */
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
  return { on: 'new', ...item, novelty, before: null, changed: [], block: placeOf(row, block), slot: null };
}

/** One event for the whole reorganisation. It shows the block at the fork and the number of replaced heights. */
function reorg({ block, oldHash, heights }: Fork, viewOf: (block: Row, depth: number) => AnyView): DetectedEvent {
  const key = `${oldHash}>${block.hash ?? ''}`;
  const view = viewOf(block, heights.length);
  const before = { hash: oldHash };
  const nowhere = { happenedAt: null, block: 'nowhere', slot: null } as const;
  return { on: 'reorg', key, novelty: 'new', view, before, changed: [], ...nowhere };
}

function pageOf(view: AnyView): string | null {
  const height = valueAt(view, 'height');
  return typeof height === 'bigint' ? `/block/${height}` : null;
}

/** Rows without a height are numbered by their place, down to 1 for the last row. */
function headOfWritten(rows: readonly SyntheticRow[], at: Instant): Head | null {
  const heights = rows.map(({ view }, i) => (view as Row).height ?? BigInt(rows.length - i));
  return headOf(
    rows.map(({ view }, i) => Block.over(view, { height: heights[i] })),
    at,
  );
}

/** A block of a test. If the test gives a height another name than before, it replaces the block at that height. */
function synthesize({ view, id }: SyntheticRow, state: State | null, above: number): Row {
  const block = view as Row;
  const named = block.hash ?? (id === null ? undefined : syntheticHash(id));
  const known = named === undefined ? undefined : heightOf(state?.recent ?? [], named);
  const made = known === undefined ? syntheticBlock(state?.list ?? null, undefined, above) : BigInt(known);
  const height = block.height ?? made;
  return Block.over(block, { height, hash: named ?? syntheticHash(`block ${height}`) });
}
