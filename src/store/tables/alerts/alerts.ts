// Open alerts, and those that need an answer.
import { z } from 'zod';
import { RANK_OF } from '../../../core/model/delivery.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { GroupTimer, InhibitionSource, Key } from '../../../dispatch/model.ts';
import type { ActiveAlert } from '../../../dispatch/reroute.ts';
import type { CalledAlert, CallState } from '../../../dispatch/rounds/call-round.ts';
import type { DueGroup } from '../../../dispatch/rounds/due-round.ts';
import type { GroupPlace, Turned } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { earlier, later, type SqlDialect } from '../../sql/dialect.ts';
import { ints, intsOrNull, jsonOrNull, type Row, texts } from '../../sql/rows.ts';
import { columns, list, type Sql } from '../../sql/sql.ts';
import { labelsOf } from './notifications.ts';
import { moved, notAfter } from './moved-clock.ts';
import { IS_ACTIVE, knownOf } from './recipient-states.ts';

const ifOpen = (column: string, otherwise: string): string =>
  `${column} = CASE WHEN alerts.is_open = 1 THEN alerts.${column} ELSE ${otherwise} END`;

/** The escalation steps start with an episode, and again when its severity rises above all former ones. */
const ofRun = (column: string, opened: string, raised: string): string => `${column} = CASE
  WHEN alerts.is_open = 0 THEN ${opened} WHEN excluded.highest < alerts.highest THEN ${raised} ELSE alerts.${column} END`;

const OPEN = list(
  {
    ...columns('text', 'key', 'watch', 'alert'),
    ...columns('int', 'seq', 'episode', 'at', 'opened_at', 'highest'),
    ...columns('bool', 'is_event', 'needs_ack'),
    labels: 'json',
  },
  (row) => `
    INSERT INTO alerts
      (key, newest, episode, is_open, began, at, watch, alert, labels, is_event, opened_at, highest, needs_ack)
    SELECT ${row.key}, ${row.seq}, ${row.episode}, 1, ${row.seq}, ${row.at}, ${row.watch}, ${row.alert},
      ${row.labels}, ${row.is_event}, ${row.opened_at}, ${row.highest}, ${row.needs_ack}
    ${row.from} WHERE true
    ON CONFLICT (key) DO UPDATE SET
      ${ifOpen('began', 'excluded.began')}, ${ifOpen('opened_at', 'excluded.opened_at')},
      ${ifOpen('first_closed_at', 'NULL')}, ${ifOpen('needs_ack', 'excluded.needs_ack')}, ${ofRun('calls', "'{}'", "'{}'")},
      ${ofRun('called_from', 'NULL', 'excluded.at')}, ${ofRun('answered', 'NULL', 'NULL')},
      ${ofRun('failed_over', '0', '0')}, ${ofRun('highest', 'excluded.highest', 'excluded.highest')},
      due_at = CASE WHEN alerts.is_open = 1 THEN excluded.at END,
      newest = excluded.newest, episode = excluded.episode, is_open = 1, at = excluded.at,
      watch = excluded.watch, alert = excluded.alert, labels = excluded.labels, is_event = excluded.is_event`,
);

const CLOSE = list(
  { key: 'text', seq: 'int', at: 'int' },
  (row) => `
    UPDATE alerts SET newest = ${later('alerts.newest', row.seq)}, is_open = 0, at = ${row.at}, due_at = NULL
    ${row.from} WHERE alerts.key = ${row.key}`,
);

/**
 * Opens and closes alerts. No two of `turned` may be about the same alert. The acknowledgement of a former episode does
 * not apply to a new one.
 */
export async function turnAlerts(sql: Sql, turned: readonly Turned[], at: Instant): Promise<void> {
  const opened = turned.flatMap((one) => {
    if (one.type === 'closed') return [];
    const { notification, isEvent, needsAck } = one;
    const place = { at, openedAt: notification.at, highest: RANK_OF[notification.severity] };
    return [{ ...notification, ...place, isEvent, needsAck }];
  });
  const closed = turned.filter(({ type }) => type === 'closed').map(({ notification }) => ({ ...notification, at }));
  await sql.each(OPEN, opened);
  await sql.each(CLOSE, closed);
}

const CONDITIONS = 'SELECT key, watch, labels, opened_at FROM alerts WHERE is_open = 1 AND is_event = 0 ORDER BY key';

/** Conditions that fire: they may inhibit other alerts. */
export async function openConditions(sql: Sql): Promise<InhibitionSource[]> {
  return (await sql.all(CONDITIONS)).flatMap((row) => {
    const labels = labelsOf(row['labels'])?.labels;
    return labels === undefined ? [] : [{ ...texts(row, 'key', 'watch'), labels, openedAt: Number(row['opened_at']) }];
  });
}

/**
 * `isAnswered`: true if the alert needs an answer. It is then decided next whether further recipients have to be
 * called.
 */
export interface ToldAlert {
  readonly key: Key;
  /** The newest transition in the message. */
  readonly seq: number;
  readonly isAnswered: boolean;
}

const MARK_TOLD = list(
  { key: 'text', seq: 'int', is_answered: 'bool', told_at: 'int' },
  (row) => `
    UPDATE alerts SET
      first_closed_at = ${row.told_at},
      due_at = CASE WHEN ${row.is_answered} = 1 THEN ${row.told_at} ELSE alerts.due_at END
    ${row.from} WHERE alerts.key = ${row.key} AND alerts.began <= ${row.seq} AND is_open = 1 AND first_closed_at IS NULL`,
);

/**
 * Stores when an alert was first put into a message on a channel where people can answer. A late end of a former
 * episode does not count.
 */
export async function markTold(sql: Sql, told: readonly ToldAlert[], at: Instant): Promise<void> {
  const rows = told.map((one) => ({ ...one, toldAt: at }));
  await sql.each(MARK_TOLD, rows);
}

const DUE = (d: SqlDialect): string => `
  SELECT alerts.*, CASE WHEN EXISTS (
      SELECT 1 FROM recipient_state AS state
      WHERE state.key = alerts.key AND state.notified >= alerts.began AND NOT ${d.among('state.channel', '$3', 'text')}
    ) THEN 1 ELSE 0 END AS is_accepted,
    acks.at AS acked_at, acks.ends_at AS ack_ends_at
  FROM alerts LEFT JOIN acks ON acks.key = alerts.key AND acks.episode = alerts.episode
  WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at, alerts.key LIMIT $2 + 0`;

/** `uncounted`: channels on which nobody can answer. */
export async function dueAlerts(
  sql: Sql,
  at: Instant,
  limit: number,
  uncounted: readonly string[],
): Promise<CalledAlert[]> {
  const alerts = (await sql.all(DUE, [at, limit, uncounted])).flatMap((row) => calledOf(row) ?? []);
  const keys = alerts.map(({ key }) => key);
  const known = Map.groupBy(await knownOf(sql, keys), ({ key }) => key);
  return alerts.map((alert) => ({ ...alert, known: known.get(alert.key) ?? [] }));
}

const answeredShape = z.object({ by: z.string(), at: z.number(), until: z.number() });
const callsShape = z.record(z.string(), z.number());

/** An open alert that needs an answer, without the states of its targets; null: damaged. */
function calledOf(row: Row): Omit<CalledAlert, 'known'> | null {
  const described = labelsOf(row['labels']);
  if (described === null) return null;
  return {
    ...described,
    ...texts(row, 'key', 'watch', 'alert'),
    ...ints(row, 'episode', 'began', 'newest', 'opened_at'),
    ...intsOrNull(row, 'first_closed_at', 'called_from', 'acked_at', 'ack_ends_at'),
    isEvent: row['is_event'] === 1,
    needsAck: row['needs_ack'] === 1,
    isAccepted: row['is_accepted'] === 1,
    answered: answeredShape.safeParse(jsonOrNull(row['answered'])).data ?? null,
    calls: callsShape.safeParse(jsonOrNull(row['calls'])).data ?? {},
    hasFailedOver: row['failed_over'] === 1,
  };
}

const KEEP_CALL = list(
  {
    ...columns('bool', 'has_failed_over', 'is_open'),
    ...columns('int?', 'called_from', 'ask_at'),
    key: 'text',
    calls: 'json',
    answered: 'json?',
    at: 'int',
  },
  (row) => `
    UPDATE alerts SET
      calls = ${row.calls}, called_from = ${row.called_from}, answered = ${row.answered},
      failed_over = ${row.has_failed_over}, is_open = ${row.is_open}, due_at = ${row.ask_at}, at = ${later('alerts.at', row.at)}
    ${row.from} WHERE alerts.key = ${row.key}`,
);

export async function keepCalls(sql: Sql, states: readonly CallState[], at: Instant): Promise<void> {
  const rows = states.map((state) => ({ ...state, at }));
  await sql.each(KEEP_CALL, rows);
}

/** Makes open alerts due: it is decided again whether further recipients have to be called. */
export async function askAgain(sql: Sql, at: Instant): Promise<void> {
  await sql.run('UPDATE alerts SET due_at = $1 WHERE is_open = 1', [at]);
}

const RELABEL = list(
  { key: 'text', labels: 'json' },
  (row) => `UPDATE alerts SET labels = ${row.labels} ${row.from} WHERE alerts.key = ${row.key} AND is_open = 1`,
);

/** Stores the labels that the rule in force gives to open alerts. */
export async function relabelAlerts(sql: Sql, some: readonly Pick<ActiveAlert, 'key' | 'labels'>[]): Promise<void> {
  await sql.each(RELABEL, some);
}

const MOVE = `
  UPDATE alerts SET
    first_closed_at = ${moved('first_closed_at')}, called_from = ${moved('called_from')}, opened_at = ${moved('opened_at')},
    due_at = $2::bigint
  WHERE is_open = 1`;

export async function moveAlerts(sql: Sql, { byMs, now }: ClockShift): Promise<void> {
  await sql.run(MOVE, [byMs, now]);
}

// Groups: alerts that are sent to one target together, with the time of the next decision.
//
//   due_at   when the group is decided: now for new transitions, else `wake_at`
//   wake_at  when decided members are to be decided again
//   news     the number of its oldest undecided notification: the oldest is sent first

/**
 * A group with a new transition or another change. `notification`: the number of the transition; null: another change.
 */
interface WokenGroup {
  readonly group: GroupPlace;
  readonly notification: number | null;
}

const WAKE = list(
  { id: 'text', channel: 'text', recipient: 'text', labels: 'json', due_at: 'int', news: 'int?' },
  (row) => `
    INSERT INTO dispatch_group AS old (id, channel, recipient, labels, due_at, news)
    SELECT ${row.id}, ${row.channel}, ${row.recipient}, ${row.labels}, ${row.due_at}, ${row.news}
    ${row.from} WHERE true
    ON CONFLICT (id) DO UPDATE SET
      due_at = ${earlier('excluded.due_at', 'old.due_at')}, news = coalesce(old.news, excluded.news),
      version = old.version + 1`,
);

/** Makes these groups due. */
export async function wake(sql: Sql, woken: readonly WokenGroup[], at: Instant): Promise<void> {
  const rows = [...Map.groupBy(woken, ({ group }) => group.id).values()].flatMap((some) => {
    const news = some.find(({ notification }) => notification !== null)?.notification ?? null;
    return some.slice(0, 1).map(({ group: { target, ...group } }) => ({ ...group, ...target, dueAt: at, news }));
  });
  await sql.each(WAKE, rows);
}

const wakeThose = (which: string): string => `
  UPDATE dispatch_group SET due_at = $1, wake_at = $1, version = version + 1
  WHERE id IN (SELECT group_id FROM recipient_state WHERE (${IS_ACTIVE}) AND ${which})`;
const WAKE_HOLDING = wakeThose('held IS NOT NULL');
// The row of a group may have been removed while no member waited, so it is inserted again.
const WAKE_MEMBERS = `
  INSERT INTO dispatch_group AS old (id, channel, recipient, labels, due_at, wake_at)
  SELECT DISTINCT state.group_id, state.channel, state.recipient, '{}', $2::bigint, $2::bigint
  FROM deliveries AS mine JOIN group_member AS member ON member.delivery = mine.number
  JOIN recipient_state AS state
    ON state.key = member.key AND state.channel = mine.channel AND state.recipient = mine.recipient
  WHERE mine.number = $1 AND state.group_id IS NOT NULL AND (state.begun IS NOT NULL OR state.wanted > state.closed)
  ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, wake_at = excluded.wake_at, version = old.version + 1`;
const WAKE_HELD_BY = (d: SqlDialect): string => wakeThose(d.among(d.jsonText('held', 'by'), '$2', 'text'));

/** Groups with alerts that are held back are decided again. */
export async function wakeHolding(sql: Sql, at: Instant): Promise<void> {
  await sql.run(WAKE_HOLDING, [at]);
}

/** Groups of alerts in a delivery that are open or have pending transitions are decided again. */
export async function wakeMembers(sql: Sql, delivery: number, at: Instant): Promise<void> {
  await sql.run(WAKE_MEMBERS, [delivery, at]);
}

/** Groups with alerts that were held back by these ended alerts are decided again. */
export async function wakeHeldBy(sql: Sql, keys: readonly Key[], at: Instant): Promise<void> {
  if (keys.length > 0) await sql.run(WAKE_HELD_BY, [at, keys]);
}

/** `isKept`: false if the group is removed when no member waits. */
interface DecidedGroup {
  readonly group: DueGroup;
  readonly timer: GroupTimer;
  readonly isKept: boolean;
}

const DROP_GROUP = list(
  { id: 'text', version: 'int' },
  (row) => `DELETE FROM dispatch_group AS old ${row.using} WHERE old.id = ${row.id} AND old.version = ${row.version}`,
);
const KEEP_GROUP = list(
  { id: 'text', version: 'int', closed_at: 'int?', wake_at: 'int?' },
  (row) => `
    UPDATE dispatch_group AS old SET
      closed_at = ${row.closed_at}, due_at = ${row.wake_at}, wake_at = ${row.wake_at}, news = NULL,
      version = old.version + 1
    ${row.from} WHERE old.id = ${row.id} AND old.version = ${row.version}`,
);

/** False: one of the groups has changed since it was read. */
export async function keepGroups(sql: Sql, groups: readonly DecidedGroup[]): Promise<boolean> {
  const goes = ({ timer, isKept }: DecidedGroup): boolean => timer.wakeAt === null && !isKept;
  const gone = groups.filter(goes).map(({ group }) => group);
  const kept = groups.filter((one) => !goes(one)).map(({ group, timer }) => ({ ...group, ...timer }));
  return (await sql.each(DROP_GROUP, gone)) + (await sql.each(KEEP_GROUP, kept)) === groups.length;
}

const AS_READ = list(
  { id: 'text', version: 'int' },
  (row) => `
    SELECT 1 AS same FROM dispatch_group AS old ${row.also} WHERE old.id = ${row.id} AND old.version = ${row.version}`,
);

/** False: one of the groups has changed since it was read. */
export async function areAsRead(sql: Sql, groups: readonly DueGroup[]): Promise<boolean> {
  const same = await sql.allOf(AS_READ, groups);
  return same.length === groups.length;
}

const MOVE_GROUPS = `
  UPDATE dispatch_group SET closed_at = ${notAfter('closed_at', '$1')}, due_at = $1::bigint, wake_at = $1::bigint,
    version = version + 1
  WHERE due_at IS NOT NULL OR closed_at > $1::bigint`;

/** All waiting members are decided again. */
export async function moveGroups(sql: Sql, { now }: ClockShift): Promise<void> {
  await sql.run(MOVE_GROUPS, [now]);
}
