// What is remembered of a list that grows at the head, and what a row is to it.
import { z } from 'zod';
import type { BlockRange } from '../core/model/detection.ts';
import type { Instant } from '../lib/clock.ts';
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
  /** Nothing at or below this block is ever new: it was there at the baseline, or was forgotten. */
  readonly floor: number;
  /** The rows read so far, but for old ones below the floor. */
  readonly seen: SeenRows;
  /** What was not read. Those at or below the floor are only named: what is in them would be no news any more. */
  readonly gaps: Gaps;
  readonly sweep: Sweep;
  /** Heights at times, half an hour or more apart, the newest first: how far down the look-back goes. */
  readonly marks: Marks;
  /** Of the newest rows: what they said. */
  readonly digests: RowDigests;
  /** The list was empty then, and the chain's head unknown: what happened up to then is no news. */
  readonly emptyAt: Instant | null;
  /** Set while readings show nothing, though rows are remembered. */
  readonly emptied: Emptied | null;
}

/** Of a list of which nothing was read yet. */
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
});

/** In former versions `gapAbove` alone said that rows between that block and the highest one were not examined. */
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

/** Of every kind that lists what happened: where its events begin. */
export interface StartOption {
  readonly start?: number | undefined;
}

export const startOption = {
  start: z
    .string()
    .regex(/^\d{1,15}$|^\d{1,3}(?:_\d{3}){1,4}$/, 'must be the number of a block')
    .transform((text) => Number(text.replaceAll('_', '')))
    .optional()
    .describe('The first block whose items are told; without it, what happens after the first poll.'),
};

/** What a list begins with: nothing, or as if everything below the block it starts at had been there already. */
export function startingAt({ start }: StartOption): ListState | null {
  return start === undefined ? null : { ...BLANK, floor: start - 1, seen: pack(new Map()) };
}

/** A row, as what is remembered of it. */
export interface RowPosition {
  /** Undefined: the row cannot be told from others. */
  readonly key: string | undefined;
  /** `PENDING` while it is in none. */
  readonly block: number;
  /** Like `block`, but also of a row that counts as pending and names one. */
  readonly standsIn: number;
  /** Null where the row does not say. */
  readonly happenedAt: Instant | null;
}

/** What is remembered, laid out for many questions. */
export interface KnownRows {
  readonly floor: number;
  readonly emptyAt: Instant | null;
  readonly blockByKey: BlockByKey;
}

export function knownRowsOf({ floor, emptyAt, seen }: ListState): KnownRows {
  return { floor, emptyAt, blockByKey: unpack(seen) };
}

/** It is no news: it was read before, is as old as the baseline, or cannot be told from others. */
export function isKnown(known: KnownRows, position: RowPosition): boolean {
  const { key } = position;
  return key === undefined || isFromBefore(known, position) || known.blockByKey.has(key);
}

/** It stands at or below the floor, or happened before the list was found to be empty. */
function isFromBefore({ floor, emptyAt }: KnownRows, { standsIn, happenedAt }: RowPosition): boolean {
  if (standsIn === PENDING) return false;
  return standsIn <= floor || (emptyAt !== null && happenedAt !== null && happenedAt <= emptyAt);
}

/** Where blocks were replaced, all that was in them is looked for: what is not met there is taken for gone. */
export function isSettled(known: KnownRows, position: RowPosition): boolean {
  return isKnown(known, position) && !hasMoved(known, position);
}

/** It was read in another block before. */
export function hasMoved({ blockByKey }: KnownRows, { key, block }: RowPosition): boolean {
  const before = key === undefined ? undefined : blockByKey.get(key);
  return before !== undefined && before !== PENDING && block !== PENDING && before !== block;
}

/**
 * A row that came at or below the floor among rows that are remembered. It must be remembered like them: nobody is told
 * of it, not even when its block is replaced and it stands above the floor.
 */
export function isLate({ seen }: ListState, { blockByKey }: KnownRows, { key, block }: RowPosition): boolean {
  return key !== undefined && block >= (lowestOf(seen) ?? Infinity) && !blockByKey.has(key);
}

/**
 * Of rows that are blocks, each of which names the one below: the lowest one that was read is known, so all below it
 * are, and there is none that an explorer has yet to fill in.
 */
export function isLinked({ blockByKey }: KnownRows, read: readonly RowPosition[]): boolean {
  const heights = new Set([...blockByKey.values(), ...read.map(({ block }) => block)]);
  const lowest = read.reduce((one, other) => (other.block < one.block ? other : one));
  const isUnbroken = Math.max(...heights) - Math.min(...heights) < heights.size;
  return isUnbroken && lowest.key !== undefined && blockByKey.has(lowest.key);
}

/** A chain that was reset, or a block at the baseline that never was; not a `start` that lies ahead. */
export function isFarBelow({ floor, seen }: ListState, range: BlockRange | null): boolean {
  return highestOf(seen) !== null && range !== null && range.head !== null && range.head < floor - LOOK_BACK_BLOCKS;
}

/** The state after a reading: what may be forgotten is. `rows`: how many were read, and how many are kept at most. */
export function remembering(
  { floor, gaps, marks, ...rest }: Omit<ListState, 'seen'>,
  blockByKey: BlockByKey,
  rows: { readonly read: number; readonly most: number },
): ListState {
  const lookBackTo = lookBackOf(marks);
  const unread = gaps.filter(({ to }) => to > floor).map(({ from }) => from);
  const keepFrom = unread.length === 0 ? null : Math.min(...unread) - 1;
  const forgotten = forgottenTo(blockByKey, { floor, ...rows, lookBackTo, keepFrom });
  return {
    ...rest,
    floor: Math.max(floor, forgotten),
    seen: pack(withoutOld(blockByKey, forgotten)),
    gaps: gaps.filter(({ to }) => to > Math.min(forgotten, lookBackTo)),
    marks,
  };
}

export function hasRows({ seen: { blocks, pending } }: ListState): boolean {
  return blocks !== '' || pending !== '';
}

/** Of all that was read; the floor where nothing above it was. */
export function highestBlock({ floor, seen }: ListState): number {
  return Math.max(floor, highestOf(seen) ?? 0);
}

/** For a row of a test that names no block: where it was seen before, else `above` everything that was seen. */
export function syntheticBlock(state: ListState | null, identity: string | undefined, above: number): bigint {
  const known = state === null || identity === undefined ? undefined : unpack(state.seen).get(keyOf(identity));
  const isPlaced = known !== undefined && known !== PENDING;
  return BigInt(isPlaced ? known : (state === null ? 0 : highestBlock(state)) + above);
}
