// The rows of a list that one poll read, and how far they reach.
import type { Fields, View } from '../../core/values/fields.ts';
import type { BlockRange, DetectionScope, Heights } from '../../core/model/detection.ts';
import type { Cursor, ListQuestion } from '../../core/model/watch/question.ts';
import { PENDING } from '../seen-rows.ts';
import type { OlderReading } from './older-rows.ts';
import { positionOf, type RowKey } from './row-key.ts';

export interface ListReading<F extends Fields> {
  readonly rows: readonly View<F>[];
  /** The content of the page, if the reading is one page. */
  readonly content?: object | undefined;
  /** The reason why the newest pages end above the known rows, and where to read on; null if they do not. */
  readonly stopped: Stopped | null;
  /** True if the list has no rows below the ones that were read. */
  readonly reachedEnd: boolean;
  /** The reading of older rows; null if no gap and no sweep was open. */
  readonly older: OlderReading<F> | null;
  /** A test wrote the rows. */
  readonly isWritten?: true;
  /** Set for a list that also contains rows that the rule does not ask for. */
  readonly received?: ReceivedRows | undefined;
  /** Set if the list was read by a range of blocks, upwards. */
  readonly range?: RangeEnds;
}

/** The lowest and the highest block of all rows of the newest pages, whether they were asked for or not. */
export interface ReceivedRows extends Heights {
  readonly pages: number;
}

/** A range of blocks that was read upwards. */
export interface RangeEnds {
  /** All rows from this block on were read, up to where the reading stopped. */
  readonly from: number;
  /**
   * The highest block of all received rows, also of those that were not asked for; null if there are none, or if they
   * came by several questions.
   */
  readonly top: number | null;
  /** The rows are asked for by several questions, since one would have too many. */
  readonly isBusy: boolean;
  /** Blocks whose rows were not all read. */
  readonly overfull: readonly number[];
  /** Height of the chain's head, if it was read. */
  readonly head?: number;
}

interface Stopped {
  readonly why: string;
  /** The lowest block of all received rows, also of those that were not asked for; null if no row names its block. */
  readonly lowest: number | null;
  readonly resume: Cursor | null;
  /** For a list that is read upwards: the lowest block that was not read. */
  readonly unreadFrom?: number;
}

export interface DetectOptions<F extends Fields> {
  readonly row: RowKey<F>;
  readonly scope: DetectionScope;
  readonly question: ListQuestion<F>;
}

/** Each row once, the newest first. */
export function allRows<F extends Fields>({ rows, older }: ListReading<F>, row: RowKey<F>): readonly View<F>[] {
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
 * The blocks that the reading covers; null: unknown. The lowest block is not included, since perhaps only a part of it
 * was read. Rows do not name the hash of their block, so replaced blocks are unknown.
 */
export function rangeOf<F extends Fields>(
  { rows, reachedEnd, older, range: read, received, stopped }: ListReading<F>,
  row: RowKey<F>,
): BlockRange | null {
  if (read !== undefined) return withOlder(readRange(read, stopped), older);
  const own = rows.map((view) => positionOf(row, view).block).filter((block) => block !== PENDING);
  const heights = received === undefined ? own : [received.from, received.to];
  if (heights.length === 0) return reachedEnd ? { from: 0, to: 'head', head: null, replaced: [] } : null;
  const head = Math.max(...heights);
  const lowest = Math.min(...heights);
  return withOlder({ from: reachedEnd ? 0 : lowest + 1, to: 'head', head, replaced: [] }, older);
}

function withOlder<F extends Fields>(range: BlockRange | null, older: OlderReading<F> | null): BlockRange | null {
  return range === null || older === null || older.covered.length === 0 ? range : { ...range, below: older.covered };
}

function readRange({ from, top, overfull }: RangeEnds, stopped: Stopped | null): BlockRange | null {
  const lowest = Math.max(from, ...overfull.map((block) => block + 1));
  const to = stopped?.unreadFrom === undefined ? 'head' : stopped.unreadFrom - 1;
  return to !== 'head' && to < lowest ? null : { from: lowest, to, head: top, replaced: [] };
}

/**
 * Ends the range of a list of the whole chain at the highest block that was read: a server that is behind shows no rows
 * above its head.
 */
export function upTo(range: BlockRange): BlockRange {
  return range.head === null ? range : { ...range, to: range.head };
}
