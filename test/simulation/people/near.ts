// What else was so when something went wrong: no excuse, but by it one mistake of the program is told from another.
import type { Instant } from '../model.ts';
import { HOUR_MS, SLOT_MS } from './caps.ts';
import type { Evidence } from './facts/evidence.ts';
import { spanAt } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';
import { SENT_WITHIN_MS } from './walk.ts';

/**
 * `behind-a-retry`: when the alert was over, a message about it to the target was tried, and waited for its next try.
 * `parked`: the receiver had said that it is gone, and nothing on its channel was tried since.
 * `woken`: a message about the alert waits for its next try, though the receiver has taken over another since.
 * `over-one-cap`: with critical messages in one bucket with all others the target had been sent all that it may.
 * `over-by-clock`: the same by the clock of the daemon, which was set back since some of them were closed.
 * `held`: a silence, a mute window or an inhibition was in force.
 * `summary-before`: in the ten minutes before the target was sent a summary.
 * `renamed`: no config named the target when the alert began.
 */
export type Near =
  'behind-a-retry' | 'parked' | 'woken' | 'over-one-cap' | 'over-by-clock' | 'held' | 'summary-before' | 'renamed';

export interface Place {
  readonly story: Story;
  readonly target: string;
  readonly at: Instant;
}

export function nearOf(evidence: Evidence, place: Place): Near[] {
  const isOver = isOverOneCap(evidence, place, (time) => time);
  const all: readonly (readonly [Near, boolean])[] = [
    ['behind-a-retry', isBehindRetry(evidence, place)],
    ['parked', isParked(evidence, place)],
    ['woken', isWoken(evidence, place)],
    ['over-one-cap', isOver],
    ['over-by-clock', !isOver && isOverOneCap(evidence, place, evidence.clock.at)],
    ['held', isHeld(evidence, place)],
    ['summary-before', hasSummaryBefore(evidence, place)],
    ['renamed', isRenamed(evidence, place)],
  ];
  return all.flatMap(([near, isSo]) => (isSo ? [near] : []));
}

function isBehindRetry({ messages }: Evidence, { story, target }: Place): boolean {
  return messages
    .about(target, story.key)
    .some(
      ({ message }) =>
        message.firstAt < story.to &&
        (message.knownAt ?? Infinity) >= story.to &&
        (message.deadAt ?? Infinity) >= story.to,
    );
}

function isParked({ messages }: Evidence, { target, at }: Place): boolean {
  const channel = target.slice(0, target.indexOf('/'));
  const last = messages.lastTryOn(channel, at + SENT_WITHIN_MS);
  return last?.outcome.type === 'refused' && last.outcome.why === 'gone';
}

function isWoken({ messages }: Evidence, { story, target, at }: Place): boolean {
  return messages.troubled(target, story.key).some(({ tries }) => {
    const last = tries.findLast(({ begunAt }) => begunAt <= at);
    const ended = last === undefined || last.outcome.type === 'accepted' ? null : last.endedAt;
    return ended !== null && messages.wakes(target).some((woken) => woken > ended && woken <= at);
  });
}

/** Places that others than summaries have, where those own one of each slot. `clockAt`: by which clock it counts them. */
function isOverOneCap(
  { messages, timeline }: Evidence,
  { target, at }: Place,
  clockAt: (time: Instant) => Instant,
): boolean {
  const channel = timeline.at(at).channelOf(target);
  const cap = channel?.cap ?? (channel?.kind === 'people' ? { burst: 10, perHour: 30 } : null);
  if (cap === null) return false;
  const closed = messages
    .to(target)
    .flatMap(({ isSummary, closedAt }) => (isSummary ? [] : { at: closedAt, shown: clockAt(closedAt) }));
  const within = (time: Instant, ms: number): number =>
    closed.filter((one) => one.at <= time && Math.abs(clockAt(time) - one.shown) < ms).length;
  const later = closed.flatMap((one) => (one.at > at && one.at < at + SENT_WITHIN_MS ? one.at : []));
  return [at, ...later].some(
    (time) => within(time, SLOT_MS) >= cap.burst - 1 || within(time, HOUR_MS) >= cap.perHour - 6,
  );
}

function isHeld({ holds }: Evidence, { story, at }: Place): boolean {
  const { silence, mute, inhibition } = holds.of(story.rule);
  return [silence, mute, inhibition].some((spans) => spanAt(spans, at) !== null);
}

function hasSummaryBefore({ messages }: Evidence, { target, at }: Place): boolean {
  return messages.to(target).some(({ isSummary, closedAt }) => isSummary && closedAt > at - SLOT_MS && closedAt <= at);
}

function isRenamed({ timeline }: Evidence, { story, target }: Place): boolean {
  return timeline.at(story.from).namedFor(story.rule)?.targets.includes(target) !== true;
}
