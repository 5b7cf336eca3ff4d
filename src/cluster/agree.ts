// Which config is in force. Every replica computes it from the same rows and comes to the same answer, so nobody leads.
import type { Instant } from '../lib/clock.ts';

/** What a live replica runs. */
export interface Announced {
  readonly checksum: string;
  /** Since when it runs that, by the clock of the database. */
  readonly announcedAt: Instant;
  /** False: it names nothing that is remembered, and no operator has accepted it. */
  readonly counts: boolean;
}

/**
 * The checksum that most live replicas that count run. Of several that equally many run: the one before, while anybody runs it; else
 * the one that was announced first, then the smallest. Null: none of them counts.
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
