// Open alerts that share a card or a row: all events of a rule, and its conditions if they are many.
import type { OpenAlert } from './open-alerts.ts';

/** The alerts of one card, the most urgent first; for events, the newest first. */
export interface CardGroup {
  readonly first: OpenAlert;
  readonly all: readonly OpenAlert[];
}

/** Up to this many conditions of a rule have a card each. If there are more, they share one. */
const MOST_SINGLE = 8;

export function cardGroups(open: readonly OpenAlert[]): CardGroup[] {
  return groupsBy(open, (all) => all.length > MOST_SINGLE || isOfEvents(all), ruleOf);
}

/**
 * Groups of handled alerts: events of a rule with the same acknowledgement and silence are one row, and each condition
 * has a row of its own.
 */
export function handledGroups(open: readonly OpenAlert[]): CardGroup[] {
  return groupsBy(open, isOfEvents, (alert) => [ruleOf(alert), alert.ack?.actor, alert.ack?.until, alert.silence?.id]);
}

function groupsBy(
  open: readonly OpenAlert[],
  isShared: (all: readonly OpenAlert[]) => boolean,
  nameOf: (alert: OpenAlert) => unknown,
): CardGroup[] {
  const alike = [...Map.groupBy(open, (alert) => JSON.stringify(nameOf(alert))).values()];
  const groups = alike.flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    return isShared(all) ? [{ first, all }] : all.map((alert) => ({ first: alert, all: [alert] }));
  });
  const placeOf = new Map(open.map((alert, place) => [alert, place]));
  return groups.toSorted((a, b) => (placeOf.get(a.first) ?? 0) - (placeOf.get(b.first) ?? 0));
}

/** Alerts with equal values form a group. An acknowledgement of `coins/low` applies to all of them. */
function ruleOf({ row: { rule, alert, severity, isEvent } }: OpenAlert): readonly unknown[] {
  return [rule, alert, severity, isEvent];
}

function isOfEvents(all: readonly OpenAlert[]): boolean {
  return all.some(({ row }) => row.isEvent);
}

/** The number of alerts as people count them: each condition counts as one, and so do all events of a rule together. */
export function countAlerts(groups: readonly CardGroup[]): number {
  return groups.reduce((sum, { first, all }) => sum + (first.row.isEvent ? 1 : all.length), 0);
}
