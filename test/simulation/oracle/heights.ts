// When blocks are made and seen.
import type { ChainLog, Instant } from '../model.ts';

const GENESIS = Date.UTC(2026, 0, 1);
const BLOCK_MS = 60_000;

/** The time that a block bears. */
export function madeAt(height: number): Instant {
  return GENESIS + height * BLOCK_MS;
}

/** When that block is seen: later than made, where the chain stood still. */
export function seenAt(height: number, { freezes }: ChainLog): Instant {
  const made = madeAt(height);
  return freezes.find(({ from, to }) => from < made && made < to)?.to ?? made;
}

export function headAt(at: Instant, { freezes }: ChainLog): number {
  const frozen = freezes.find(({ from, to }) => from <= at && at < to);
  return Math.floor(((frozen?.from ?? at) - GENESIS) / BLOCK_MS);
}
