import type { JournalEntry } from '../../core/journal/entry.ts';
import { routedLines, withdrawnLines } from '../../core/journal/routed.ts';
import type { RoutingResult, RoutingRound } from '../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../lib/clock.ts';

/** What the journal says of a round that chose who is told. */
export function routingLines(
  { unrouted }: RoutingRound,
  { owing, undeliverable, withdrawn }: RoutingResult,
  at: Instant,
): readonly JournalEntry[] {
  const owed = Map.groupBy(owing, ({ notification }) => notification);
  const undelivered = Map.groupBy(undeliverable, ({ notification }) => notification.number);
  const routed = unrouted.map(({ number, ...notification }) => ({
    ...notification,
    channels: [...new Set((owed.get(number) ?? []).map(({ group }) => group.target.channel))],
    lost: (undelivered.get(number) ?? []).map(({ channel }) => channel),
  }));
  const taken = withdrawn.map(({ key, target, as }) => ({ key, channel: target.channel, as }));
  return [...routedLines(routed, at), ...withdrawnLines(taken, at)];
}
