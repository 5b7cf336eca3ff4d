// The set of known rows of a list, in few bytes, since it is stored with each new row.
//
// A row is remembered by a digest of its identity, 72 bits of SHA-256. If two rows have the same digest by chance, the
// later one counts as known. With 5,000 remembered rows and a thousand million new ones a year, this happens once in a
// thousand million years. Making such a row on purpose takes 2^60 signed transactions while the other row is
// remembered.
import { hash } from 'node:crypto';
import { z } from 'zod';

const KEY_LENGTH = 12;
/** The block of a row that is in no block yet. */
export const PENDING = -1;

export const SeenRows = z.object({
  /** `130:<keys> 127:<keys>`: the keys of each block's rows one after the other, the highest block first. */
  blocks: z.string(),
  /** The keys of rows that were in no block yet. */
  pending: z.string(),
});
export type SeenRows = z.infer<typeof SeenRows>;

/** Blocks of rows by key; `PENDING` for those in no block. */
export type BlockByKey = ReadonlyMap<string, number>;

/** The digest of an identity. */
export function keyOf(identity: string): string {
  return hash('sha256', identity, 'base64url').slice(0, KEY_LENGTH);
}

/** The block of each key. `pack(unpack(rows))` gives the same rows again. */
export function unpack({ blocks, pending }: SeenRows): Map<string, number> {
  const blockByKey = new Map<string, number>();
  for (const group of blocks === '' ? [] : blocks.split(' ')) {
    const keysFrom = group.indexOf(':') + 1;
    addKeys(blockByKey, group, keysFrom, Number(group.slice(0, keysFrom - 1)));
  }
  addKeys(blockByKey, pending, 0, PENDING);
  return blockByKey;
}

function addKeys(to: Map<string, number>, text: string, from: number, block: number): void {
  for (let at = from; at < text.length; at += KEY_LENGTH) to.set(text.slice(at, at + KEY_LENGTH), block);
}

export function pack(blockByKey: BlockByKey): SeenRows {
  const keysByBlock = new Map<number, string[]>();
  for (const [key, block] of blockByKey) {
    const keys = keysByBlock.get(block);
    if (keys === undefined) keysByBlock.set(block, [key]);
    else keys.push(key);
  }
  const pending = keysByBlock.get(PENDING) ?? [];
  keysByBlock.delete(PENDING);
  const groups = [...keysByBlock].sort(([a], [b]) => b - a);
  return { blocks: groups.map(([block, keys]) => `${block}:${keys.join('')}`).join(' '), pending: pending.join('') };
}

/** The search may match across two neighbouring keys, but this is as unlikely as two equal keys. */
export function isPending({ pending }: SeenRows, key: string): boolean {
  return pending.includes(key);
}

/** Null when no row in a block is remembered. */
export function highestOf({ blocks }: SeenRows): number | null {
  return blocks === '' ? null : Number(blocks.slice(0, blocks.indexOf(':')));
}

/** Null when no row in a block is remembered. */
export function lowestOf({ blocks }: SeenRows): number | null {
  if (blocks === '') return null;
  const from = blocks.lastIndexOf(' ') + 1;
  return Number(blocks.slice(from, blocks.indexOf(':', from)));
}

/** The block of the row that has so many newer ones; null if there are fewer rows in blocks. */
export function blockBelow(rows: SeenRows, newer: number): number | null {
  if (rows.blocks.length < newer * KEY_LENGTH) return null;
  return [...unpack(rows).values()].filter((block) => block !== PENDING).sort((a, b) => b - a)[newer] ?? null;
}

/** For rows that are blocks: true if no block is missing between the highest and the lowest. */
export function isUnbroken({ blocks }: SeenRows): boolean {
  const heights = blocks === '' ? [] : blocks.split(' ').map((group) => Number(group.slice(0, group.indexOf(':'))));
  return (heights[0] ?? 0) - (heights.at(-1) ?? 0) < Math.max(1, heights.length);
}

// A row can move to another block until its own is final. The value is higher than `FINAL_DEPTH`, since the head may be
// above all rows of the page.
export const LOOK_BACK_BLOCKS = 72;
/** The number of rows that are always remembered, however old they are. */
const LEAST_ROWS = 100;
/** The usual limit of remembered rows of a list. It is higher after large readings, and while a gap is open. */
export const MOST_ROWS = 2000;
/** The limit for a list in which each row names the one below, so that no row can be missing between two rows. */
export const MOST_LINKED_ROWS = 100;
// Rows above an open gap are kept, up to this many.
const MOST_ABOVE_GAP = 5000;
const MOST_PENDING = 500;

interface Bounds {
  /** Rows at or below this block are not new, even if they are not remembered. */
  readonly floor: number;
  /** The number of rows in the last reading. */
  readonly read: number;
  /**
   * The number of rows to keep, or twice the rows of the last reading if that is more. Rows in blocks that are not
   * final are kept beyond this limit.
   */
  readonly most: number;
  /** Rows at or below this block are older than the look-back. */
  readonly lookBackTo: number;
  /** Rows from this block on must be kept; null = no such bound. */
  readonly keepFrom: number | null;
}

/**
 * The block up to which rows are forgotten; 0 = none. Rows at or below it no longer count as new.
 *
 * Rows are kept for the look-back, since a sweep reads them again, and finds late rows only above the forgotten ones.
 * Rows in blocks that are not final may appear again in a higher block. So they are kept up to a limit of their own:
 * `MOST_ROWS`, or six times the rows of the reading if that is more.
 */
export function forgottenTo(blockByKey: BlockByKey, { floor, read, most, lookBackTo, keepFrom }: Bounds): number {
  const blocks = [...blockByKey.values()].filter((block) => block !== PENDING).sort((a, b) => b - a);
  const top = blocks[0];
  if (top === undefined) return 0;
  const beyond = (rows: number): number => blocks[rows] ?? 0;
  const final = top - LOOK_BACK_BLOCKS;
  const aged = Math.min(lookBackTo, beyond(LEAST_ROWS));
  const old = Math.min(Math.max(aged, beyond(Math.max(most, 2 * read))), final);
  const tooMany = Math.min(beyond(Math.max(MOST_ROWS, 6 * read)), top - 1);
  const wanted = Math.max(0, old, tooMany, Math.min(floor, final));
  return keepFrom === null ? wanted : Math.max(Math.min(wanted, keepFrom - 1), beyond(MOST_ABOVE_GAP));
}

/** The remaining rows, without those up to the block `forgotten` and without the oldest pending ones. */
export function withoutOld(blockByKey: BlockByKey, forgotten: number): Map<string, number> {
  let pending = [...blockByKey.values()].filter((block) => block === PENDING).length;
  return new Map(
    [...blockByKey].filter(([, block]) => (block === PENDING ? pending-- <= MOST_PENDING : block > forgotten)),
  );
}
