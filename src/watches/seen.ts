// Lists that grow at the head: internal transactions, transactions, blocks. Every row of a page that was read is
// compared by identity, never by height alone: rows appear late, below newer ones (facts 6, trap 2).
import { z } from 'zod';
import type { Fields, View } from '../core/fields.ts';
import type { Range, Reading } from '../core/kind.ts';
import type { Cursor, ListQuestion, Read } from '../core/question.ts';
import { readNewestFirst } from '../explorer/paging.ts';

export const ListState = z.object({
  /** Nothing at or below this block is ever new: it was there at the baseline, or was pruned. */
  floor: z.number(),
  /** Rows read so far by identity, with their block; -1 while pending. */
  seen: z.record(z.string(), z.number()),
  /** A page failed: rows between this block and those read since were not examined yet. */
  gapAbove: z.number().nullable(),
});
export type ListState = z.infer<typeof ListState>;

export interface RowKey<F extends Fields> {
  /** Undefined: the row cannot be told from others. */
  identityOf(row: View<F>): string | undefined;
  /** Undefined while pending. */
  blockOf(row: View<F>): bigint | undefined;
  /** The position after a row, for servers whose own cursor does not move (facts 2, known defects). */
  cursorFrom(row: View<F>): Cursor | null;
}

export interface ListSeen<F extends Fields> {
  readonly rows: readonly View<F>[];
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
  readonly range: Range | null;
}

const PENDING = -1;
// Keys of this many rows are kept; when older ones go, the floor rises above them.
const MOST_SEEN = 5000;

/** Reads the first page, and on until a page holds nothing unknown. The first reading is page one alone. */
export async function observeList<F extends Fields>(
  question: ListQuestion<F>,
  state: ListState | null,
  read: Read,
  row: RowKey<F> & { readonly maxPages: number },
): Promise<Reading<ListSeen<F>>> {
  if (state === null) {
    const { rows, next } = await read.page(question, null);
    return { seen: { rows, isCutShort: false, reachedEnd: next === null }, partial: null };
  }
  const reading = await readNewestFirst(read, question, {
    ...row,
    isKnown: (view) => isKnown(state, row, view),
    mayStop: (rows) => state.gapAbove === null || lowestBlock(rows, row) <= state.gapAbove,
    examinedTo: BigInt(state.gapAbove ?? highestBlock(state)),
  });
  const isCutShort = reading.partial !== null && reading.pages < row.maxPages;
  const { rows, reachedEnd, partial } = reading;
  return { seen: { rows, isCutShort, reachedEnd }, partial };
}

/** Sorts what was read into new and known, and remembers it. */
export function detectList<F extends Fields>(state: ListState | null, seen: ListSeen<F>, row: RowKey<F>): NewRows<F> {
  const { rows, isCutShort } = seen;
  const named = rows.filter((view) => row.identityOf(view) !== undefined);
  const nameless = rows.length - named.length;
  const range = rangeOf(seen, row);
  if (state === null) return { ...baseline(named, row), nameless, range };
  const fresh = named.filter((view) => !isKnown(state, row, view)).reverse();
  const known = named.filter((view) => isKnown(state, row, view));
  const gapAbove = isCutShort ? (state.gapAbove ?? highestBlock(state)) : null;
  const isSame = fresh.length === 0 && gapAbove === state.gapAbove && !known.some((view) => settles(state, row, view));
  const after = isSame ? state : remember(state, named, row, gapAbove);
  return { state: after, fresh, known, baseline: null, nameless, range };
}

/** Where the item is, for whoever asks whether it is still there. */
export function placeOf<F extends Fields>(row: RowKey<F>, view: View<F>): number | 'pending' {
  const block = row.blockOf(view);
  return block === undefined ? 'pending' : Number(block);
}

/** Below the lowest block nothing was read, and of that block perhaps not all. Not even the hash of a row's block. */
function rangeOf<F extends Fields>({ rows, reachedEnd }: ListSeen<F>, row: RowKey<F>): Range | null {
  const blocks = rows.map((view) => row.blockOf(view)).filter((block) => block !== undefined);
  if (blocks.length === 0) return reachedEnd ? { from: 0, head: null, believedAfter: 3 } : null;
  const heights = blocks.map(Number);
  const head = heights.reduce((highest, height) => Math.max(highest, height));
  const lowest = heights.reduce((least, height) => Math.min(least, height));
  return { from: reachedEnd ? 0 : lowest + 1, head, believedAfter: 3 };
}

/** A row seen while pending has its block now. */
export function settles<F extends Fields>(state: ListState, row: RowKey<F>, view: View<F>): boolean {
  return row.blockOf(view) !== undefined && state.seen[row.identityOf(view) ?? ''] === PENDING;
}

function isKnown<F extends Fields>(state: ListState, row: RowKey<F>, view: View<F>): boolean {
  const identity = row.identityOf(view);
  if (identity === undefined || state.seen[identity] !== undefined) return true;
  const block = row.blockOf(view);
  return block !== undefined && block <= BigInt(state.floor);
}

function baseline<F extends Fields>(rows: readonly View<F>[], row: RowKey<F>): Omit<NewRows<F>, 'nameless' | 'range'> {
  const floor = Math.max(0, ...rows.map((view) => Number(row.blockOf(view) ?? 0)));
  const state = remember({ floor, seen: {}, gapAbove: null }, rows, row, null);
  return { state, fresh: [], known: [], baseline: rows };
}

function remember<F extends Fields>(
  state: ListState,
  rows: readonly View<F>[],
  row: RowKey<F>,
  gapAbove: number | null,
): ListState {
  const seen = { ...state.seen };
  for (const view of rows) seen[row.identityOf(view) ?? ''] = Number(row.blockOf(view) ?? PENDING);
  return prune({ floor: state.floor, seen, gapAbove });
}

/** Keeps the rows of the highest blocks; a block goes whole, so that the floor can rise above it. */
function prune(state: ListState): ListState {
  const entries = Object.entries(state.seen);
  if (entries.length <= MOST_SEEN) return state;
  const blocks = entries.map(([, block]) => block).sort((a, b) => b - a);
  const floor = Math.max(state.floor, blocks[MOST_SEEN] ?? 0);
  const seen = Object.fromEntries(entries.filter(([, block]) => block === PENDING || block > floor));
  return { ...state, floor, seen };
}

function highestBlock(state: ListState): number {
  return Object.values(state.seen).reduce((highest, block) => Math.max(highest, block), state.floor);
}

function lowestBlock<F extends Fields>(rows: readonly View<F>[], row: RowKey<F>): number {
  return rows.reduce((lowest, view) => Math.min(lowest, Number(row.blockOf(view) ?? Infinity)), Infinity);
}

/** For a row of a test that names no block: where it was seen before, else `above` everything that was seen. */
export function imaginedBlock(state: ListState | null, identity: string | undefined, above: number): bigint {
  const known = state?.seen[identity ?? ''] ?? PENDING;
  return BigInt(known === PENDING ? (state === null ? 0 : highestBlock(state)) + above : known);
}
