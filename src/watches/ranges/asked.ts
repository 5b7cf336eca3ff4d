// The parts of a list that a rule asks for, such as events of a contract. A reload may add parts and remove others. Rows
// of an added part that are older than the reload are no news, and rows of a removed part are not gone.
import { z } from 'zod';
import type { BlockRange, DetectionScope } from '../../core/model/detection.ts';
import type { Instant } from '../../lib/clock.ts';

/** Plain JSON. */
export interface AskedParts {
  readonly parts: readonly string[];
  /** The time when a part was added later. Rows of the part up to that time are not new. */
  readonly since: Readonly<Record<string, Instant>>;
  /** Rows of a removed part may be known up to this block; null: no part was removed. */
  readonly removedTo: number | null;
}

export const AskedParts: z.ZodType<AskedParts> = z.object({
  parts: z.array(z.string()),
  since: z.record(z.string(), z.number()),
  removedTo: z.number().nullable(),
});

/** Returns the same object if nothing changes. `highest`: the highest block of all known rows. */
export function askedAfter(
  before: AskedParts | undefined,
  parts: readonly string[],
  { at, coveredUntil, highest }: Pick<DetectionScope, 'at' | 'coveredUntil'> & { readonly highest: number },
): AskedParts {
  if (before === undefined) return { parts, since: {}, removedTo: null };
  const added = parts.filter((part) => !before.parts.includes(part));
  const isRemoved = before.parts.some((part) => !parts.includes(part));
  if (added.length === 0 && !isRemoved) return before;
  const kept = Object.entries(before.since).filter(([part]) => parts.includes(part));
  const since = Object.fromEntries([...kept, ...added.map((part) => [part, coveredUntil ?? at] as const)]);
  return { parts, since, removedTo: isRemoved ? highest : before.removedTo };
}

/**
 * The range without the blocks in which rows of a removed part may be known. These rows are no longer read, so their
 * absence does not mean that they are gone.
 */
export function withoutRemoved(range: BlockRange | null, { removedTo }: AskedParts): BlockRange | null {
  if (range === null || removedTo === null) return range;
  const lowest = removedTo + 1;
  if (range.to !== 'head' && range.to < lowest) return null;
  const below = range.below?.filter(({ from }) => from >= lowest) ?? [];
  return { ...range, from: Math.max(range.from, lowest), below };
}
