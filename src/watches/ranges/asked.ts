// The parts of a list that a rule asks for, such as events of a contract. A reload may add parts and remove others. Rows
// of an added part that are older than the reload are no news, and rows of a removed part are not gone.
import { z } from 'zod';
import type { DetectionScope } from '../../core/model/detection.ts';
import type { Instant } from '../../lib/clock.ts';

/** Plain JSON. */
export interface AskedParts {
  readonly parts: readonly string[];
  /** For parts that were added later: rows up to that time are not new. */
  readonly since: Readonly<Record<string, Instant>>;
  /** When a part was removed; null = long ago, or never. */
  readonly removedAt: Instant | null;
}

export const AskedParts: z.ZodType<AskedParts> = z.object({
  parts: z.array(z.string()),
  since: z.record(z.string(), z.number()),
  removedAt: z.number().nullable(),
});

/** After this time, rows of a removed part are not expected any more. */
const EXPECTED_MS = 3_600_000;

/** Returns the same object if nothing changes. */
export function askedAfter(
  before: AskedParts | undefined,
  parts: readonly string[],
  { at, coveredUntil }: Pick<DetectionScope, 'at' | 'coveredUntil'>,
): AskedParts {
  if (before === undefined) return { parts, since: {}, removedAt: null };
  const added = parts.filter((part) => !before.parts.includes(part));
  const isRemoved = before.parts.some((part) => !parts.includes(part));
  const isOver = before.removedAt !== null && Math.abs(at - before.removedAt) > EXPECTED_MS;
  if (added.length === 0 && !isRemoved) return isOver ? { ...before, removedAt: null } : before;
  const kept = Object.entries(before.since).filter(([part]) => parts.includes(part));
  const since = Object.fromEntries([...kept, ...added.map((part) => [part, coveredUntil ?? at] as const)]);
  return { parts, since, removedAt: isRemoved ? at : isOver ? null : before.removedAt };
}
