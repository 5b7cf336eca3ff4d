// Chooses the config in force. Every replica computes it from the same rows with the same result, so no leader is
// needed.
import type { Instant } from '../lib/clock.ts';

/** The config that a live replica runs. */
export interface Announced {
  readonly checksum: string;
  /** The time when the replica began to run it, by the clock of the database. */
  readonly announcedAt: Instant;
  /**
   * True if the replica has a vote. False: the state remembers no watch of its config, and no operator has accepted
   * that.
   */
  readonly counts: boolean;
}

/**
 * The checksum that most live replicas with a vote run. On a tie: `before` while one of them runs it, else the one
 * announced first, then the smallest. Null if no replica has a vote.
 */
export function configInForce(live: readonly Announced[], before: string | null): string | null {
  const counted = live.filter(({ counts }) => counts);
  const byChecksum = [...Map.groupBy(counted, ({ checksum }) => checksum)];
  const most = Math.max(...byChecksum.map(([, { length }]) => length));
  const first = byChecksum
    .filter(([, { length }]) => length === most)
    .map(([checksum, some]) => ({ checksum, at: Math.min(...some.map(({ announcedAt }) => announcedAt)) }));
  if (first.length > 1 && before !== null && byChecksum.some(([checksum]) => checksum === before)) return before;
  return first.toSorted((a, b) => a.at - b.at || (a.checksum < b.checksum ? -1 : 1))[0]?.checksum ?? null;
}
