// The events that `on:` may name: those of the kind, and `schedule` if the kind has present values to report.
import type { EventName } from '../../core/model/ids.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';

export const SCHEDULE: EventName = 'schedule';

/** The names of the events, with explanations. */
export function eventsOf({ events, while: condition }: AnyKind): readonly (readonly [EventName, string])[] {
  const own = Object.entries(events).map(([name, { doc }]) => [name, doc] as const);
  return condition === null ? own : [...own, [SCHEDULE, 'a time of its cron has come: its values are sent']];
}
