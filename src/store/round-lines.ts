// The journal lines of dispatch rounds.
import type { JournalEntry } from '../core/journal/entry.ts';
import { closedLines, heldLines, routedLines, withdrawnLines, type HeldAlert } from '../core/journal/lines.ts';
import type { DeliveryBatch, RoundResult } from '../dispatch/model.ts';
import type { DueRound } from '../dispatch/rounds/due-round.ts';
import type { RoutingResult, RoutingRound } from '../dispatch/rounds/routing-round.ts';
import type { Instant } from '../lib/clock.ts';
import type { RoundDecision } from './contract/dispatch.ts';

/** The lines of a round that chose targets. */
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
  return [...routedLines(routed, at), ...withdrawnLines(withdrawn, at)];
}

/** The lines of a round that decided which messages are sent. */
export function dueLines(round: DueRound, { result, shares }: RoundDecision, at: Instant): readonly JournalEntry[] {
  const closed = result.batches.flatMap((batch) => wholeOf(batch, shares));
  return [...withdrawnLines(result.withdrawn, at), ...heldLines(heldIn(round, result), at), ...closedLines(closed, at)];
}

/** A large message is stored by several commits. Only the last one adds its line. */
function wholeOf(batch: DeliveryBatch, shares: RoundDecision['shares']): readonly DeliveryBatch[] {
  const share = shares.get(batch.id);
  if (share === undefined) return [batch];
  return share.isLast ? [share.batch] : [];
}

function heldIn({ groups }: DueRound, { states }: RoundResult): HeldAlert[] {
  return groups.flatMap(({ id, target: { channel }, members }) =>
    members.flatMap(({ key, watch, alert, state: { held: before } }): HeldAlert[] => {
      const after = states.get(id)?.get(key)?.held;
      if (after === undefined || (after === null) === (before === null)) return [];
      const cause = after ?? before;
      if (cause === null) return [];
      return [{ ...cause, is: after === null ? 'released' : 'held', key, watch, alert, channel }];
    }),
  );
}
