// Checks whether an explorer still shows the same chain. Its address may lead to another chain: a test net, a chain
// that was started again, or a proxy with another target.
import { valueAt, type AnyView } from '../values/fields.ts';
import type { Head } from '../model/observation.ts';
import type { Instant } from '../../lib/clock.ts';
import type { ChainRecord, KnownBlock } from './chain-record.ts';

/** No reorganisation is expected to reach deeper, and no replica to be further behind. */
export const MOST_REPLACED = 64;

/** The lowest known block of a chain, so deep that nothing replaces it: its hash identifies the chain later. */
export interface BlockAnchor {
  readonly height: number;
  readonly hashes: readonly string[];
}

/** The anchor among the known blocks; null if none of them is `MOST_REPLACED` blocks deep. */
export function anchorIn(blocks: readonly KnownBlock[]): BlockAnchor | null {
  const heights = blocks.map(({ height }) => height);
  const lowest = Math.min(...heights);
  if (heights.length === 0 || Math.max(...heights) - lowest < MOST_REPLACED) return null;
  return { height: lowest, hashes: blocks.filter(({ height }) => height === lowest).map(({ hash }) => hash) };
}

/** Blocks that an explorer shows at a height and below. */
export interface ShownBlocks {
  readonly rows: readonly AnyView[];
  /** The head of these rows; null if no row names its height and time. */
  readonly head: Head | null;
  readonly at: Instant;
}

/**
 * `behind`: the block is above everything that the explorer shows, but recent, so a slower server may have answered.
 * `unknown`: the answer does not show it.
 */
export type ChainMatch = 'same' | 'other' | 'behind' | 'unknown';

/** `newestAt`: when the newest block that is known was first seen. */
export function identityOf(anchor: BlockAnchor, { rows, head, at }: ShownBlocks, newestAt: Instant): ChainMatch {
  const hashes = rows.flatMap((row) => hashAt(row, anchor.height));
  if (hashes.length > 0) return hashes.some((hash) => anchor.hashes.includes(hash)) ? 'same' : 'other';
  if (head === null || head.height >= anchor.height) return 'unknown';
  // A slower server shows an older head that still moves. Any other lower head means another chain.
  const isSlower = head.timestamp <= newestAt && at - head.timestamp <= head.staleAfterMs;
  return isSlower ? 'behind' : 'other';
}

function hashAt(row: AnyView, height: number): string[] {
  const hash = valueAt(row, 'hash');
  return valueAt(row, 'height') === BigInt(height) && typeof hash === 'string' ? [hash] : [];
}

/**
 * Heights to compare when the anchor is not shown, since it may have been replaced after it was read. A deep
 * reorganisation may have replaced all of the newest blocks too, but none that is `MOST_REPLACED` below them.
 */
export function heightsToCompare(record: ChainRecord): readonly number[] {
  const newest = Math.max(...record.keys());
  const settled = Math.max(...record.keys().filter((height) => height <= newest - MOST_REPLACED));
  return [newest, settled].filter(Number.isFinite);
}

/** Whether one of the rows is a known block. */
export function showsKnown(record: ChainRecord, rows: readonly AnyView[]): boolean {
  return [...record].some(([height, blocks]) =>
    rows.some((row) => hashAt(row, height).some((hash) => blocks.some((block) => block.hash === hash))),
  );
}
