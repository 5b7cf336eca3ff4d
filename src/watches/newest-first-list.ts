// Lists that grow at the head: internal transactions, transactions, blocks. Every row of a page that was read is
// compared by identity, never by height alone: rows appear late, below newer ones (facts 6, trap 2).
import type { Fields, View } from '../core/values/fields.ts';
import type { Detection, Range, Reading, Scope } from '../core/model/kind.ts';
import type { HeadNeed } from '../core/model/observation.ts';
import type { Cursor, ListQuestion, Page, Read } from '../core/model/question.ts';
import { readNewestFirst } from '../explorer/reading/paging.ts';
import { needOf } from '../core/tick-chain.ts';
import { createUnchangedAnswers } from './unchanged.ts';
import {
  hasMoved,
  highestBlock,
  isFarBelow,
  isKnown,
  isLate,
  isLinked,
  isSettled,
  knownRowsOf,
  type ListState,
  type RowPosition,
  remembering,
} from './list-state.ts';
import { type BlockByKey, isPending, keyOf, PENDING } from './seen-rows.ts';

export interface RowKey<F extends Fields> {
  /** Undefined: the row cannot be told from others. */
  identityOf(row: View<F>): string | undefined;
  /** Undefined while pending. */
  blockOf(row: View<F>): bigint | undefined;
  /** The block in which a row stands that counts as pending still; it is not news below the floor either. */
  standsIn?(row: View<F>): bigint | undefined;
  happenedAt(row: View<F>): Date | undefined;
  /** Each row is a block, and names the one below. */
  readonly isChain?: true;
  /** The position after a row, for servers whose own cursor does not move (facts 2, known defects). */
  cursorFrom(row: View<F>): Cursor | null;
}

export interface ListReading<F extends Fields> {
  readonly rows: readonly View<F>[];
  /** Of the page, where it was one alone. */
  readonly content?: object | undefined;
  /** A page failed on the way: the rest is read next time. */
  readonly isCutShort: boolean;
  /** The list has nothing below what was read. */
  readonly reachedEnd: boolean;
}

export interface NewRows<F extends Fields> {
  /** The very same object as before when there is nothing new. */
  readonly state: ListState;
  /** Oldest first. */
  readonly fresh: readonly View<F>[];
  readonly known: readonly View<F>[];
  /** The rows of the first reading, which nobody is told of. */
  readonly baseline: readonly View<F>[] | null;
  /** Rows that could not be told from others. */
  readonly nameless: number;
  /** The floor, where all that was read lies so far below it that the chain has another past than the one known. */
  readonly silentUpTo: number | null;
  readonly range: Range | null;
  /** Set when the baseline depends on where the chain is, and that was not asked for. */
  readonly needs: HeadNeed | null;
}

interface ListOptions<F extends Fields> extends RowKey<F> {
  readonly maxPages: number;
  /** False of rows that a server sent although it was asked for others only. */
  readonly isAskedFor?: (row: View<F>) => boolean;
}

/** Reads the first page, and on until a page holds nothing unknown. The first reading is page one alone. */
export async function observeList<F extends Fields>(
  question: ListQuestion<F>,
  state: ListState | null,
  read: Read,
  options: ListOptions<F>,
): Promise<Reading<ListReading<F>>> {
  const page = await read.page(question, null);
  if (state === null || unchanged.isUnchanged(page.content, state))
    return { seen: onePage(page, options), partial: null };
  const known = knownRowsOf(state);
  const { rows, reachedEnd, partial, pages } = await readNewestFirst(read, question, {
    ...options,
    first: page,
    isKnown: (view) => options.isAskedFor?.(view) === false || isSettled(known, positionOf(options, view)),
    endsNews: (views) => options.isChain === true && isLinked(known, positionsOf(options, views)),
    mayStop: (views) => state.gapAbove === null || lowestBlock(views, options) <= state.gapAbove,
    examinedTo: BigInt(state.gapAbove ?? highestBlock(state)),
  });
  if (pages === 1 && partial === null) return { seen: onePage({ ...page, rows }, options), partial };
  const isCutShort = partial !== null && pages < options.maxPages;
  return { seen: { rows: askedFor(rows, options), isCutShort, reachedEnd }, partial };
}

/** A page of an answer that came before is decoded only for who looks at it. */
function onePage<F extends Fields>(page: Page<F>, options: ListOptions<F>): ListReading<F> {
  return {
    content: page.content,
    get rows() {
      return askedFor(page.rows, options);
    },
    isCutShort: false,
    get reachedEnd() {
      return page.next === null;
    },
  };
}

function askedFor<F extends Fields>(rows: readonly View<F>[], { isAskedFor }: ListOptions<F>): readonly View<F>[] {
  return isAskedFor === undefined ? rows : rows.filter(isAskedFor);
}

const unchanged = createUnchangedAnswers<ListState>();

/** What a list without conditions detects in the rows that `toDetection` makes events of; nothing of those that came before. */
export function detectEvents<F extends Fields>(
  state: ListState | null,
  seen: ListReading<F>,
  scope: Scope,
  { row, toDetection }: { readonly row: RowKey<F>; readonly toDetection: (list: NewRows<F>) => Detection<ListState> },
): Detection<ListState> {
  return unchanged.detect(seen.content, state, scope, () => toDetection(detectList(state, seen, { row, scope })));
}

/** Sorts what was read into new and known, and remembers it. */
export function detectList<F extends Fields>(
  state: ListState | null,
  seen: ListReading<F>,
  { row, scope }: { readonly row: RowKey<F>; readonly scope: Scope },
): NewRows<F> {
  const named = seen.rows.filter((view) => positionOf(row, view).key !== undefined);
  const nameless = seen.rows.length - named.length;
  const range = rangeOf(seen, row);
  if (state === null) return { ...baseline(named, row, scope), nameless, silentUpTo: null, range };
  const before = knownRowsOf(state);
  const fresh: View<F>[] = [];
  const known: View<F>[] = [];
  for (const view of named) (isKnown(before, positionOf(row, view)) ? known : fresh).push(view);
  const gapAbove = seen.isCutShort ? (state.gapAbove ?? highestBlock(state)) : null;
  const isUpdate = (view: View<F>): boolean =>
    isMinedNow(state, row, view) ||
    isLate(state, before, positionOf(row, view)) ||
    hasMoved(before, positionOf(row, view));
  const isSame = fresh.length === 0 && gapAbove === state.gapAbove && !known.some(isUpdate);
  const after = isSame ? state : remember({ ...state, gapAbove }, before.blockByKey, named, row);
  const silentUpTo = isFarBelow(state, range) ? state.floor : null;
  return { state: after, fresh: fresh.reverse(), known, baseline: null, nameless, silentUpTo, range, needs: null };
}

/** Where the item is, for whoever asks whether it is still there. */
export function placeOf<F extends Fields>(row: RowKey<F>, view: View<F>): number | 'pending' {
  const block = row.blockOf(view);
  return block === undefined ? 'pending' : Number(block);
}

/** Below the lowest block nothing was read, and of that block perhaps not all. Not even the hash of a row's block. */
function rangeOf<F extends Fields>({ rows, reachedEnd }: ListReading<F>, row: RowKey<F>): Range | null {
  const heights = rows.map((view) => positionOf(row, view).block).filter((block) => block !== PENDING);
  if (heights.length === 0) return reachedEnd ? { from: 0, to: 'head', head: null, replaced: [] } : null;
  const head = Math.max(...heights);
  const lowest = Math.min(...heights);
  return { from: reachedEnd ? 0 : lowest + 1, to: 'head', head, replaced: [] };
}

/** Of a list of the whole chain: one of several replicas may be behind, and shows nothing of what is above its head. */
export function upTo(range: Range): Range {
  return range.head === null ? range : { ...range, to: range.head };
}

/** A row seen while pending has its block now. */
export function isMinedNow<F extends Fields>(state: ListState, row: RowKey<F>, view: View<F>): boolean {
  const { key, block } = positionOf(row, view);
  return key !== undefined && block !== PENDING && isPending(state.seen, key);
}

// Answers that come again are the very same rows, and a row is looked at several times in a poll. Rows of one record
// have one `RowKey`, so that the row alone tells which look it is.
const positions = new WeakMap<object, RowPosition>();

function positionOf<F extends Fields>(row: RowKey<F>, view: View<F>): RowPosition {
  let found = positions.get(view);
  if (found === undefined) {
    const identity = row.identityOf(view);
    const key = identity === undefined ? undefined : keyOf(identity);
    const block = Number(row.blockOf(view) ?? PENDING);
    const standsIn = Number(row.standsIn?.(view) ?? block);
    const happenedAt = row.happenedAt(view)?.getTime() ?? null;
    positions.set(view, (found = { key, block, standsIn, happenedAt }));
  }
  return found;
}

function positionsOf<F extends Fields>(row: RowKey<F>, views: readonly View<F>[]): RowPosition[] {
  return views.map((view) => positionOf(row, view));
}

/**
 * What is listed at the first reading is no news, nor is what happened before it. Where no row says how far that goes,
 * the chain's head does; and where that is unknown too, the times of the rows that will come.
 */
function baseline<F extends Fields>(
  rows: readonly View<F>[],
  row: RowKey<F>,
  { chain, at }: Scope,
): Omit<NewRows<F>, 'nameless' | 'silentUpTo' | 'range'> {
  const highest = Math.max(PENDING, ...rows.map((view) => positionOf(row, view).standsIn));
  const isPlaced = highest !== PENDING;
  const floor = isPlaced ? highest : typeof chain === 'object' ? chain.head : 0;
  const emptyAt = isPlaced || typeof chain === 'object' ? null : at;
  const state = remember({ floor, gapAbove: null, emptyAt }, new Map(), rows, row);
  return { state, fresh: [], known: [], baseline: rows, needs: isPlaced ? null : needOf(chain, 0) };
}

function remember<F extends Fields>(
  state: Omit<ListState, 'seen'>,
  before: BlockByKey,
  rows: readonly View<F>[],
  row: RowKey<F>,
): ListState {
  const blockByKey = new Map(before);
  for (const view of rows) {
    const { key = '', block } = positionOf(row, view);
    // Of those that are pending, the ones met last are kept.
    blockByKey.delete(key);
    blockByKey.set(key, block);
  }
  return remembering(state, blockByKey, rows.length);
}

function lowestBlock<F extends Fields>(rows: readonly View<F>[], row: RowKey<F>): number {
  return rows.reduce((lowest, view) => Math.min(lowest, Number(row.blockOf(view) ?? Infinity)), Infinity);
}
