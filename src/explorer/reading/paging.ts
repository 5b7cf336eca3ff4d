// Lists are read page after page, only as far as there may be new rows. Every row of a page that was read counts. Rows
// that were not read are reported in `partial` and never count as absent.
import type { Fields, View } from '../../core/values/fields.ts';
import type { MissReason } from '../../core/model/observation.ts';
import { Missed, type Cursor, type ListQuestion, type Page, type Read } from '../../core/model/watch/question.ts';
import { isSameCursor } from './cursor.ts';

/** The source of pages: a `Read`, or `again(read)` for a second reading. */
export type Pages = Pick<Read, 'page'>;

/** Pages for a second reading. They never come from this tick's shared answers. */
export function again(read: Read): Pages {
  return { page: (question, cursor) => read.pageAgain(question, cursor) };
}

interface Common<F extends Fields> {
  /** The identity of a row, by which it is recognised; undefined if the row does not have one. */
  readonly identityOf: (row: View<F>) => string | undefined;
  readonly maxPages: number;
  /** Page one, if it was read already. */
  readonly first?: Page<F>;
  /** The position after a row, for servers whose own cursor does not move. It is merged into the server's cursor. */
  readonly cursorFrom?: (row: View<F>) => Cursor | null;
}

export interface NewestFirst<F extends Fields> extends Common<F> {
  readonly isKnown: (row: View<F>) => boolean;
  /** True if there are no new rows below this page. */
  readonly endsNews?: (rows: readonly View<F>[]) => boolean;
  /** The list is read down to below this block, even without new rows; null = only as far as there are new rows. */
  readonly downTo: number | null;
  /** Undefined for a row that is not in a block yet. */
  readonly blockOf: (row: View<F>) => bigint | undefined;
  /** The highest block that was examined before: the gap of a partial reading begins above it. */
  readonly examinedTo: bigint;
}

export interface Until<F extends Fields> extends Common<F> {
  readonly matches: (row: View<F>) => boolean;
}

export interface PagedReading<F extends Fields> {
  /** In the order of the server. If several rows have the same identity, only the first is kept. */
  readonly rows: readonly View<F>[];
  /** The reason of a stop before the goal, and the blocks that were not examined; null if the goal was reached. */
  readonly partial: string | null;
  readonly pages: number;
  readonly reachedEnd: boolean;
  /** The position behind the last page that was read; null at the end, and if it is unknown. */
  readonly next: Cursor | null;
  /** The reason why a page could not be read; null if none failed. */
  readonly missed: MissReason | null;
}

/** `why`: the reason alone, without the blocks that were not examined. */
export interface NewestFirstReading<F extends Fields> extends PagedReading<F> {
  readonly why: string | null;
}

export interface From<F extends Fields> extends Common<F> {
  /** The position to read on from. */
  readonly cursor: Cursor;
  /** Called for each page: true ends the reading. */
  readonly isDone: (rows: readonly View<F>[]) => boolean;
}

/**
 * Reads until a page has no unknown row. Throws `Missed` if the first page fails; pages before a later failure are
 * kept.
 *
 * readNewestFirst(read, blocks('ethereum'), { isKnown, identityOf, maxPages: 20, blockOf, examinedTo: 100n })
 * // { rows, partial: 'blocks 101-250 not examined: 20 pages read', why: '20 pages read', pages: 20, … }
 */
export async function readNewestFirst<F extends Fields>(
  read: Pages,
  question: ListQuestion<F>,
  options: NewestFirst<F>,
): Promise<NewestFirstReading<F>> {
  const { isKnown, endsNews, blockOf, examinedTo, downTo } = options;
  const isLast = (rows: readonly View<F>[]): boolean =>
    (rows.every(isKnown) || endsNews?.(rows) === true) && reachesBelow(downTo, lowestBlock(rows, blockOf));
  const reading = await readPages(read, question, {
    ...options,
    isDone: (rows) => rows.length > 0 && isLast(rows),
  });
  const why = reading.partial;
  if (why === null) return { ...reading, why };
  const left = notExamined(lowestBlock(reading.rows, blockOf), examinedTo);
  return { ...reading, partial: `${left}: ${why}`, why };
}

function reachesBelow(downTo: number | null, lowest: bigint | null): boolean {
  return downTo === null || (lowest !== null && lowest < downTo);
}

/**
 * Continues at the position of an earlier reading. If a page fails, even the first one, the reading ends and is
 * partial.
 */
export function readFrom<F extends Fields>(
  read: Pages,
  question: ListQuestion<F>,
  options: From<F>,
): Promise<PagedReading<F>> {
  return readPages(read, question, options, { cursor: options.cursor, isOurs: false });
}

/** Reads to the end of the list. Only after that a missing row is known to be absent. */
export function readAll<F extends Fields>(
  read: Pages,
  question: ListQuestion<F>,
  options: Common<F>,
): Promise<PagedReading<F>> {
  return readPages(read, question, { ...options, isDone: () => false });
}

/** Reads until a row matches. If no row matches, the row is absent if `partial` is null, and unknown otherwise. */
export function readUntil<F extends Fields>(
  read: Pages,
  question: ListQuestion<F>,
  options: Until<F>,
): Promise<PagedReading<F>> {
  return readPages(read, question, { ...options, isDone: (rows) => rows.some(options.matches) });
}

interface Steps<F extends Fields> extends Common<F> {
  readonly isDone: (rows: readonly View<F>[]) => boolean;
}

async function readPages<F extends Fields>(
  read: Pages,
  question: ListQuestion<F>,
  steps: Steps<F>,
  from: Position = PAGE_ONE,
): Promise<PagedReading<F>> {
  const { maxPages, isDone } = steps;
  const met = collectRows(steps.identityOf);
  let at = from;
  for (let pages = 1; ; pages += 1) {
    const asked = pages === 1 && steps.first !== undefined ? steps.first : read.page(question, at.cursor);
    const page: Page<F> | Missed = await Promise.resolve(asked).catch((error: unknown) => missedPage(error, at));
    if (page instanceof Missed) return { ...brokenOff(page, pages, at), rows: met.rows };
    const hasNews = met.add(page.rows);
    const next = page.next === null ? null : positionAfter(page.rows.at(-1), page.next, at, hasNews, steps);
    const reachedEnd = page.next === null && page.isCutOff !== true;
    const ended = { rows: met.rows, partial: null, pages, reachedEnd, next: next?.cursor ?? null, missed: null };
    if (reachedEnd || isDone(page.rows)) return ended;
    if (pages >= maxPages) return { ...ended, partial: `${pages} pages read` };
    const cannotReach = `page ${pages + 1} cannot be reached, for the explorer's cursor`;
    if (page.next === null) return { ...ended, partial: `${cannotReach} is empty after a full page` };
    if (next === null) return { ...ended, partial: `${cannotReach} stands still` };
    at = next;
  }
}

/** The pages before the failure are kept. */
function brokenOff({ reason }: Missed, page: number, { cursor }: Position): Omit<PagedReading<Fields>, 'rows'> {
  const partial = `page ${page} did not come (${reason})`;
  return { partial, pages: page - 1, reachedEnd: false, next: cursor, missed: reason };
}

function collectRows<F extends Fields>(identityOf: Common<F>['identityOf']) {
  const rows: View<F>[] = [];
  const met = new Set<string>();
  return {
    rows,
    /** True if a row is new in this reading. */
    add(found: readonly View<F>[]): boolean {
      const before = met.size;
      for (const row of found) {
        const identity = identityOf(row);
        if (identity === undefined || !met.has(identity)) rows.push(row);
        if (identity !== undefined) met.add(identity);
      }
      return met.size > before;
    },
  };
}

interface Position {
  readonly cursor: Cursor | null;
  /** True if the cursor was made from the last row, because the server's cursor did not move. */
  readonly isOurs: boolean;
}

const PAGE_ONE: Position = { cursor: null, isOurs: false };

/**
 * Some releases send every key of the cursor twice, the old value last, so that it always leads to the same page. Then
 * the position is made from the last row. Null if that position does not move either.
 */
function positionAfter<F extends Fields>(
  last: View<F> | undefined,
  next: Cursor,
  from: Position,
  hasNews: boolean,
  { cursorFrom }: Steps<F>,
): Position | null {
  const isSameAsSent = (cursor: Cursor): boolean => from.cursor !== null && isSameCursor(cursor, from.cursor);
  if (hasNews && !isSameAsSent(next)) return { cursor: next, isOurs: false };
  if (from.isOurs && !hasNews) return null;
  const own = last === undefined ? null : (cursorFrom?.(last) ?? null);
  if (own === null || isSameAsSent({ ...next, ...own })) return null;
  return { cursor: { ...next, ...own }, isOurs: true };
}

/**
 * If the first page fails, there is no reading, and the error is thrown. If a later page fails, the reading is partial.
 */
function missedPage(error: unknown, { cursor }: Position): Missed {
  if (cursor === null || !(error instanceof Missed)) throw error;
  return error;
}

function lowestBlock<F extends Fields>(rows: readonly View<F>[], blockOf: NewestFirst<F>['blockOf']): bigint | null {
  const blocks = rows.map((row) => blockOf(row)).filter((block) => block !== undefined);
  return blocks.reduce<bigint | null>((least, block) => (least === null || block < least ? block : least), null);
}

/** The lowest block may have been read in part only, so it counts as not examined. */
function notExamined(lowest: bigint | null, examinedTo: bigint): string {
  if (lowest === null) return 'older items not examined';
  const from = examinedTo + 1n;
  return from > lowest ? `blocks up to ${lowest} not examined` : `blocks ${from}-${lowest} not examined`;
}
