// The last blocks of a chain, with every hash that was shown at each height.
//
// Replicas of an explorer may follow different forks and answer in turn. So a reorganisation is reported only for a
// hash that was never shown at its height; the return of a known hash is not new.
import { z } from 'zod';
import type { View } from '../../core/values/fields.ts';
import type { Block } from '../../explorer/reading/resources/block.ts';

type Row = View<typeof Block.fields>;

/** Highest first. The first hash of a height is the one that was shown last. */
export type RecentBlocks = readonly (readonly [height: number, hashes: readonly string[]])[];

// Schema 3 had one hash for each height.
const Hashes = z.union([z.array(z.string()), z.string().transform((hash) => [hash])]);
export const RecentBlocks: z.ZodType<RecentBlocks> = z.array(z.tuple([z.number(), Hashes]));

const MOST_HEIGHTS = 64;
const MOST_HASHES = 4;

/** The point at which the blocks of a reading differ from those that were shown last. */
export interface Fork {
  /** The lowest block that differs. */
  readonly block: Row;
  readonly oldHash: string;
  /** Heights whose block changed. */
  readonly heights: readonly number[];
  /** False: the block was shown before, and has returned. */
  readonly isNew: boolean;
}

/** Null if every known height shows the same block as last time. */
export function forkOf(known: RecentBlocks, rows: readonly Row[]): Fork | null {
  const hashesByHeight = new Map(known);
  const other = oneOfEachHeight(hashesByHeight, rows).flatMap((block) => {
    const [last] = hashesByHeight.get(Number(block.height)) ?? [];
    return last === undefined || block.hash === undefined || block.hash === last ? [] : [{ block, oldHash: last }];
  });
  const [lowest] = other.toSorted((a, b) => Number(a.block.height) - Number(b.block.height));
  if (lowest === undefined) return null;
  const hashes = hashesByHeight.get(Number(lowest.block.height)) ?? [];
  const heights = other.map(({ block }) => Number(block.height));
  return { ...lowest, heights, isNew: !hashes.includes(lowest.block.hash ?? '') };
}

/** Adds the blocks of a reading. Returns the same object if nothing changed. */
export function withBlocks(known: RecentBlocks, rows: readonly Row[]): RecentBlocks {
  const hashesByHeight = new Map(known);
  // Blocks below the last `MOST_HEIGHTS` are ignored, also if a sweep reads them again.
  const lowest = known.length < MOST_HEIGHTS ? 0 : (known.at(-1)?.[0] ?? 0);
  let isSame = true;
  for (const { height, hash } of oneOfEachHeight(hashesByHeight, rows)) {
    const before = hashesByHeight.get(Number(height)) ?? [];
    if (height === undefined || hash === undefined || before[0] === hash || height < lowest) continue;
    hashesByHeight.set(Number(height), [hash, ...before.filter((one) => one !== hash)].slice(0, MOST_HASHES));
    isSame = false;
  }
  return isSame ? known : [...hashesByHeight].sort(([a], [b]) => b - a).slice(0, MOST_HEIGHTS);
}

/** The height at which a hash was shown; undefined when it was not, or long ago. */
export function heightOf(known: RecentBlocks, hash: string): number | undefined {
  return known.find(([, hashes]) => hashes.includes(hash))?.[0];
}

/**
 * Keeps one row for each height. Some explorers list uncles too, so the known block is preferred: as long as it is
 * listed, no uncle has replaced it.
 */
function oneOfEachHeight(hashesByHeight: ReadonlyMap<number, readonly string[]>, rows: readonly Row[]): Row[] {
  const rowByHeight = new Map<number, Row>();
  for (const block of rows) {
    const height = Number(block.height);
    if (!rowByHeight.has(height) || block.hash === hashesByHeight.get(height)?.[0]) rowByHeight.set(height, block);
  }
  return [...rowByHeight.values()];
}
