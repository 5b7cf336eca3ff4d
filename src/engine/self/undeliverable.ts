// Finds out whether the recipients of self-alerts can be reached at all.
import type { Instant } from '../../lib/clock.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import { UNTRIED, type ChannelHealth } from '../sending/channel-health.ts';

export interface Deliverability {
  /** The channels of self-alerts. */
  readonly self: readonly string[];
  readonly health: ReadonlyMap<string, ChannelHealth>;
  readonly owed: readonly OutboxDepth[];
  /** Nothing could be sent before this time. */
  readonly startedAt: Instant;
}

/** The time since which no channel of self-alerts has accepted a pending message; null if one of them may. */
export function undeliverableSince({ self, health, owed, startedAt }: Deliverability): Instant | null {
  const since = self.map((channel) =>
    stuckSince(
      health.get(channel) ?? UNTRIED,
      owed.find((one) => one.channel === channel),
      startedAt,
    ),
  );
  const all = since.filter((one) => one !== null);
  return self.length > 0 && all.length === self.length ? Math.max(...all) : null;
}

/** The time since which the channel has accepted nothing. A long queue has old messages, but a recent success. */
function stuckSince(health: ChannelHealth, owed: OutboxDepth | undefined, startedAt: Instant): Instant | null {
  if (owed === undefined) return health.failingSince;
  const waitsSince = Math.max(owed.oldest, health.lastSentAt ?? startedAt);
  return Math.min(waitsSince, health.failingSince ?? waitsSince);
}
