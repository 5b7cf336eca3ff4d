// Groups: alerts for one target that share a message, and the time of that message.
import { idOf } from '../core/model/watch/identity.ts';
import { REPORT_KIND } from '../core/reports/model.ts';
import type { Recipient, Severity } from '../core/model/ids.ts';
import type { Instant } from '../lib/clock.ts';
import type { DispatchGroup, Key, Labels, Routing } from './model.ts';
import type { GroupPlace } from './rounds/routing-round.ts';

const GROUP_BY: readonly string[] = ['watch', 'explorer'];
const WAIT_MS = 0;
const INTERVAL_MS = 60_000;
const REPEAT_MS = 4 * 3_600_000;

export interface Timers {
  /** The time between the first transition of a quiet group and its message. */
  readonly waitMs: number;
  /** The shortest time between two messages of a group. */
  readonly intervalMs: number;
  /** The time between repeats; null: there are none. */
  readonly repeatMs: number | null;
}

/** Machines are sent each alert singly and at once. They get repeats only if a route sets `repeatMs`. */
export function timersOf({ options }: Pick<Routing, 'options'>, unit: DispatchGroup['unit']): Timers {
  const { groupWaitMs, groupIntervalMs, repeatMs } = options;
  if (unit === 'alert') return { waitMs: 0, intervalMs: 0, repeatMs: repeatMs === 'off' ? null : repeatMs };
  return {
    waitMs: groupWaitMs ?? WAIT_MS,
    intervalMs: groupIntervalMs ?? INTERVAL_MS,
    repeatMs: repeatMs === 'off' ? null : (repeatMs ?? REPEAT_MS),
  };
}

/** The grouping rules of the config in force. */
export interface GroupingRules {
  /** A removed channel has the unit `alert`: its pending transitions wait until a config has the channel again. */
  readonly channelOf: (channel: string) => Pick<DispatchGroup, 'unit'>;
  readonly routingOf: (labels: Labels) => Pick<Routing, 'options'>;
}

/** The group in which an alert is sent to a target. */
export function placeOf(
  alert: { readonly key: Key; readonly labels: Labels },
  target: Recipient,
  { channelOf, routingOf }: GroupingRules,
): GroupPlace {
  return { target, ...groupOf(target, channelOf(target.channel).unit, alert, routingOf(alert.labels)) };
}

/**
 * The group of an alert at a target, with the labels that its members share. A report is alone in its group: a message of
 * several alerts has a line for each, and a table does not fit into a line.
 */
export function groupOf(
  target: Recipient,
  unit: DispatchGroup['unit'],
  alert: { readonly key: Key; readonly labels: Labels },
  { options }: Pick<Routing, 'options'>,
): { readonly id: string; readonly labels: Labels } {
  const { channel, recipient } = target;
  if (unit === 'alert') return { id: idOf(channel, recipient, alert.key), labels: alert.labels };
  const labels = Object.fromEntries(
    (options.groupBy ?? GROUP_BY).flatMap((label) => {
      const value = Object.hasOwn(alert.labels, label) ? alert.labels[label] : undefined;
      return value === undefined ? [] : [[label, value]];
    }),
  );
  if (alert.labels['kind'] === REPORT_KIND) return { id: idOf(channel, recipient, alert.key), labels };
  const values = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { id: idOf(channel, recipient, JSON.stringify(values)), labels };
}

/**
 * The time to send new transitions: at once if critical, after the wait if the group was quiet, else at the end of its
 * interval. It is computed from the time of the transition, so a later decision never makes a wait longer. Future
 * instants, after the clock was set back, count as now.
 */
export function newsDueAt(
  news: { readonly at: Instant; readonly severity: Severity },
  { waitMs, intervalMs }: Timers,
  closedAt: Instant | null,
  now: Instant,
): Instant {
  const at = Math.min(news.at, now);
  if (news.severity === 'critical') return at;
  const quietFrom = closedAt === null ? -Infinity : Math.min(closedAt, now) + intervalMs;
  return at < quietFrom ? quietFrom : at + waitMs;
}

/**
 * The time of the next repeat of an open alert: `repeatMs` after the last accepted message, but not within the interval
 * of its group.
 */
export function repeatDueAt(
  notifiedAt: Instant,
  repeatMs: number,
  { intervalMs }: Timers,
  closedAt: Instant | null,
  now: Instant,
): Instant {
  const due = Math.min(notifiedAt, now) + repeatMs;
  return closedAt === null ? due : Math.max(due, Math.min(closedAt, now) + intervalMs);
}
