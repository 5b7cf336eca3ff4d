// When blocks are made and seen.
import type { ChainLog, Instant, Logs, Served } from '../model.ts';

const GENESIS = Date.UTC(2026, 0, 1);
const BLOCK_MS = 60_000;
const MINUTE = 60_000;

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

/** First pages of blocks that did not come from the chain. */
export function headsElsewhere({ served }: Logs): readonly Served[] {
  return served.filter(({ path, replica }) => path === 'blocks' && replica !== 'chain');
}

export interface HeadCase {
  readonly at: Instant;
  readonly clockAt: Instant;
  readonly logs: Logs;
  /** First pages of blocks that did not come from the chain. */
  readonly elsewhere: readonly Served[];
  readonly intervalMs: number;
}

/** In intervals: so long a poll may rest on a head that was read before, with one poll to spare. */
const HEAD_KNOWN_FOR = 2.4;

/** A head that stands still for long makes all else unknown; so does one that another server, or a wrong clock, shows. */
export function isHeadDoubtful({ at, clockAt, logs: { chain }, elsewhere, intervalMs }: HeadCase): boolean {
  const knownMs = HEAD_KNOWN_FOR * intervalMs;
  const isStanding = chain.freezes.some(({ from, to }) => from + 10 * MINUTE < at && at < to + knownMs);
  const isClockWrong = Math.abs(clockAt - at) > 5 * MINUTE;
  return isStanding || isClockWrong || elsewhere.some((one) => one.at <= at && at < one.at + knownMs);
}
