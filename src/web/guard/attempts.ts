// Counts wrong tokens by the address they came from.

const MOST = 10;
const WITHIN_MS = 60_000;
/** The largest number of stored addresses, since an attacker may have very many. The oldest are dropped first. */
const MOST_PEERS = 1000;

export interface Attempts {
  /** Counts another wrong token. Returns the count within a minute, and the time to wait if there are too many. */
  failed(peer: string): { readonly count: number; readonly waitMs: number | null };
}

/** `monotonic`: milliseconds of a clock that is never set. */
export function createAttempts(monotonic: () => number): Attempts {
  const byPeer = new Map<string, { readonly since: number; count: number }>();
  return {
    failed(peer) {
      const now = monotonic();
      const before = byPeer.get(peer);
      const counted = before === undefined || now - before.since >= WITHIN_MS ? { since: now, count: 0 } : before;
      counted.count += 1;
      byPeer.delete(peer);
      byPeer.set(peer, counted);
      const [oldest] = byPeer.keys();
      if (byPeer.size > MOST_PEERS && oldest !== undefined) byPeer.delete(oldest);
      const { since, count } = counted;
      return { count, waitMs: count > MOST ? since + WITHIN_MS - now : null };
    },
  };
}
