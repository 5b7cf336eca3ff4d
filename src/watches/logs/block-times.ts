// The times of logs by `eth_getLogs`, whose rows have none. A new row gets the time of its block before it is told: that
// tells news from rows of an event that was added later, and counts it in its span. The newest blocks are on page one of
// the list of blocks. Of older ones a few are asked for, the lowest first, and what lies above waits for the next poll.
import type { AnyView, Fields, View } from '../../core/values/fields.ts';
import {
  Missed,
  questionKey,
  type Cursor,
  type ListQuestion,
  type Page,
  type Read,
} from '../../core/model/watch/question.ts';
import { blocks as blocksOf, blockIn, cursorAt } from '../../explorer/operations.ts';
import { isKnown, knownRowsOf, type ListState } from '../list-state.ts';
import { positionOf } from '../lists/row-key.ts';
import { isUnchangedPage } from '../newest-first-list.ts';
import type { RangeOptions } from '../ranges/range-options.ts';
import { nullIfMissed } from '../ranges/read-upwards.ts';
import type { Log } from '../../explorer/reading/resources/log.ts';
import { withTime, type LogRow } from './own-rows.ts';

/** Pages of blocks that a question may ask for, beside the first. */
const MOST_ASKED = 5;

type LogReading = Pick<
  RangeOptions<typeof Log.fields>,
  'explorer' | 'own' | 'identityOf' | 'blockOf' | 'happenedAt' | 'cursorFrom'
>;

/** Reads pages of `eth_getLogs` with the times of new rows. The rows of a baseline are not told, and get none. */
export function readingTimes(state: ListState | null, read: Read, options: LogReading): Read {
  const { sweepPage } = read;
  if (state === null) return read;
  const times = createTimes(read, options.explorer);
  /** For each question, the block at which its reading ends. */
  const leftAt = new Map<string, number>();

  async function timed<F extends Fields>(
    ask: (question: ListQuestion<F>, cursor: Cursor | null) => Promise<Page<F>>,
    question: ListQuestion<F>,
    cursor: Cursor | null,
  ): Promise<Page<F>> {
    if (question.root !== 'rpc' || state === null) return ask(question, cursor);
    const key = questionKey(question);
    const from = blockIn(question, cursor ?? question.params);
    if (from === leftAt.get(key)) throw waiting(from);
    const page = await ask(question, cursor);
    if (isUnchangedPage(page.content, state)) return page;
    const news = blocksWithNews(page.rows, state, options);
    if (news.length === 0) return page;
    const unknown = await times.find(news, key);
    const rows = page.rows.map((view) => withTime(ofRow(view), times.of(heightOf(view))) as View<F>);
    const { content, next } = page;
    if (unknown === null) return { content, rows, next };
    if (unknown <= from) throw waiting(unknown);
    leftAt.set(key, unknown);
    return { rows: rows.filter((view) => heightOf(view) < unknown), next: cursorAt(question, unknown) };
  }

  return {
    ...read,
    page: (question, cursor) => timed((one, at) => read.page(one, at), question, cursor),
    ...(sweepPage === undefined
      ? {}
      : { sweepPage: (question, cursor) => timed((one, at) => sweepPage(one, at), question, cursor) }),
  };
}

function waiting(from: number): Missed {
  return new Missed('truncated', `the times of blocks from ${from} on are not known yet`);
}

const ofRow = (view: AnyView): LogRow => view as LogRow;

function heightOf(view: AnyView): number {
  return Number(ofRow(view).block_number ?? -1);
}

/** Upwards. */
function blocksWithNews(rows: readonly AnyView[], state: ListState, options: LogReading): readonly number[] {
  const known = knownRowsOf(state);
  const news = options.own(rows.map(ofRow)).map((view) => positionOf(options, view));
  const heights = news.filter((position) => !isKnown(known, position)).map(({ block }) => block);
  return [...new Set(heights)].sort((a, b) => a - b);
}

interface Times {
  /** The lowest of these blocks whose time is not known yet; null: there is none. `question`: its key. */
  find(blocks: readonly number[], question: string): Promise<number | null>;
  /** Undefined for a block that is not in the list. */
  of(block: number): Date | undefined;
}

function createTimes(read: Read, explorer: string): Times {
  const question = blocksOf(explorer);
  const timeByBlock = new Map<number, Date | undefined>();
  let rowsOfPage: number | null = null;
  const leftByQuestion = new Map<string, number>();

  /** The heights that the page has. */
  async function add(cursor: Cursor | null): Promise<readonly number[]> {
    const { rows } = await read.page(question, cursor);
    return rows.flatMap(({ height, timestamp }) => {
      if (height === undefined) return [];
      timeByBlock.set(Number(height), timestamp);
      return [Number(height)];
    });
  }

  return {
    of: (block) => timeByBlock.get(block),
    async find(blocks, asking) {
      rowsOfPage ??= (await add(null)).length;
      let reach = rowsOfPage;
      for (;;) {
        const open = blocks.filter((block) => !timeByBlock.has(block));
        const [lowest] = open;
        const left = leftByQuestion.get(asking) ?? MOST_ASKED;
        if (lowest === undefined || left === 0) return lowest ?? null;
        // The page of a higher block has the lowest one, too, and all others between them.
        const top = Math.max(lowest, ...open.filter((block) => block < lowest + reach));
        const heights = await add({ block_number: String(top + 1) }).catch(nullIfMissed);
        leftByQuestion.set(asking, heights === null ? 0 : left - 1);
        if (heights === null) continue;
        // A server that is behind, or a list with a hole.
        const missing = heights.some((height) => height >= lowest) ? [] : open.filter((block) => block <= top);
        for (const block of missing) timeByBlock.set(block, undefined);
        if (!timeByBlock.has(lowest)) reach = 0;
      }
    },
  };
}
