// The memory of a list that grows at its head, and how rows relate to it.
import { z } from 'zod';
import type { BlockRange } from '../core/model/detection.ts';
import type { Instant } from '../lib/clock.ts';
import type { Steps } from '../lib/steps.ts';
import { WayTrouble } from './ranges/way-trouble.ts';
import { AskedParts } from './ranges/asked.ts';
import { Emptied } from './lists/emptied.ts';
import { Gap, type Gaps } from './lists/gaps.ts';
import { lookBackOf, Marks } from './lists/look-back.ts';
import { NO_DIGESTS, RowDigests } from './lists/row-digests.ts';
import { NO_SWEEP, Sweep } from './lists/sweep.ts';
import {
  type BlockByKey,
  forgottenTo,
  highestOf,
  keyOf,
  LOOK_BACK_BLOCKS,
  lowestOf,
  pack,
  PENDING,
  SeenRows,
  unpack,
  withoutOld,
} from './seen-rows.ts';

/** Plain JSON, checked by the schema of the same name when it is read back. */
export interface ListState {
  /** Rows at or below this block are never new: they were there at the baseline, or were forgotten. */
  readonly floor: number;
  /** The rows read so far, except old ones below the floor. */
  readonly seen: SeenRows;
  /**
   * The unread parts. Gaps at or below the floor are only shown to people, since rows in them would no longer be new.
   */
  readonly gaps: Gaps;
  readonly sweep: Sweep;
  /** Block heights with their times, at least half an hour apart, newest first. They limit how deep the look-back goes. */
  readonly marks: Marks;
  /** Digests of the values in the newest rows. */
  readonly digests: RowDigests;
  /**
   * The time when the list was found empty while the chain's head was unknown. Rows that happened up to that time are
   * not new.
   */
  readonly emptyAt: Instant | null;
  /** Set while readings show no rows although the memory contains some. */
  readonly emptied: Emptied | null;
  /** For lists that are read by ranges of blocks. Left out by others. */
  readonly range?: ListRange | undefined;
  /** For lists of which rules name parts, such as events. Left out by others. */
  readonly asked?: AskedParts | undefined;
  /** The number of polls in a row with rows without the requested call data, up to three; left out if none. */
  readonly withoutCalls?: number | undefined;
  /** Set while the Etherscan-style API fails or is refused, for lists that can be read in another way. */
  readonly api?: WayTrouble | undefined;
  /** The same of the JSON-RPC. */
  readonly rpc?: WayTrouble | undefined;
}

export interface ListRange {
  /** A block up to which all rows were read, but for those in gaps. */
  readonly examined: number;
  /** True if the list has so many other rows that the wanted rows are requested by several questions. */
  readonly isBusy: boolean;
  /** The last time when a block was found that has more rows than a page; left out if no such block was found. */
  readonly overfullAt?: Instant | undefined;
}

/** The memory of a list before its first reading. */
export const BLANK: Omit<ListState, 'floor' | 'seen'> = {
  gaps: [],
  sweep: NO_SWEEP,
  marks: [],
  digests: NO_DIGESTS,
  emptyAt: null,
  emptied: null,
};

const schema: z.ZodType<ListState> = z.object({
  floor: z.number(),
  seen: SeenRows,
  gaps: z.array(Gap),
  sweep: Sweep,
  marks: Marks,
  digests: RowDigests.default(NO_DIGESTS),
  emptyAt: z.number().nullable().default(null),
  emptied: Emptied.nullable().default(null),
  range: z.object({ examined: z.number(), isBusy: z.boolean(), overfullAt: z.number().optional() }).optional(),
  asked: AskedParts.optional(),
  withoutCalls: z.number().optional(),
  api: WayTrouble.optional(),
  rpc: WayTrouble.optional(),
});

/** Earlier versions had only `gapAbove`: rows between that block and the highest one are unread. */
const former: z.ZodType<ListState> = z
  .object({ floor: z.number(), seen: SeenRows, gapAbove: z.number().nullable() })
  .transform(({ floor, seen, gapAbove }) => {
    const to = highestOf(seen) ?? 0;
    const reason = 'a page did not come';
    const gaps =
      gapAbove === null || gapAbove >= to ? [] : [{ from: gapAbove + 1, to, resume: null, reason, since: 0 }];
    return { ...BLANK, floor, seen, gaps };
  });

export const ListState: z.ZodType<ListState> = z.union([schema, former]);

/** The option of every kind with a list of events: the block at which they begin. */
export interface StartOption {
  readonly start?: number | undefined;
}

export const startOption = {
  start: z
    .string()
    .regex(/^\d{1,15}$|^\d{1,3}(?:_\d{3}){1,4}$/, 'must be the number of a block')
    .transform((text) => Number(text.replaceAll('_', '')))
    .optional()
    .describe('The first block whose items are sent; without it, items after the first poll are.'),
};

/**
 * The memory before the first reading: null without `start`. With `start` the floor is the block below it, so rows
 * below `start` are not new.
 */
export function startingAt({ start }: StartOption): ListState | null {
  return start === undefined ? null : { ...BLANK, floor: start - 1, seen: pack(new Map()) };
}

/** The properties of a row that the memory uses. */
export interface RowPosition {
  /** Undefined: the row cannot be identified. */
  readonly key: string | undefined;
  /** The block of the row; `PENDING` while it is in none. */
  readonly block: number;
  /**
   * The block that the row names, even if the row counts as pending, such as a transaction without a status. Otherwise
   * equal to `block`.
   */
  readonly standsIn: number;
  /** Null if the row has no time. */
  readonly happenedAt: Instant | null;
}

/** The memory, unpacked for many lookups. */
export interface KnownRows {
  readonly floor: number;
  readonly emptyAt: Instant | null;
  readonly blockByKey: BlockByKey;
}

export function knownRowsOf({ floor, emptyAt, seen }: ListState): KnownRows {
  return { floor, emptyAt, blockByKey: unpack(seen) };
}

/** True if the row is not new: it was read before, is as old as the baseline, or cannot be identified. */
export function isKnown(known: KnownRows, position: RowPosition): boolean {
  const { key } = position;
  return key === undefined || isFromBefore(known, position) || known.blockByKey.has(key);
}

/** True if the row is at or below the floor, or happened before the list was found to be empty. */
function isFromBefore({ floor, emptyAt }: KnownRows, { standsIn, happenedAt }: RowPosition): boolean {
  if (standsIn === PENDING) return false;
  return standsIn <= floor || (emptyAt !== null && happenedAt !== null && happenedAt <= emptyAt);
}

/**
 * True if the row is known and still in the same block. Pages are read until their rows are settled, so that moved rows
 * are found after a reorganisation. A row that is not found by then counts as gone.
 */
export function isSettled(known: KnownRows, position: RowPosition): boolean {
  return isKnown(known, position) && !hasMoved(known, position);
}

/** True if the row was read in another block before. */
export function hasMoved({ blockByKey }: KnownRows, { key, block }: RowPosition): boolean {
  const before = key === undefined ? undefined : blockByKey.get(key);
  return before !== undefined && before !== PENDING && block !== PENDING && before !== block;
}

/**
 * True if an unknown row appears among remembered rows, at or below the floor. It is remembered without an event.
 * Otherwise it would seem new if a reorganisation moved it above the floor.
 */
export function isLate({ seen }: ListState, { blockByKey }: KnownRows, { key, block }: RowPosition): boolean {
  return key !== undefined && block >= (lowestOf(seen) ?? Infinity) && !blockByKey.has(key);
}

/**
 * True if the lowest block of this reading was known before, and the heights of all known and read blocks have no gap.
 * Then no new block is missing. Only for lists of blocks. Each block contains the hash of its parent, so a known block
 * confirms the known ones below it.
 */
export function isLinked({ blockByKey }: KnownRows, read: readonly RowPosition[]): boolean {
  const heights = new Set([...blockByKey.values(), ...read.map(({ block }) => block)]);
  const lowest = read.reduce((one, other) => (other.block < one.block ? other : one));
  const isUnbroken = Math.max(...heights) - Math.min(...heights) < heights.size;
  return isUnbroken && lowest.key !== undefined && blockByKey.has(lowest.key);
}

/**
 * True if the head is far below the floor, since the chain was reset or the baseline had a wrong block. False for a
 * `start` in the future.
 */
export function isFarBelow({ floor, seen }: ListState, range: BlockRange | null): boolean {
  return highestOf(seen) !== null && range !== null && range.head !== null && range.head < floor - LOOK_BACK_BLOCKS;
}

/**
 * The state after a reading, without rows that are no longer needed. `rows.read`: the number of rows in this reading.
 * Old rows beyond `rows.most` are dropped, but never those within twice `rows.read`, or above an open gap.
 */
export function* remembering(
  { floor, gaps, marks, ...rest }: Omit<ListState, 'seen'>,
  blockByKey: BlockByKey,
  rows: { readonly read: number; readonly most: number },
): Steps<ListState> {
  const lookBackTo = lookBackOf(marks);
  const unread = gaps.filter(({ to }) => to > floor).map(({ from }) => from);
  const keepFrom = unread.length === 0 ? null : Math.min(...unread) - 1;
  const forgotten = forgottenTo(blockByKey, { floor, ...rows, lookBackTo, keepFrom });
  yield;
  const left = withoutOld(blockByKey, forgotten);
  yield;
  return {
    ...rest,
    floor: Math.max(floor, forgotten),
    seen: pack(left),
    gaps: gaps.filter(({ to }) => to > Math.min(forgotten, lookBackTo)),
    marks,
  };
}

export function hasRows({ seen: { blocks, pending } }: ListState): boolean {
  return blocks !== '' || pending !== '';
}

/** The highest block of all rows that were read, at least the floor. */
export function highestBlock({ floor, seen }: Pick<ListState, 'floor' | 'seen'>): number {
  return Math.max(floor, highestOf(seen) ?? 0);
}

/**
 * The block of a test row that names none: the one where the row was read before, else `above` blocks higher than all
 * rows read so far.
 */
export function syntheticBlock(state: ListState | null, identity: string | undefined, above: number): bigint {
  const known = state === null || identity === undefined ? undefined : unpack(state.seen).get(keyOf(identity));
  const isPlaced = known !== undefined && known !== PENDING;
  return BigInt(isPlaced ? known : (state === null ? 0 : highestBlock(state)) + above);
}
