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
  BLANK,
  hasMoved,
  highestBlock,
  isFarBelow,
  isKnown,
  isLate,
  isLinked,
  isSettled,
  type KnownRows,
  knownRowsOf,
  type ListState,
  type RowPosition,
  remembering,
} from './list-state.ts';
import { afterReadings, type Gaps, showHeights, withGap } from './lists/gaps.ts';
import { marked, type Marks } from './lists/look-back.ts';
import { hasOlder, readableGaps, readOlder, type OlderReading } from './lists/older-rows.ts';
import {
  type BlockByKey,
  isPending,
  isUnbroken,
  keyOf,
  MOST_LINKED_ROWS,
  MOST_ROWS,
  PENDING,
  type SeenRows,
} from './seen-rows.ts';
import { basisOf, digestOf, NO_DIGESTS, packDigests, type RowDigests, unpackDigests } from './lists/row-digests.ts';
import { afterSweeping, begun, isDue, type Sweep, sweepHour } from './lists/sweep.ts';

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
  /** Why the newest pages end above what is known, and where to read on; null when they do not. */
  readonly stopped: Stopped | null;
  /** The list has nothing below what was read. */
  readonly reachedEnd: boolean;
  /** What was read below them; null where nothing was open there. */
  readonly older: OlderReading<F> | null;
}

interface Stopped {
  readonly why: string;
  readonly resume: Cursor | null;
}

export interface NewRows<F extends Fields> {
  /** The very same object as before when there is nothing new. */
  readonly state: ListState;
  /** Oldest first. */
  readonly fresh: readonly View<F>[];
  readonly known: readonly View<F>[];
  /** Known ones whose content is another one than before. */
  readonly changed: readonly View<F>[];
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

/**
 * Reads the first page, and on until a page holds nothing unknown; then, of what is left of the pages, gaps and the sweep.
 * The first reading is page one alone.
 */
export async function observeList<F extends Fields>(
  question: ListQuestion<F>,
  state: ListState | null,
  read: Read,
  options: ListOptions<F>,
): Promise<Reading<ListReading<F>>> {
  const page = await read.page(question, null);
  if (state === null) return { seen: onePage(page, options), partial: null };
  const isOpen = hasOlder(state, read);
  if (!isOpen && unchanged.isUnchanged(page.content, state)) return { seen: onePage(page, options), partial: null };
  const known = knownRowsOf(state);
  const olderPages = isOpen ? Math.max(1, Math.floor(options.maxPages / 4)) : 0;
  const { rows, reachedEnd, partial, why, pages, next } = await readNewestFirst(read, question, {
    ...options,
    maxPages: Math.max(1, options.maxPages - olderPages),
    first: page,
    isKnown: (view) => options.isAskedFor?.(view) === false || isSettled(known, positionOf(options, view)),
    endsNews: (views) => options.isChain === true && isLinked(known, positionsOf(options, views)),
    examinedTo: BigInt(highestBlock(state)),
  });
  if (pages === 1 && partial === null && !isOpen) return { seen: onePage({ ...page, rows }, options), partial };
  const lowestOf = (views: readonly View<F>[]): number | null => lowestBlock(views, options);
  const newest = { next, reachedEnd, lowest: lowestOf(rows) };
  const older = isOpen
    ? await readOlder(read, question, state, { ...options, lowestOf, newest, maxPages: olderPages })
    : null;
  const stopped = why === null ? null : { why, resume: next };
  const seen = { rows: askedFor(rows, options), stopped, reachedEnd, older: older && asked(older, options) };
  return { seen, partial: partial ?? unreadIn(state, older) };
}

/** Of a reading that is whole as far as it goes: what of the list is still unread. */
function unreadIn<F extends Fields>(state: ListState, older: OlderReading<F> | null): string | null {
  const [gap] = afterReadings(readableGaps(state), older?.gaps ?? []);
  return gap === undefined ? null : `${showHeights(gap)} not read yet: ${gap.reason}`;
}

/** A page of an answer that came before is decoded only for who looks at it. */
function onePage<F extends Fields>(page: Page<F>, options: ListOptions<F>): ListReading<F> {
  return {
    content: page.content,
    get rows() {
      return askedFor(page.rows, options);
    },
    stopped: null,
    get reachedEnd() {
      return page.next === null && page.isCutOff !== true;
    },
    older: null,
  };
}

/** What a test of a rule wrote, as a reading. */
export function writtenReading<F extends Fields>(rows: readonly View<F>[]): ListReading<F> {
  return { rows, stopped: null, reachedEnd: false, older: null };
}

function asked<F extends Fields>(older: OlderReading<F>, options: ListOptions<F>): OlderReading<F> {
  return { ...older, rows: askedFor(older.rows, options) };
}

function askedFor<F extends Fields>(rows: readonly View<F>[], { isAskedFor }: ListOptions<F>): readonly View<F>[] {
  return isAskedFor === undefined ? rows : rows.filter(isAskedFor);
}

const unchanged = createUnchangedAnswers<ListState>();

export interface DetectOptions<F extends Fields> {
  readonly row: RowKey<F>;
  readonly scope: Scope;
  readonly question: ListQuestion<F>;
}

/** What a list without conditions detects in the rows that `toDetection` makes events of; nothing of those that came before. */
export function detectEvents<F extends Fields>(
  state: ListState | null,
  seen: ListReading<F>,
  options: DetectOptions<F> & { readonly toDetection: (list: NewRows<F>) => Detection<ListState> },
): Detection<ListState> {
  const { scope, question, toDetection } = options;
  const compute = (): Detection<ListState> => toDetection(detectList(state, seen, options));
  // A sweep begins also where nothing changed.
  if (state !== null && isDue(state.sweep, sweepHour(question, scope.at))) return compute();
  return unchanged.detect(seen.content, state, scope, compute);
}

/** Sorts what was read into new and known, and remembers it. */
export function detectList<F extends Fields>(
  state: ListState | null,
  seen: ListReading<F>,
  { row, scope, question }: DetectOptions<F>,
): NewRows<F> {
  const all = allRows(seen, row);
  const named = all.filter((view) => positionOf(row, view).key !== undefined);
  const nameless = all.length - named.length;
  const range = rangeOf(seen, row);
  if (state === null) return { ...baseline(named, { row, scope, question }), nameless, silentUpTo: null, range };
  const before = knownRowsOf(state);
  const fresh: View<F>[] = [];
  const known: View<F>[] = [];
  const changed: View<F>[] = [];
  const isChanged = changesSince(state, before, { row, scope });
  for (const view of named) {
    const isNews = !isKnown(before, positionOf(row, view));
    (isNews ? fresh : isChanged(view) ? changed : known).push(view);
  }
  const isUpdate = (view: View<F>): boolean =>
    isMinedNow(state, row, view) ||
    isLate(state, before, positionOf(row, view)) ||
    hasMoved(before, positionOf(row, view));
  const gaps = gapsAfter(state, seen, { row, scope });
  const sweep = sweepAfter(state, seen, { row, scope, question });
  const isSame =
    fresh.length + changed.length === 0 &&
    gaps === state.gaps &&
    sweep === state.sweep &&
    state.digests.basis === basisOf(scope.judged) &&
    !known.some(isUpdate);
  const after = isSame ? state : remember({ ...state, gaps, sweep }, before.blockByKey, named, { row, scope });
  const silentUpTo = isFarBelow(state, range) ? state.floor : null;
  return {
    state: after,
    fresh: fresh.reverse(),
    known,
    changed,
    baseline: null,
    nameless,
    silentUpTo,
    range,
    needs: null,
  };
}

/** Each row once, the newest first. */
function allRows<F extends Fields>({ rows, older }: ListReading<F>, row: RowKey<F>): readonly View<F>[] {
  if (older === null || older.rows.length === 0) return rows;
  const met = new Set<string>();
  const once = [...rows, ...older.rows].filter((view) => {
    const { key } = positionOf(row, view);
    if (key !== undefined && met.has(key)) return false;
    if (key !== undefined) met.add(key);
    return true;
  });
  const rank = (view: View<F>): number => {
    const { block } = positionOf(row, view);
    return block === PENDING ? Number.MAX_SAFE_INTEGER : block;
  };
  return once.sort((a, b) => rank(b) - rank(a));
}

/**
 * Where the newest pages ended above what is known, what lies between is a gap. Rows that came late among known ones may
 * have stopped it below the highest known block: then anything down to the floor may be unread.
 */
function gapsAfter<F extends Fields>(
  state: ListState,
  { rows, stopped, older }: ListReading<F>,
  { row, scope }: Pick<DetectOptions<F>, 'row' | 'scope'>,
): Gaps {
  const gaps = afterReadings(state.gaps, older?.gaps ?? []);
  if (stopped === null) return gaps;
  const to = lowestBlock(rows, row) ?? Number.MAX_SAFE_INTEGER;
  const above = highestBlock(state) + 1;
  const from = above <= to ? above : state.floor + 1;
  if (from > to) return gaps;
  return withGap(gaps, { from, to, resume: stopped.resume, reason: stopped.why, since: scope.at });
}

function sweepAfter<F extends Fields>(
  state: ListState,
  { rows, reachedEnd, stopped, older }: ListReading<F>,
  { row, scope, question }: DetectOptions<F>,
): Sweep {
  const { at } = scope;
  const sweep = afterSweeping(state.sweep, older?.sweep ?? null, at);
  const hour = sweepHour(question, at);
  if (!isDue(sweep, hour)) return sweep;
  const lowest = lowestBlock(rows, row);
  const coversAll =
    stopped === null && (reachedEnd || (lowest !== null && lowest <= state.floor) || !mayHideRows(state, row));
  return begun(sweep, hour, { at, coversAll });
}

/** Where each row names the one below, none is missing between those that are known. */
function mayHideRows<F extends Fields>({ seen }: ListState, { isChain }: RowKey<F>): boolean {
  return isChain !== true || !isUnbroken(seen);
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
  { row, scope, question }: DetectOptions<F>,
): Omit<NewRows<F>, 'nameless' | 'silentUpTo' | 'range'> {
  const { chain, at } = scope;
  const highest = Math.max(PENDING, ...rows.map((view) => positionOf(row, view).standsIn));
  const isPlaced = highest !== PENDING;
  const floor = isPlaced ? highest : typeof chain === 'object' ? chain.head : 0;
  const emptyAt = isPlaced || typeof chain === 'object' ? null : at;
  // All that is listed lies at or below the floor: there is nothing to sweep in this hour.
  const sweep = begun(BLANK.sweep, sweepHour(question, at), { at, coversAll: true });
  const state = remember({ ...BLANK, floor, emptyAt, sweep }, new Map(), rows, { row, scope });
  return { state, fresh: [], known: [], changed: [], baseline: rows, needs: isPlaced ? null : needOf(chain, 0) };
}

function remember<F extends Fields>(
  state: Omit<ListState, 'seen'>,
  before: BlockByKey,
  rows: readonly View<F>[],
  { row, scope }: Pick<DetectOptions<F>, 'row' | 'scope'>,
): ListState {
  const blockByKey = new Map(before);
  for (const view of rows) {
    const { key = '', block } = positionOf(row, view);
    // Of those that are pending, the ones met last are kept.
    blockByKey.delete(key);
    blockByKey.set(key, block);
  }
  const most = row.isChain === true ? MOST_LINKED_ROWS : MOST_ROWS;
  const marks = row.isChain === true ? state.marks : markedBy(state.marks, rows, row);
  const after = remembering({ ...state, marks }, blockByKey, { read: rows.length, most });
  return { ...after, digests: digestsAfter(state.digests, before, rows, { row, scope, seen: after.seen }) };
}

/** Whether a row that is known said something else before. */
function changesSince<F extends Fields>(
  { digests }: ListState,
  { blockByKey }: KnownRows,
  { row, scope: { judged } }: Pick<DetectOptions<F>, 'row' | 'scope'>,
): (view: View<F>) => boolean {
  const digestByKey = unpackDigests(digests, blockByKey, basisOf(judged));
  return (view) => {
    const { key = '' } = positionOf(row, view);
    const before = digestByKey.get(key);
    return before !== undefined && before !== digestOf(view, judged);
  };
}

function digestsAfter<F extends Fields>(
  digests: RowDigests,
  before: BlockByKey,
  rows: readonly View<F>[],
  { row, scope: { judged }, seen }: Pick<DetectOptions<F>, 'row' | 'scope'> & { readonly seen: SeenRows },
): RowDigests {
  const basis = basisOf(judged);
  if (basis === '') return NO_DIGESTS;
  const digestByKey = unpackDigests(digests, before, basis);
  for (const view of rows) digestByKey.set(positionOf(row, view).key ?? '', digestOf(view, judged));
  return packDigests(basis, digestByKey, seen);
}

function markedBy<F extends Fields>(marks: Marks, rows: readonly View<F>[], row: RowKey<F>): Marks {
  const newest = rows
    .map((view) => positionOf(row, view))
    .reduce<RowPosition | null>((most, one) => (one.block > (most?.block ?? PENDING) ? one : most), null);
  return newest === null || newest.happenedAt === null ? marks : marked(marks, newest.block, newest.happenedAt);
}

/** Null where no row says its block. */
function lowestBlock<F extends Fields>(rows: readonly View<F>[], row: RowKey<F>): number | null {
  const lowest = rows.reduce((least, view) => Math.min(least, Number(row.blockOf(view) ?? Infinity)), Infinity);
  return lowest === Infinity ? null : lowest;
}
