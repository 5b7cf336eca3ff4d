// What recipients had been sent when something went wrong, as the cap of today counts it.
import type { Instant } from '../model.ts';
import { HOUR_MS, limitsOf } from './caps.ts';
import type { Evidence } from './facts/evidence.ts';
import { SLOT_MS, SUMMARIES, type Message } from './facts/messages.ts';
import type { Story } from './facts/stories.ts';
import { SENT_WITHIN_MS } from './walk.ts';

export interface Place {
  readonly story: Story;
  readonly target: string;
  /** In which it came, or was to come; null: none did. */
  readonly carrier: Message | null;
  readonly at: Instant;
  /** The kind of the message that is wrong, or in which it came; null: it never came. */
  readonly came: string | null;
}

/** Places that others than summaries have, where those own one of each slot. `clockAt`: by which clock it counts them. */
export function isOverOneCap(
  { messages, timeline, clock }: Evidence,
  place: Place,
  clockAt: (time: Instant) => Instant,
): boolean {
  const { target, at } = place;
  const limits = limitsOf(timeline.at(at).channelOf(target), 'common');
  if (limits === null) return false;
  const until = at + SENT_WITHIN_MS;
  const closed = [...messages.to(target), ...messages.untriedTo(target)].flatMap(({ kind, closedAt }) =>
    SUMMARIES.has(kind) || closedAt > until ? [] : { at: closedAt, shown: clockAt(closedAt) },
  );
  const within = (time: Instant, ms: number): number =>
    closed.filter((one) => one.at <= time && Math.abs(clockAt(time) - one.shown) < ms).length;
  const from = heldFrom(clock, place);
  const later = closed.flatMap((one) => (one.at > from ? one.at : []));
  return [from, at, ...later].some(
    (time) => within(time, SLOT_MS) >= limits.burst - 1 || within(time, HOUR_MS) >= limits.perHour - HOUR_MS / SLOT_MS,
  );
}

/** Since when the message says that it was held back; where none came it may have been so from the beginning. */
function heldFrom({ whenShown }: Evidence['clock'], { story, carrier, at }: Place): Instant {
  if (carrier === null) return story.from;
  const heldSince = carrier.members.find(({ key }) => key === story.key)?.heldSinceClock ?? null;
  return heldSince === null ? at : Math.min(at, whenShown(heldSince, carrier.closedAt));
}

export function hasSummaryBefore({ messages }: Evidence, { target, at }: Place): boolean {
  return messages.to(target).some(({ isSummary, closedAt }) => isSummary && closedAt > at - SLOT_MS && closedAt <= at);
}

export function hasSummaryAhead({ messages, clock }: Evidence, { target, at }: Place): boolean {
  const before = messages.to(target).filter(({ isSummary, closedAt }) => isSummary && closedAt <= at);
  return before.some(({ closedAt }) => clock.at(closedAt) > clock.at(at));
}
