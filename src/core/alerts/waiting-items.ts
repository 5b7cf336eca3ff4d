// Items that a count could not evaluate at once, for example because the explorer had no price of them. They are
// counted at their own times once they can be evaluated. Until then, the counts around these times are kept.
import type { DetectedEvent } from '../model/detection.ts';
import type { Instant } from '../../lib/clock.ts';
import type { AlertsByKey } from './alert-evaluation.ts';
import type { EventMatches } from './events/event-matching.ts';

export interface WaitingItems {
  /** Tallies from this time on are kept. Infinity: nothing waits. */
  readonly since: Instant;
  /** The own times of items that waited and are counted now, the oldest first. */
  readonly ended: readonly Instant[];
}

/** For a missed poll. The own times are not known then, so everything is kept. */
export function waitingUnread(known: AlertsByKey): WaitingItems {
  return { since: Object.values(known).some(({ type }) => type === 'open') ? -Infinity : Infinity, ended: [] };
}

export function waitingItems(
  known: AlertsByKey,
  { at, events }: { readonly at: Instant; readonly events: readonly DetectedEvent[] },
  { matches, open }: Pick<EventMatches, 'matches' | 'open'>,
): WaitingItems {
  const timeOf = (event: DetectedEvent | undefined): Instant => event?.happenedAt ?? at;
  const eventByKey = open.length === 0 ? null : new Map(events.map((event) => [event.key, event]));
  const waiting = open.map(([key]) => (eventByKey?.has(key) === true ? timeOf(eventByKey.get(key)) : -Infinity));
  const late = matches.filter(({ event }) => known[event.key]?.type === 'open');
  const ended = late.map(({ event }) => timeOf(event)).toSorted((a, b) => a - b);
  return { since: Math.min(...waiting, ended[0] ?? Infinity), ended };
}

/**
 * The spans in which items that waited change a window. `from` is the time of an item, and `at` the end of the last
 * window that contains it.
 */
export function spansOf(ended: readonly Instant[], withinMs: number): readonly { from: Instant; at: Instant }[] {
  const spans: { from: Instant; at: Instant }[] = [];
  for (const time of ended)
    if (time > (spans.at(-1)?.at ?? -Infinity)) spans.push({ from: time - 1, at: time + withinMs - 1 });
  return spans;
}
