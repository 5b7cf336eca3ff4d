// Reads below the newest pages: first the gaps, from the highest down, then the open sweep.
import type { Fields, View } from '../../core/values/fields.ts';
import type { Heights } from '../../core/model/detection.ts';
import type { Cursor, ListQuestion, Read } from '../../core/model/watch/question.ts';
import { readFrom, type PagedReading, type Pages } from '../../explorer/reading/paging.ts';
import type { Gap, GapReading } from './gaps.ts';
import { isKnown, type KnownRows, type ListState } from '../list-state.ts';
import { lookBackOf } from './look-back.ts';
import { highestRow, lowestBlock, positionOf, type RowKey } from './row-key.ts';
import type { SweepReading } from './sweep.ts';

export interface OlderReading<F extends Fields> {
  readonly rows: readonly View<F>[];
  readonly gaps: readonly GapReading[];
  readonly sweep: SweepReading | null;
  /** The heights whose rows were all read. */
  readonly covered: readonly Heights[];
}

/** The end of the newest pages. */
export interface NewestEnd {
  readonly next: Cursor | null;
  readonly reachedEnd: boolean;
  /** The lowest block on them; null if no row names its block. */
  readonly lowest: number | null;
}

interface OlderOptions<F extends Fields> extends RowKey<F> {
  /** The rows that the state remembers. */
  readonly known: KnownRows;
  readonly newest: NewestEnd;
  /** False for a row that the explorer sends without being asked for it. */
  readonly isAskedFor?: (row: View<F>) => boolean;
  /** The largest number of pages in all. */
  readonly maxPages: number;
}

/** Gaps whose rows would still be sent; rows at or below the floor are too old. */
export function readableGaps({ gaps, floor }: ListState): readonly Gap[] {
  return gaps.filter(({ to }) => to > floor);
}

/** True if there is something to read below the newest pages. If sweeping is not allowed, only gaps count. */
export function hasOlder(state: ListState, read: Read): boolean {
  return readableGaps(state).length > 0 || (state.sweep.open !== null && read.sweepPage !== undefined);
}

export async function readOlder<F extends Fields>(
  read: Read,
  question: ListQuestion<F>,
  state: ListState,
  options: OlderOptions<F>,
): Promise<OlderReading<F>> {
  const rows: View<F>[] = [];
  const gaps: GapReading[] = [];
  const covered: Heights[] = [];
  let left = options.maxPages;
  let { newest } = options;
  const common = { ...options, read, question, rows };
  for (const gap of readableGaps(state)) {
    if (left <= 0) break;
    const { pages, isBroken, reachedEnd, heights, ...reading } = await readPart(
      { ...common, newest, maxPages: left },
      gap,
    );
    gaps.push({ gap, ...reading });
    covered.push(...heights);
    left -= pages;
    // The next gap continues where this reading ended.
    if (reading.lowest !== null) newest = { next: reading.resume, reachedEnd, lowest: reading.lowest };
    // A failure at the highest gap would repeat at the others, so the next poll tries again.
    if (isBroken) break;
  }
  const { open } = state.sweep;
  if (open === null || read.sweepPage === undefined || left <= 0) return { rows, gaps, sweep: null, covered };
  const sweep = await readSweep(state, open.resume, { ...common, sweepPage: read.sweepPage, maxPages: left });
  return { rows, gaps, sweep, covered: [...covered, ...sweep.heights] };
}

/**
 * Few pages are reserved for sweeps. If a page of a sweep has unknown rows, the reading goes on with the pages for new
 * rows, as long as pages have unknown rows. Otherwise many late rows would be sent hours later.
 */
async function readSweep<F extends Fields>(
  state: ListState,
  from: Cursor | null,
  { sweepPage, ...options }: PartOptions<F> & { readonly sweepPage: Pages['page'] },
): Promise<SweepReading> {
  const all = { from: Math.max(state.floor, lookBackOf(state.marks)) + 1, to: Infinity };
  const hasNews = (some: readonly View<F>[]): boolean =>
    some.some((view) => options.isAskedFor?.(view) !== false && !isKnown(options.known, positionOf(options, view)));
  const rowsBefore = options.rows.length;
  const swept = await readPart({ ...options, read: { page: sweepPage }, isOver: hasNews }, { ...all, resume: from });
  const { resume, isClosed, heights } = swept;
  const maxPages = options.maxPages - swept.pages;
  const isAll = isClosed || resume === null || maxPages <= 0 || !hasNews(options.rows.slice(rowsBefore));
  if (isAll) return { from, resume, isComplete: isClosed, heights };
  const news = await readPart({ ...options, maxPages, isOver: (rows) => !hasNews(rows) }, { ...all, resume });
  return {
    from,
    resume: news.pages === 0 ? resume : news.resume,
    isComplete: news.isClosed,
    heights: [...heights, ...news.heights],
  };
}

interface PartOptions<F extends Fields> extends OlderOptions<F> {
  readonly read: Pages;
  readonly question: ListQuestion<F>;
  /** The rows that were read are added here. */
  readonly rows: View<F>[];
  /** True if the reading ends after a page with these rows, even if it has not reached `from`. */
  readonly isOver?: (rows: readonly View<F>[]) => boolean;
}

interface PartReading {
  readonly lowest: number | null;
  /** The heights whose rows were all read. */
  readonly heights: readonly Heights[];
  readonly resume: Cursor | null;
  readonly isClosed: boolean;
  readonly reachedEnd: boolean;
  readonly pages: number;
  readonly isBroken: boolean;
}

/** Reads on from `resume` down to a row below `from`. */
async function readPart<F extends Fields>(
  options: PartOptions<F>,
  { from, to, resume }: Pick<Gap, 'from' | 'to' | 'resume'>,
): Promise<PartReading> {
  const { newest } = options;
  const isBelow = (lowest: number | null): boolean => lowest !== null && lowest < from;
  if (newest.reachedEnd || isBelow(newest.lowest)) return { ...NOTHING, isClosed: true };
  // If the newest pages end within the gap's highest block, the stored position is used. It is usually deeper; if not,
  // some rows are only read twice.
  const isInside = newest.lowest !== null && newest.lowest < to && to !== Infinity;
  const cursor = isInside ? newest.next : (resume ?? newest.next);
  if (cursor === null) return NOTHING;
  const isDone = (rows: readonly View<F>[]): boolean =>
    isBelow(lowestBlock(rows, options)) || options.isOver?.(rows) === true;
  const reading = await readFrom(options.read, options.question, { ...options, cursor, isDone });
  options.rows.push(...reading.rows);
  // The explorer no longer accepts the position: the next poll continues below its newest pages.
  if (isRefused(reading)) return { ...NOTHING, pages: 1, isBroken: true };
  const lowest = lowestBlock(reading.rows, options);
  const isClosed = reading.reachedEnd || isBelow(lowest);
  const { reachedEnd, pages, next, missed } = reading;
  // The block at a position is read in part by the reading above it and in part by the one below, so it does not count
  // as covered.
  const above = cursor === newest.next ? newest.lowest : (highestRow(reading.rows, options) ?? 0) - 1;
  const heights = coveredBetween(reachedEnd ? 0 : lowest === null ? null : lowest + 1, above);
  return { lowest, heights, resume: next, isClosed, reachedEnd, pages, isBroken: missed !== null };
}

function coveredBetween(from: number | null, to: number | null): Heights[] {
  return from === null || to === null || from > to ? [] : [{ from, to }];
}

const NOTHING: PartReading = {
  lowest: null,
  heights: [],
  resume: null,
  isClosed: false,
  reachedEnd: false,
  pages: 0,
  isBroken: false,
};

function isRefused({ pages, missed }: PagedReading<Fields>): boolean {
  return pages === 0 && missed === 'unprocessable';
}
