// Notifications: transitions of polls, each with its message, stored once for all recipients.
import { z } from 'zod';
import { type Message, RULE_ENDS } from '../../../core/model/delivery.ts';
import { type Labels, type Recipient, SEVERITIES, type Severity, type WatchId } from '../../../core/model/ids.ts';
import {
  detailsWaitMs,
  LONGEST_DETAILS_MS,
  noDetails,
  NONE_IN_TIME,
  withDetails,
} from '../../../core/model/details.ts';
import {
  awaitsDetails,
  nameOfTransition,
  type ToldUnrecorded,
  type Transition,
  type TransitionName,
} from '../../../core/model/transition.ts';
import { idOf } from '../../../core/model/watch/identity.ts';
import { isRow } from '../../../core/values/fields.ts';
import type { DueMember } from '../../../dispatch/rounds/due-round.ts';
import type { Unrouted } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { NotificationCount } from '../../contract/store.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, intOrNull, ints, jsonOrNull, type Row, text, texts } from '../../sql/rows.ts';
import { columns, insertion, list, type Sql } from '../../sql/sql.ts';

// Code that the tables of alerts share: transitions, labels and recipients.

export const TRANSITIONS = ['event', 'firing', 'resolved', 'retracted', 'corrected', 'reinstated'] as const;

/** Null: damaged. */
export function transitionIn(value: unknown): TransitionName | null {
  return TRANSITIONS.find((one) => one === value) ?? null;
}

/** Null: damaged. A schema would take three times as long, and a storm has thousands of labels to read. */
export function labelsIn(text: unknown): Labels | null {
  const labels = jsonOrNull(text);
  return areLabels(labels) ? labels : null;
}

function areLabels(value: unknown): value is Labels {
  return isRow(value) && Object.values(value).every((one) => typeof one === 'string');
}

/** Null: damaged. */
export function severityIn(value: unknown): Severity | null {
  return SEVERITIES.find((one) => one === value) ?? null;
}

/** Labels and severity; null: they are damaged. */
export function labelsOf(text: unknown): Pick<DueMember, 'labels' | 'severity'> | null {
  const labels = labelsIn(text);
  const severity = severityIn(labels?.['severity']);
  return labels === null || severity === null ? null : { labels, severity };
}

export function recipientOf(row: Row): Recipient {
  return { channel: String(row['channel']), recipient: String(row['recipient']) };
}

/** The transitions of a watch from one poll. */
export interface OfWatch {
  readonly watch: WatchId;
  readonly transitions: readonly Transition[];
}

const ROW = {
  ...columns('text', 'id', 'key', 'watch', 'alert', 'transition'),
  ...columns('int', 'episode', 'seq', 'at'),
  ...columns('json', 'labels', 'notify', 'message'),
  ...columns('json?', 'summary', 'told'),
  ...columns('int?', 'details_until'),
} as const;
const ADD = insertion('notifications', ROW, 'ON CONFLICT (id) DO NOTHING');

const KEEP_LABELS = list(
  columns('text', 'id', 'key'),
  (row) => `
    UPDATE notifications AS ended SET labels = alerts.labels
    FROM alerts ${row.also} WHERE ended.id = ${row.id} AND alerts.key = ${row.key} AND alerts.is_open = 1`,
);

/**
 * An existing notification stays unchanged. An alert that ends with its rule keeps its labels: by them it is routed, and
 * receivers identify it.
 */
export async function addNotifications(sql: Sql, of: readonly OfWatch[], at: Instant): Promise<void> {
  const rows = of.flatMap(({ watch, transitions }) => transitions.map((transition) => rowOf(watch, transition, at)));
  if (rows.length === 0) return;
  await sql.each(ADD, rows);
  const ended = rows.filter(({ message: { reason } }) => reason !== null && WITH_RULE.has(reason));
  if (ended.length > 0) await sql.each(KEEP_LABELS, ended);
}

const WITH_RULE: ReadonlySet<string> = new Set(Object.values(RULE_ENDS));

function rowOf(watch: WatchId, transition: Transition, at: Instant) {
  const { message, told, labels, notify } = transition;
  const { key, episode, seq, alert, summary } = message;
  const place = { id: idOf(key, episode, seq), key, episode, seq, watch, alert, transition: transitionOf(message) };
  const row = { ...place, labels, notify, summary: summary?.keys ?? null, told: told ?? null, at };
  // The message says that it has no details until they are there. So it is complete whenever it is routed.
  return awaitsDetails(transition)
    ? {
        ...row,
        message: withDetails(message, [noDetails(NONE_IN_TIME)]),
        detailsUntil: at + detailsWaitMs(message.severity),
      }
    : { ...row, message, detailsUntil: null };
}

const ADD_DETAILS = list(
  { ...columns('text', 'id'), ...columns('json', 'message') },
  (row) => `
    UPDATE notifications SET message = ${row.message}, details_until = NULL ${row.from}
    WHERE notifications.id = ${row.id} AND routed = 0 AND details_until IS NOT NULL`,
);

/** A message that was routed meanwhile stays as it is: tries of one delivery must not differ. */
export async function addDetails(sql: Sql, messages: readonly Message[]): Promise<void> {
  await sql.each(
    ADD_DETAILS,
    messages.map((message) => ({ id: idOf(message.key, message.episode, message.seq), message })),
  );
}

/** A summary is an event, unless its members have ended. */
function transitionOf(message: Message): TransitionName {
  const name = nameOfTransition(message);
  return message.summary === null || name === 'resolved' || name === 'retracted' ? name : 'event';
}

/** Keys of the alerts in a summary, from the column `summary`. */
export function summaryKeysIn(text: unknown): string[] {
  const keys = jsonOrNull(text);
  return Array.isArray(keys) ? keys.map(String) : [];
}

/** The number of the newest notification; 0: there is none. */
export async function newestNotification(sql: Sql): Promise<number> {
  return Number((await sql.first('SELECT coalesce(max(number), 0) AS newest FROM notifications'))?.['newest']);
}

// Only messages of summaries are read: they contain the transition of the members.
export const AS_ROUTED = `
  SELECT number, key, episode, seq, watch, alert, transition, labels, notify, summary, at, told,
    CASE WHEN summary IS NOT NULL THEN message END AS message
  FROM notifications`;
// If the clock was set back, no transition waits longer than it would have.
const WAITING = `routed = 0 AND details_until > $1::bigint AND details_until <= $1::bigint + ${LONGEST_DETAILS_MS}`;
const AWAITING = `SELECT key FROM notifications WHERE ${WAITING}`;
const UNROUTED = `${AS_ROUTED} WHERE routed = 0
  AND (details_until IS NULL OR details_until <= $1::bigint OR details_until > $1::bigint + ${LONGEST_DETAILS_MS})
  ORDER BY number LIMIT $2 + 0`;
/**
 * The oldest notifications without chosen targets that wait for no details. A later one about the same alert waits for
 * the next round, and one about an alert that waits for details waits as long.
 */
export async function unrouted(sql: Sql, limit: number, at: Instant): Promise<Unrouted[]> {
  const waiting = (await sql.all(AWAITING, [at])).map((row) => text(row, 'key'));
  return untilRepeated(await sql.all(UNROUTED, [at, limit]), new Set(waiting));
}

/**
 * The rows before the first one about an alert that an earlier row is about, since its decision depends on the round of
 * the earlier row. Rows about alerts that wait are left out.
 */
function untilRepeated(rows: readonly Row[], waiting: Set<string>): Unrouted[] {
  const keys = new Set<string>();
  const all: Unrouted[] = [];
  for (const row of rows) {
    const next = unroutedOf(row);
    const about = [next.key, ...next.members];
    if (about.some((key) => waiting.has(key))) {
      for (const key of about) waiting.add(key);
      continue;
    }
    if (about.some((key) => keys.has(key))) break;
    for (const key of about) keys.add(key);
    all.push(next);
  }
  return all;
}

const unroutedShape = z.object({
  transition: z.enum(TRANSITIONS),
  of: z.enum(TRANSITIONS.map((name) => `alert.${name}` as const)).nullable(),
  labels: z.record(z.string(), z.string()).and(z.object({ severity: z.enum(SEVERITIES) })),
  notify: z.array(z.string()),
  members: z.array(z.string()),
});

/** Reads a row of `AS_ROUTED`. A damaged row has the reason in `damage`, and no channels. */
export function unroutedOf(row: Row): Unrouted {
  const place = { ...ints(row, 'number', 'episode', 'seq', 'at'), ...texts(row, 'key', 'watch', 'alert') };
  const { data, error } = unroutedShape.safeParse({
    transition: row['transition'],
    of: summarizedIn(row['message']),
    labels: jsonOrNull(row['labels']),
    notify: jsonOrNull(row['notify']),
    members: row['summary'] === null ? [] : jsonOrNull(row['summary']),
  });
  if (data === undefined) {
    const damage = `notification ${place.number} of watch ${place.watch}: ${z.prettifyError(error)}`;
    return {
      ...place,
      transition: 'event',
      severity: 'warning',
      labels: {},
      notify: [],
      members: [],
      told: [],
      damage,
    };
  }
  const { transition, of, labels, notify, members } = data;
  return {
    ...place,
    transition: of === null ? transition : transitionOfType(of),
    severity: labels.severity,
    labels,
    notify,
    members,
    told: toldIn(row['told']),
    damage: null,
  };
}

const toldShape: z.ZodType<readonly ToldUnrecorded[]> = z.array(
  z.object({
    channel: z.string(),
    recipient: z.string(),
    at: z.number(),
    outcome: z.discriminatedUnion('type', [
      z.object({ type: z.literal('sent'), answer: z.string(), receipt: z.string().exactOptional() }),
      z.object({ type: z.literal('unknown'), why: z.string() }),
    ]),
  }),
);

/** If it is damaged, the recipients are sent the transition again. */
function toldIn(text: unknown): readonly ToldUnrecorded[] {
  return toldShape.safeParse(jsonOrNull(text)).data ?? [];
}

/** The transition of a summary's members, from its message. */
function summarizedIn(text: unknown): unknown {
  return fieldIn(fieldIn(jsonOrNull(text), 'summary'), 'of');
}

function fieldIn(value: unknown, name: string): unknown {
  return isRow(value) ? (value[name] ?? null) : null;
}

export function transitionOfType(type: unknown): TransitionName {
  return TRANSITIONS.find((name) => type === `alert.${name}`) ?? 'event';
}

const MARK_ROUTED = (d: SqlDialect): string =>
  `UPDATE notifications SET routed = 1 WHERE ${d.among('number', '$1', 'int')} AND routed = 0`;

/** False: one of the notifications was routed already. */
export async function markRouted(sql: Sql, numbers: readonly number[]): Promise<boolean> {
  return (await sql.run(MARK_ROUTED, [numbers])) === numbers.length;
}

const ROUTE_AGAIN = (d: SqlDialect): string =>
  `UPDATE notifications SET routed = 0 WHERE ${d.among('number', '$1', 'int')}`;

export async function routeAgain(sql: Sql, numbers: readonly number[]): Promise<void> {
  if (numbers.length > 0) await sql.run(ROUTE_AGAIN, [numbers]);
}

const COUNTS = `
  SELECT watch, alert, count(*) AS count,
    max(CASE WHEN transition IN ('event', 'firing', 'reinstated') THEN at END) AS fired_at
  FROM notifications WHERE at >= $1 GROUP BY watch, alert`;

/** The number of transitions of each alert that were decided from `since` on. */
export async function notificationCounts(sql: Sql, since: Instant): Promise<NotificationCount[]> {
  const rows = await sql.all(COUNTS, [since]);
  return rows.map((row) => ({
    ...texts(row, 'watch', 'alert'),
    count: int(row, 'count'),
    firedAt: intOrNull(row, 'fired_at'),
  }));
}
