// Lists that grow at the head: internal transactions, transactions, blocks. Every row of a page that was read is
// compared by identity, never by height alone: rows appear late, below newer ones.
import type { Fields, View } from '../core/values/fields.ts';
import type { Detection } from '../core/model/detection.ts';
import type { Reading } from '../core/model/watch/kind.ts';
import { unfiltered, type ListQuestion, type Page, type Read } from '../core/model/watch/question.ts';
import { readNewestFirst } from '../explorer/reading/paging.ts';
import type { Steps } from '../lib/steps.ts';
import { createUnchangedAnswers } from './unchanged.ts';
import { highestBlock, isLinked, isSettled, knownRowsOf, type ListState } from './list-state.ts';
import { detectList, type NewRows } from './lists/detection.ts';
import type { DetectOptions, ListReading, ReceivedRows } from './lists/list-reading.ts';
import { afterReadings, afterSweep, showHeights } from './lists/gaps.ts';
import { hasOlder, readableGaps, readOlder, type OlderReading } from './lists/older-rows.ts';
import { highestRow, lowestBlock, positionOf, positionsOf, type RowKey } from './lists/row-key.ts';
import { isDue, sweepHour } from './lists/sweep.ts';
import { LOOK_BACK_BLOCKS, PENDING } from './seen-rows.ts';

interface ListOptions<F extends Fields> extends RowKey<F> {
  readonly maxPages: number;
  /** Like `downTo` of `Kind.observe`. */
  readonly downTo: number | null;
  /** Set for a list that also contains rows that the rule does not ask for. */
  readonly mixed?: MixedRows;
  /** False for a row that the server sent although it does not match the filter. */
  readonly isAskedFor?: (row: View<F>) => boolean;
}

interface MixedRows {
  /** The rows of lower blocks were read before, whether they were asked for or not. */
  readonly newFrom: number;
  /** All rows are read down to this block, if the pages suffice. */
  readonly downTo: number;
}

/**
 * Reads the first page, and further ones until a page has only known rows and lies below `downTo`. The remaining pages
 * go to gaps and the sweep. The first reading is page one alone.
 */
export async function observeList<F extends Fields>(
  question: ListQuestion<F>,
  state: ListState | null,
  read: Read,
  options: ListOptions<F>,
): Promise<Reading<ListReading<F>>> {
  const page = await firstPage(question, state, read, options);
  if (state === null) return { seen: new OnePage(page, options), partial: null };
  const isOpen = hasOlder(state, read);
  const missing = isWithinLookBack(state, options.downTo) ? options.downTo : null;
  const isAllSeen = !isOpen && missing === null;
  if (isAllSeen && unchanged.isUnchanged(page.content, state))
    return { seen: new OnePage(page, options), partial: null };
  const known = knownRowsOf(state);
  const again = hasNoneNew(page, options) ? null : (options.mixed?.downTo ?? null);
  const olderPages = isOpen ? Math.max(1, Math.floor(options.maxPages / 4)) : 0;
  const isKnown = (view: View<F>): boolean =>
    options.isAskedFor?.(view) === false || isSettled(known, positionOf(options, view));
  const reading = await readNewestFirst(read, question, {
    ...options,
    maxPages: Math.max(1, options.maxPages - olderPages),
    first: page,
    downTo: lowerOf(missing, again),
    isKnown,
    endsNews: (views) => options.isChain === true && isLinked(known, positionsOf(options, views)),
    examinedTo: BigInt(highestBlock(state)),
  });
  const { rows, reachedEnd, pages, next } = reading;
  const isWhole = isJoined(rows, highestBlock(state), { ...options, isKnown }) || hasAllNew(rows, options);
  const { partial, why } = isWhole ? WHOLE : reading;
  if (pages === 1 && partial === null && !isOpen) return { seen: new OnePage(page, options, rows), partial };
  const newest = { next, reachedEnd, lowest: lowestBlock(rows, options) };
  const older = isOpen
    ? await readOlder(read, question, state, { ...options, known, newest, maxPages: olderPages })
    : null;
  const stopped = why === null ? null : { why, resume: next, lowest: newest.lowest };
  const received = receivedIn(rows, options, pages);
  const own = { rows: askedFor(rows, options), older: older && asked(older, options) };
  const seen = { ...own, stopped, reachedEnd, ...(received === undefined ? {} : { received }) };
  return { seen, partial: partial ?? unreadIn(state, older) };
}

/**
 * Page one. It is the page of the unfiltered list if other watches read that list too, and if it reaches deep enough
 * for all rows that may be new or late.
 */
async function firstPage<F extends Fields>(
  question: ListQuestion<F>,
  state: ListState | null,
  read: Read,
  options: ListOptions<F>,
): Promise<Page<F>> {
  if (state === null || read.isShared?.(question) !== true) return read.page(question, null);
  const page = await read.page(unfiltered(question), null);
  const isEnd = page.next === null && page.isCutOff !== true;
  if (isEnd || unchanged.isUnchanged(page.content, state)) return page;
  const lowest = lowestBlock(page.rows, options);
  const isDeep = lowest !== null && lowest <= highestBlock(state) - LATE_BLOCKS;
  return isDeep ? page : read.page(question, null);
}

/** Most late rows appear within this many blocks; the sweep finds the others. */
const LATE_BLOCKS = 128;

/**
 * False for a deeper block: a missing item there is left to the sweep, since otherwise a long list would be read at
 * every poll.
 */
function isWithinLookBack(state: ListState, block: number | null): boolean {
  return block !== null && highestBlock(state) - block < LOOK_BACK_BLOCKS;
}

function lowerOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Left out for a list that contains only the rows that the rule asks for. */
function receivedIn<F extends Fields>(
  rows: readonly View<F>[],
  options: ListOptions<F>,
  pages = 1,
): ReceivedRows | undefined {
  const [from, to] = [lowestBlock(rows, options), highestRow(rows, options)];
  return options.mixed === undefined || from === null || to === null ? undefined : { from, to, pages };
}

function hasNoneNew<F extends Fields>({ rows }: Page<F>, options: ListOptions<F>): boolean {
  const highest = highestRow(rows, options);
  return options.mixed !== undefined && highest !== null && highest < options.mixed.newFrom;
}

function hasAllNew<F extends Fields>(rows: readonly View<F>[], options: ListOptions<F>): boolean {
  const lowest = lowestBlock(rows, options);
  return options.mixed !== undefined && lowest !== null && lowest < options.mixed.newFrom;
}

const WHOLE = { partial: null, why: null };

/**
 * True if the newest pages reach below the highest known block and have no new row there. Then no row is missing
 * between them and the known rows, even if every page has new rows. The sweep finds late rows below.
 */
function isJoined<F extends Fields>(
  rows: readonly View<F>[],
  highest: number,
  options: RowKey<F> & { readonly isKnown: (view: View<F>) => boolean },
): boolean {
  const below = rows.filter((view) => {
    const { block } = positionOf(options, view);
    return block !== PENDING && block < highest;
  });
  return below.length > 0 && below.every(options.isKnown);
}

/** Names the highest part of the list that is still unread, after a reading without failures; null if there is none. */
function unreadIn<F extends Fields>(state: ListState, older: OlderReading<F> | null): string | null {
  const [gap] = afterSweep(afterReadings(readableGaps(state), older?.gaps ?? []), older?.sweep ?? null);
  return gap === undefined ? null : `${showHeights(gap)} not read yet: ${gap.reason}`;
}

/** A reading of one page. The rows of a page that was read before are decoded on first use. */
class OnePage<F extends Fields> implements ListReading<F> {
  readonly stopped = null;
  readonly older = null;
  readonly #page: Page<F>;
  readonly #options: ListOptions<F>;
  #rows: readonly View<F>[] | null;

  /** `once`: its rows without duplicates; left out if they were not read yet. */
  constructor(page: Page<F>, options: ListOptions<F>, once: readonly View<F>[] | null = null) {
    this.#page = page;
    this.#options = options;
    this.#rows = once === null ? null : askedFor(once, options);
  }

  get content(): object | undefined {
    return this.#page.content;
  }

  get rows(): readonly View<F>[] {
    return (this.#rows ??= askedFor(this.#page.rows, this.#options));
  }

  get received(): ReceivedRows | undefined {
    return receivedIn(this.#page.rows, this.#options);
  }

  get reachedEnd(): boolean {
    return this.#page.next === null && this.#page.isCutOff !== true;
  }
}

/** The rows that a test wrote, as a reading. */
export function writtenReading<F extends Fields>(rows: readonly View<F>[]): ListReading<F> {
  return { rows, stopped: null, reachedEnd: false, older: null, isWritten: true };
}

function asked<F extends Fields>(older: OlderReading<F>, options: ListOptions<F>): OlderReading<F> {
  return { ...older, rows: askedFor(older.rows, options) };
}

function askedFor<F extends Fields>(rows: readonly View<F>[], { isAskedFor }: ListOptions<F>): readonly View<F>[] {
  return isAskedFor === undefined ? rows : rows.filter(isAskedFor);
}

const unchanged = createUnchangedAnswers<ListState>();

/** True if the state was computed from the same answer, so that nothing more has to be read or compared. */
export function isUnchangedPage(content: object | undefined, state: ListState): boolean {
  return unchanged.isUnchanged(content, state);
}

/** The detection of a list without conditions. `toDetection` makes events of rows; an unchanged page has none. */
export function detectEvents<F extends Fields>(
  state: ListState | null,
  seen: ListReading<F>,
  options: DetectOptions<F> & { readonly toDetection: (list: NewRows<F>) => Steps<Detection<ListState>> },
): Steps<Detection<ListState>> {
  const { scope, question, toDetection } = options;
  const compute = function* (): Steps<Detection<ListState>> {
    return yield* toDetection(yield* detectList(state, seen, options));
  };
  // A sweep begins even if nothing changed.
  if (state !== null && isDue(state.sweep, sweepHour(question, scope.at))) return compute();
  return unchanged.detect(seen.content, state, scope, compute);
}
