// Summaries of one target: of transitions above its cap, and of those that a silence or an inhibition held back until
// it was over.
import type { Instant } from '../lib/clock.ts';
import type { Steps } from '../lib/steps.ts';
import { closeBatch } from './rounds/close-batch.ts';
import { CAPPED, type Of, type GroupDecision } from './decide-group.ts';
import type { Context } from './policy/holds.ts';
import type { DeliveryBatch, DispatchGroup, SummaryStream } from './model.ts';
import { NOTHING_SENT, slotEnd, streamOf, summaryFrom } from './policy/rate.ts';
import { stateTold, stateWaiting } from './states.ts';

interface Counted {
  readonly part: GroupDecision;
  readonly one: Of<'count'>;
  /** The earliest time of its summary. */
  readonly from: Instant;
}

type To = Pick<DispatchGroup, 'target' | 'cap'>;

/**
 * Closes the summaries that are due, at most one of each stream in ten minutes. They do not count against the cap, so
 * no storm holds them back.
 */
export function* closeSummaries(context: Context, to: To, parts: readonly GroupDecision[]): Steps<DeliveryBatch[]> {
  const { now } = context;
  const counted = parts.flatMap((part) => part.counted.map((one) => countedFrom(part, one)));
  const due = counted.filter(({ from }) => from <= now);
  const { summaries } = to.cap === null ? NOTHING_SENT : context.world.sentBefore(to.target);
  const freeFrom = (stream: SummaryStream): Instant => summaryFrom(summaries.get(stream), now);
  const batches: DeliveryBatch[] = [];
  const closed = new Set<Counted>();
  for (const [stream, some] of Map.groupBy(due, streamOfCounted)) {
    if (freeFrom(stream) > now) continue;
    batches.push(yield* close(context, to, some));
    for (const one of some) closed.add(one);
  }
  for (const one of counted) if (!closed.has(one)) keepWaiting(one, Math.max(one.from, freeFrom(streamOfCounted(one))));
  return batches;
}

function streamOfCounted({ one: { member, next } }: Counted): SummaryStream {
  return streamOf(next.in, member.severity === 'critical');
}

function countedFrom(part: GroupDecision, one: Of<'count'>): Counted {
  const { heldAt, in: kind } = one.next;
  return { part, one, from: kind === 'overflow_summary' ? slotEnd(heldAt) : heldAt };
}

function oldest(counted: readonly Counted[]): Instant {
  return counted.reduce((first, { one }) => Math.min(first, one.next.heldAt), Infinity);
}

function keepWaiting({ part, one }: Counted, until: Instant): void {
  const { key } = one.member;
  part.wakes.push(until);
  part.verdicts.set(key, { type: 'hold', until, why: one.state.held ?? CAPPED });
  part.states.set(key, stateWaiting(one));
}

function* close({ now }: Context, { target }: To, counted: readonly Counted[]): Steps<DeliveryBatch> {
  const kind = counted[0]?.one.next.in ?? 'overflow_summary';
  for (const { part, one } of counted) {
    part.verdicts.set(one.member.key, { type: 'count', in: kind });
    part.states.set(one.member.key, stateTold(one, one.next.lines.length, null, now));
    part.closedAt = now;
  }
  const lines = counted.flatMap(({ one }) => one.next.lines);
  return yield* closeBatch({ kind, target, groupId: null, dueAt: slotEnd(oldest(counted)), closedAt: null }, lines);
}
