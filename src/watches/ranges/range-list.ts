// A list that is read by ranges of blocks, upwards: events of contracts.
//
//   first reading   the newest blocks, so that rows which a reorganisation moves up are known
//   every poll      from some blocks below the highest known row to the newest block
//   once an hour    also the blocks below, down to the look-back, for rows that explorers show late
//   behind          if a poll ends at its limit of pages, newer blocks wait, and the next poll reads on there
import type { Fields, View } from '../../core/values/fields.ts';
import { readChain } from '../../core/chain/tick-chain.ts';
import type { Reading } from '../../core/model/watch/kind.ts';
import { Missed, type Cursor, type ListQuestion, type Page, type Read } from '../../core/model/watch/question.ts';
import { blocks as blocksOf, inBlocks } from '../../explorer/operations.ts';
import { openGap } from '../lists/gaps.ts';
import type { ListReading, RangeEnds } from '../lists/list-reading.ts';
import { depthOf } from '../lists/look-back.ts';
import type { OlderReading } from '../lists/older-rows.ts';
import { highestRow } from '../lists/row-key.ts';
import { highestBlock, type ListState } from '../list-state.ts';
import { blockBelow } from '../seen-rows.ts';
import { isUnchangedPage } from '../newest-first-list.ts';
import { joined, limitOf, readEachUpwards, readUpwards, type UpwardLimit, type UpwardReading } from './read-upwards.ts';
import type { RangeOptions } from './range-options.ts';
import { sweepRange } from './sweep-range.ts';

export async function observeRange<F extends Fields>(
  state: ListState | null,
  read: Read,
  options: RangeOptions<F>,
): Promise<Reading<ListReading<F>>> {
  if (state === null) return readFirst(read, options);
  const from = startOf(state, options.downTo);
  const { all } = options;
  const isBusy = state.range?.isBusy === true;
  const isSweep = state.sweep.open !== null && read.sweepPage !== undefined;
  if (all !== null && !isBusy && !isSweep && openGap(state.gaps) === null) {
    const page = await read.page(inBlocks(all, from, null), null);
    if (isUnchangedPage(page.content, state) || page.next === null)
      return { seen: new OneRange(page, from, options), partial: null };
  }
  const sweepPages = isSweep ? Math.max(1, Math.floor(options.maxPages / 4)) : 0;
  const limit = limitOf(read, options, Math.max(1, options.maxPages - sweepPages));
  const reading = await readFrom(from, limit, { ...options, isBusy });
  const older = isSweep
    ? await sweepRange(state, read, { ...options, below: from, isBusy: reading.isBusy, maxPages: sweepPages })
    : null;
  return readingOf(reading, { older, from, isBusy: reading.isBusy }, options);
}

/**
 * The baseline: the newest blocks, up to the head. Their rows are no events, but they are known if a reorganisation
 * moves them above the head.
 */
async function readFirst<F extends Fields>(read: Read, options: RangeOptions<F>): Promise<Reading<ListReading<F>>> {
  const head = await headOf(options.explorer, read);
  const from = Math.max(0, head - depthOf([]));
  const questions = options.all === null ? options.each : [options.all];
  const reading = await readEachUpwards(questions, { from, to: null }, limitOf(read, options, options.maxPages));
  return readingOf({ ...reading, stopped: null }, { older: null, from, isBusy: false, head }, options);
}

/** The height of the newest block. */
export async function headOf(explorer: string, read: Read): Promise<number> {
  const page = await read.page(blocksOf(explorer), null);
  const chain = readChain(page.rows);
  if (chain === 'unknown')
    throw new Missed('truncated', 'the list of blocks is empty, so it is unknown where to begin');
  return chain.head;
}

/** True for the position of a sweep that reads ranges; other lists have cursors of the explorer. */
export function isRangeCursor(cursor: Cursor): boolean {
  return 'fromBlock' in cursor;
}

/** The block from which a poll reads. */
export function startOf({ gaps, marks, range, ...state }: ListState, downTo: number | null): number {
  const behind = openGap(gaps);
  if (behind !== null) return behind.from;
  const depth = depthOf(marks);
  const top = Math.max(highestBlock(state), range?.examined ?? 0);
  // A deeper item is left to the sweep.
  const isNear = downTo !== null && top - downTo < NEAR * depth;
  const from = Math.max(0, top - depth, blockBelow(state.seen, MOST_READ_AGAIN) ?? 0);
  return isNear ? Math.min(from, downTo) : from;
}

const NEAR = 4;
/** Half a page. If a contract has more events than this, fewer blocks are read again. */
const MOST_READ_AGAIN = 500;

/** Full pages in a row after which the events of a contract are asked for one by one. */
export const FULL_PAGES = 3;

interface Asking<F extends Fields> extends RangeOptions<F> {
  readonly isBusy: boolean;
}

export interface RangeReading<F extends Fields> extends UpwardReading<F> {
  readonly isBusy: boolean;
}

async function readFrom<F extends Fields>(
  from: number,
  limit: UpwardLimit<F>,
  { all, each, isBusy }: Asking<F>,
): Promise<RangeReading<F>> {
  const blocks = { from, to: null };
  if (all === null) return { ...(await readEachUpwards(each, blocks, limit)), isBusy: false };
  if (each.length <= 1) return { ...(await readUpwards(all, blocks, limit)), isBusy: false };
  if (isBusy) return { ...(await readEachUpwards(each, blocks, limit)), isBusy };
  const maxPages = Math.min(FULL_PAGES, limit.maxPages);
  const first = await readUpwards(all, blocks, { ...limit, maxPages });
  const parts = await apart(first, each, limit);
  const left = limit.maxPages - first.pages;
  if (first.stopped === null || first.stopped.isMissed || left <= 0) return { ...parts, isBusy: false };
  const rest = await readEachUpwards(each, { from: first.stopped.from, to: null }, { ...limit, maxPages: left });
  return { ...joined([{ ...parts, stopped: null }, rest]), isBusy: true };
}

/** Reads overfull blocks again, one event after the other. Only an event that fills a page alone leaves rows unread. */
async function apart<F extends Fields>(
  reading: UpwardReading<F>,
  each: readonly ListQuestion<F>[],
  limit: UpwardLimit<F>,
): Promise<UpwardReading<F>> {
  const parts: UpwardReading<F>[] = [];
  for (const block of reading.overfull) parts.push(await readEachUpwards(each, { from: block, to: block }, limit));
  const rows = reading.rows.filter((view) => !reading.overfull.includes(Number(limit.row.blockOf(view) ?? -1)));
  return joined([{ ...reading, rows, overfull: [] }, ...parts]);
}

interface Ends<F extends Fields> extends Omit<RangeEnds, 'top' | 'overfull'> {
  readonly older: OlderReading<F> | null;
  /** The block up to which all was read, if that is known without rows. */
  readonly top?: number;
}

export function readingOf<F extends Fields>(
  { rows, stopped, overfull }: UpwardReading<F>,
  { older, ...ends }: Ends<F>,
  options: RangeOptions<F>,
): Reading<ListReading<F>> {
  // Another server may have answered each question, and one of them may be behind the highest row.
  const isByOne = !ends.isBusy && (options.all !== null || options.each.length === 1);
  const range = { ...ends, top: ends.top ?? (isByOne ? highestRow(rows, options) : null), overfull };
  const end = stopped === null ? null : { why: stopped.why, lowest: null, resume: null, unreadFrom: stopped.from };
  return {
    seen: { rows: options.own(rows), stopped: end, reachedEnd: false, older, range },
    partial: stopped === null ? null : `blocks from ${stopped.from} on not read yet: ${stopped.why}`,
  };
}

/** A reading of one page that is not full. The rows of a page that was read before are decoded on first use. */
class OneRange<F extends Fields> implements ListReading<F> {
  readonly stopped = null;
  readonly older = null;
  readonly reachedEnd = false;
  readonly #page: Page<F>;
  readonly #from: number;
  readonly #options: RangeOptions<F>;
  #rows: readonly View<F>[] | null = null;

  constructor(page: Page<F>, from: number, options: RangeOptions<F>) {
    this.#page = page;
    this.#from = from;
    this.#options = options;
  }

  get content(): object | undefined {
    return this.#page.content;
  }

  get rows(): readonly View<F>[] {
    return (this.#rows ??= this.#options.own(this.#page.rows));
  }

  get range(): RangeEnds {
    const top = highestRow(this.#page.rows, this.#options);
    return { from: this.#from, top, isBusy: false, overfull: [] };
  }
}
