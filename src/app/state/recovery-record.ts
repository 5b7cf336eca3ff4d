import type { Clock, Instant } from '../../lib/clock.ts';
import type { Recovery } from '../../store/contract/backups.ts';

/** How a state that was damaged or missing at the start was replaced. */
export interface RecoveryRecord {
  readonly recovered: (how: Recovery) => void;
  /** The last recovery; null: there was none within the last hour. */
  recent(): { readonly how: Recovery; readonly at: Instant } | null;
}

const RECENT_MS = 3_600_000;

export function createRecoveryRecord(clock: Pick<Clock, 'now' | 'monotonic'>): RecoveryRecord {
  let last: { readonly how: Recovery; readonly at: Instant; readonly steady: number } | null = null;
  return {
    recovered(how) {
      last = { how, at: clock.now(), steady: clock.monotonic() };
    },
    recent: () => (last !== null && clock.monotonic() - last.steady < RECENT_MS ? last : null),
  };
}
