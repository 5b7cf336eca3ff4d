// Summaries of one target: what it was sent too much for, and what a silence or an inhibition kept back until it was over.
import type { Instant } from '../lib/clock.ts';
import type { Steps } from '../lib/steps.ts';
import { closeBatch } from './rounds/close-batch.ts';
import type { Of, GroupDecision } from './decide-group.ts';
import type { Context } from './policy/holds.ts';
import type { DeliveryBatch, DispatchGroup, Held, SummaryKind } from './model.ts';
import { SLOT_MS, slotEnd } from './policy/rate.ts';
import { stateCounted, stateTold, stateWaiting } from './states.ts';

interface Counted {
  readonly part: GroupDecision;
  readonly one: Of<'count'>;
  /** When its summary may go out. */
  readonly from: Instant;
}

type To = Pick<DispatchGroup, 'target' | 'cap'>;

/**
 * Closes the summaries that are due. Where messages are capped, two of them are ten minutes apart, and what waited
 * longest goes first. What silences held and what open alerts held is counted together: one summary, however much ended
 * at once.
 */
export function* closeSummaries(context: Context, to: To, parts: readonly GroupDecision[]): Steps<DeliveryBatch[]> {
  const { now } = context;
  const counted = parts.flatMap((part) => part.counted.map((one) => countedFrom(part, one)));
  const due = counted.filter(({ from }) => from <= now);
  const byStream = Map.groupBy(due, ({ one }) => one.next.in === 'overflow_summary');
  const waiting = [...byStream.values()].toSorted((a, b) => oldest(a) - oldest(b));
  const freeFrom = placeFreeFrom(context, to);
  const closing = freeFrom > now ? [] : waiting.slice(0, to.cap === null ? waiting.length : 1);
  const closed = new Set(closing.flat());
  const nextFrom = closed.size > 0 && to.cap !== null ? now + SLOT_MS : freeFrom;
  for (const one of counted) if (!closed.has(one)) keepWaiting(one, Math.max(one.from, nextFrom));
  const batches: DeliveryBatch[] = [];
  for (const lines of closing) batches.push(yield* close(context, to, lines));
  return batches;
}

function countedFrom(part: GroupDecision, one: Of<'count'>): Counted {
  const { heldAt, in: kind } = one.next;
  return { part, one, from: kind === 'overflow_summary' ? slotEnd(heldAt) : heldAt };
}

/** When the place that summaries own is free. */
function placeFreeFrom({ world, now }: Context, { target, cap }: To): Instant {
  const last = cap === null ? null : world.summarizedAt(target);
  return last === null ? now : Math.min(last, now) + SLOT_MS;
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

const CAPPED: Held = { why: 'cap', by: null };

function* close({ now }: Context, { target }: To, counted: readonly Counted[]): Steps<DeliveryBatch> {
  const kind = kindOf(counted);
  for (const { part, one } of counted) {
    const state = kind === 'overflow_summary' ? stateTold(one, one.next.lines.length, null, now) : stateCounted(one);
    part.verdicts.set(one.member.key, { type: 'count', in: kind });
    part.states.set(one.member.key, state);
    part.closedAt = now;
  }
  const lines = counted.flatMap(({ one }) => one.next.lines);
  return yield* closeBatch({ kind, target, groupId: null, dueAt: slotEnd(oldest(counted)), closedAt: null }, lines);
}

function kindOf(counted: readonly Counted[]): SummaryKind {
  const kinds = new Set(counted.map(({ one }) => one.next.in));
  return (['overflow_summary', 'silence_summary'] as const).find((kind) => kinds.has(kind)) ?? 'inhibition_summary';
}
