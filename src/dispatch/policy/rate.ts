// How many messages one recipient is sent. Whatever is over that goes out together, as one summary for each ten minutes.
import type { Instant } from '../../lib/clock.ts';
import type { Cap } from '../model.ts';

/** Slots are aligned in UTC. Summaries of one target are at least so far apart. */
export const SLOT_MS = 600_000;
const HOUR_MS = 3_600_000;
const SLOTS_IN_HOUR = HOUR_MS / SLOT_MS;

/** What people's channels have where the config says nothing. */
export const CAP_OF_PEOPLE: Cap = { burst: 10, perHour: 30 };

/**
 * Whether no message but a summary may be sent now. Summaries own one place of each ten minutes, so that no storm keeps
 * them back: others get `burst` - 1 and `perHour` - 6.
 */
export function isFull(cap: Cap | null, sentAt: readonly Instant[], now: Instant): boolean {
  if (cap === null) return false;
  const within = (ms: number): number => sentAt.filter((at) => Math.abs(now - at) < ms).length;
  return within(SLOT_MS) >= cap.burst - 1 || within(HOUR_MS) >= cap.perHour - SLOTS_IN_HOUR;
}

/** The end of the slot that an instant lies in. */
export function slotEnd(at: Instant): Instant {
  return (Math.floor(at / SLOT_MS) + 1) * SLOT_MS;
}
