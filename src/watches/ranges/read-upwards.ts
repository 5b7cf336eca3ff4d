// Reads a list by ranges of blocks, the oldest rows first. There is no cursor: a full page is followed by another from
// its last block, whose rows are taken from the second page only.
import type { Fields, View } from '../../core/values/fields.ts';
import { Missed, type ListQuestion } from '../../core/model/watch/question.ts';
import { blockIn, cursorAt, inBlocks } from '../../explorer/operations.ts';
import type { Pages } from '../../explorer/reading/paging.ts';
import type { RowKey } from '../lists/row-key.ts';

/** Blocks to read. `to` null: up to the newest block. */
export interface Blocks {
  readonly from: number;
  readonly to: number | null;
}

export interface UpwardReading<F extends Fields> {
  readonly rows: readonly View<F>[];
  readonly pages: number;
  /** The lowest block that was not read, and the reason; null if all were read. */
  readonly stopped: Stop | null;
  /** Blocks with more rows than a page has. Only their first rows were read. */
  readonly overfull: readonly number[];
  /** The explorer said of a page that it has not processed all of its blocks. */
  readonly isUnfinished: boolean;
}

interface Stop {
  readonly from: number;
  readonly why: string;
  /** A page failed. */
  readonly isMissed: boolean;
  /** Too many pages in a row were full. */
  readonly isFull: boolean;
}

export interface UpwardLimit<F extends Fields> {
  readonly read: Pages;
  readonly maxPages: number;
  /** Full pages in a row after which a question is given up; left out: `maxPages`. */
  readonly mostFull?: number;
  /** The largest number of blocks in a request; left out if there is no limit. */
  readonly mostBlocks?: number;
  readonly row: RowKey<F>;
}

/** Throws `Missed` if the first page fails. A later failure ends the reading. */
export async function readUpwards<F extends Fields>(
  question: ListQuestion<F>,
  { from, to }: Blocks,
  { read, maxPages, mostFull = maxPages, row }: UpwardLimit<F>,
): Promise<UpwardReading<F>> {
  const asked = inBlocks(question, from, to);
  const rows: View<F>[] = [];
  const overfull: number[] = [];
  let isUnfinished = false;
  let at = from;
  for (let pages = 1; ; pages += 1) {
    const end = (stopped: Stop | null): UpwardReading<F> => ({ rows, pages, stopped, overfull, isUnfinished });
    const cursor = pages === 1 ? null : cursorAt(asked, at);
    const page = await read.page(asked, cursor).catch((error: unknown) => laterMiss(error, cursor !== null));
    if (page instanceof Missed)
      return end({ from: at, why: `page ${pages} did not come (${page.reason})`, isMissed: true, isFull: false });
    isUnfinished ||= page.isUnfinished === true;
    const last = page.next === null ? null : blockIn(asked, page.next);
    const isOverfull = last !== null && last <= at;
    const isWhole = last === null || isOverfull;
    rows.push(...(isWhole ? page.rows : page.rows.filter((view) => Number(row.blockOf(view) ?? -1) < last)));
    if (last === null) return end(null);
    if (isOverfull) overfull.push(at);
    at = isOverfull ? at + 1 : last;
    if (to !== null && at > to) return end(null);
    if (pages >= Math.min(maxPages, mostFull))
      return end({ from: at, why: `${pages} pages read`, isMissed: false, isFull: pages >= mostFull });
  }
}

/** `options`: the row key, and the limit of blocks, of a list that is read by ranges. */
export function limitOf<F extends Fields>(
  read: Pages,
  options: RowKey<F> & Pick<UpwardLimit<F>, 'mostBlocks'>,
  maxPages: number,
): UpwardLimit<F> {
  const { mostBlocks } = options;
  return { read, maxPages, row: options, ...(mostBlocks === undefined ? {} : { mostBlocks }) };
}

/** For a reading that may fail as a whole: it goes on in a later poll. */
export function nullIfMissed(error: unknown): null {
  if (error instanceof Missed) return null;
  throw error;
}

function laterMiss(error: unknown, isLater: boolean): Missed {
  if (isLater && error instanceof Missed) return error;
  throw error;
}

/** Reads the blocks in ranges of at most `mostBlocks`, if `to` is known. */
async function readInParts<F extends Fields>(
  question: ListQuestion<F>,
  blocks: Blocks,
  limit: UpwardLimit<F>,
): Promise<UpwardReading<F>> {
  const { mostBlocks, maxPages } = limit;
  if (mostBlocks === undefined || blocks.to === null) return readUpwards(question, blocks, limit);
  const parts: UpwardReading<F>[] = [];
  let left = maxPages;
  for (let from = blocks.from; from <= blocks.to; from += mostBlocks) {
    if (left <= 0) return joined([...parts, unread(from, `${maxPages} pages read`, false)]);
    const to = Math.min(blocks.to, from + mostBlocks - 1);
    const part = await readUpwards(question, { from, to }, { ...limit, maxPages: left }).catch((error: unknown) => {
      const { reason } = laterMiss(error, parts.length > 0);
      return unread<F>(from, `blocks from ${from} on did not come (${reason})`, true);
    });
    parts.push(part);
    left -= part.pages;
    if (part.stopped !== null) break;
  }
  return joined(parts);
}

function unread<F extends Fields>(from: number, why: string, isMissed: boolean): UpwardReading<F> {
  return { rows: [], pages: 0, stopped: { from, why, isMissed, isFull: false }, overfull: [], isUnfinished: false };
}

/** Several questions about the same blocks, one after the other. `maxPages` is for all of them. */
export async function readEachUpwards<F extends Fields>(
  questions: readonly ListQuestion<F>[],
  blocks: Blocks,
  limit: UpwardLimit<F>,
): Promise<UpwardReading<F>> {
  const readings: UpwardReading<F>[] = [];
  let left = limit.maxPages;
  for (const question of questions) {
    const reading = await readInParts(question, blocks, { ...limit, maxPages: Math.max(1, left) });
    readings.push(reading);
    left -= reading.pages;
  }
  return joined(readings);
}

/** The rows of all readings. Blocks that one of them did not read are unread. */
export function joined<F extends Fields>(readings: readonly UpwardReading<F>[]): UpwardReading<F> {
  const stops = readings.flatMap(({ stopped }) => stopped ?? []).sort((a, b) => a.from - b.from);
  const [lowest] = stops;
  // All questions share the pages. A question with few pages left stops lower than the one that is flooded. A page that
  // failed is asked for again instead.
  const isFull = lowest?.isMissed === false && stops.some((stop) => stop.isFull);
  return {
    rows: readings.flatMap(({ rows }) => rows),
    pages: readings.reduce((sum, { pages }) => sum + pages, 0),
    stopped: lowest === undefined ? null : { ...lowest, isFull },
    overfull: [...new Set(readings.flatMap(({ overfull }) => overfull))],
    isUnfinished: readings.some(({ isUnfinished }) => isUnfinished),
  };
}
