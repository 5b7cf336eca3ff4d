// If a channel has too many unsettled messages, events are added to summaries, which stay open for a while.
import {
  fold,
  foldKeyOf,
  isFoldable,
  MOST_UNSETTLED,
  OPEN_MS,
  type Folded,
  type SingleDelivery,
} from '../../../core/alerts/overflow.ts';
import type { Recipient } from '../../../core/model/ids.ts';
import { idOf } from '../../../core/model/watch/identity.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, text, type Row } from '../../sql/rows.ts';
import { list, type Sql } from '../../sql/sql.ts';
import { joinStates, markFolded } from './recipient-states.ts';
import { type Fresh, isOwed, messageOf, onlyMember } from '../deliveries/delivery-rows.ts';

/** A delivery of one transition, with the number of its notification. */
interface Single extends SingleDelivery {
  readonly fresh: Fresh;
  readonly notification: number;
}

/** Returns the deliveries to insert in place of these. Events for open summaries are written at once. */
export async function foldOverflow(sql: Sql, fresh: readonly Fresh[], at: Instant): Promise<Fresh[]> {
  const overflowing = await overflowingOf(sql, [...new Set(fresh.map(({ channel }) => channel))]);
  if (overflowing.size === 0) return [...fresh];
  const candidates = fresh.filter(({ channel }) => overflowing.has(channel));
  const singles = await singlesAmong(sql, candidates);
  const folded = new Set(singles.map((single) => single.fresh));
  const alike = Map.groupBy(singles, (one) => JSON.stringify([one.channel, one.recipient, foldKeyOf(one)]));
  const begun: Fresh[] = [];
  for (const some of alike.values()) begun.push(...(await foldAlike(sql, some, at)));
  return [...fresh.filter((one) => !folded.has(one)), ...begun];
}

const OVERFLOWING = list(
  { channel: 'text' },
  (row, d) => `
    SELECT ${row.channel} AS channel ${row.from}
    WHERE (SELECT count(*) FROM (
      SELECT 1 FROM deliveries AS mine WHERE mine.channel = ${row.channel} AND ${isOwed(d)}
      LIMIT ${MOST_UNSETTLED}) AS owed) >= ${MOST_UNSETTLED}`,
);

async function overflowingOf(sql: Sql, channels: readonly string[]): Promise<Set<string>> {
  const asked = channels.map((channel) => ({ channel }));
  const rows = await sql.allOf(OVERFLOWING, asked);
  return new Set(rows.map((row) => text(row, 'channel')));
}

const MESSAGES = (d: SqlDialect): string =>
  `SELECT number, message FROM notifications WHERE ${d.among('number', '$1', 'int')}`;

/** Leaves out deliveries with several members, and unreadable ones, which are given up later like every damaged row. */
async function singlesAmong(sql: Sql, fresh: readonly Fresh[]): Promise<Single[]> {
  const numbers = fresh.flatMap((one) => singleNewsOf(one) ?? []);
  const rows = await sql.all(MESSAGES, [numbers]);
  const messages = new Map(rows.map((row) => [int(row, 'number'), messageOf(row)]));
  return fresh.flatMap((one) => {
    const notification = singleNewsOf(one);
    const message = notification === null ? null : (messages.get(notification) ?? null);
    if (notification === null || message === null) return [];
    const { id, channel, recipient } = one;
    const single = { id, channel, recipient, message, fresh: one, notification };
    return isFoldable(single) ? [single] : [];
  });
}

/** The number of the notification, if the delivery has one new transition and nothing else; else null. */
function singleNewsOf({ kind, members }: Fresh): number | null {
  const [first] = members;
  const isAlone = kind === 'news' && members.length === 1 && first?.as === 'news';
  return isAlone ? first.notification : null;
}

/** Resolves with the new summaries. */
async function foldAlike(sql: Sql, singles: readonly Single[], at: Instant): Promise<Fresh[]> {
  const [first] = singles;
  const found = first === undefined ? undefined : await findOpen(sql, first, foldKeyOf(first), at);
  const { open, begun } = fold(singles, found === undefined ? null : messageOf(found), at);
  const folded = singles.map(({ message: { key, seq }, channel, recipient }) => ({ key, seq, channel, recipient }));
  await markFolded(sql, folded);
  if (found !== undefined && open !== null)
    await sql.each(REWRITE, [{ number: int(found, 'number'), message: open, summary: open.summary?.keys ?? null }]);
  const fresh: Fresh[] = [];
  for (const one of begun) fresh.push(await begin(sql, one, at));
  return fresh;
}

const FIND_OPEN = (d: SqlDialect): string => `
  SELECT notification.number, notification.message FROM deliveries AS mine
    JOIN group_member AS member ON member.delivery = mine.number
    JOIN notifications AS notification ON notification.number = member.notification
  WHERE channel = $1 AND recipient = $2 AND folds = $3 AND folds IS NOT NULL AND state = 'due' AND attempt = 0
    AND due_at > $4
  ORDER BY mine.number DESC LIMIT 1 ${d.forUpdate('mine')}`;

/**
 * Finds an open summary that was never tried, since a delivery must have the same bytes at every try. It is locked, so
 * no sender claims it before the end of the transaction.
 */
function findOpen(sql: Sql, to: Recipient, folds: string, at: Instant): Promise<Row | undefined> {
  return sql.first(FIND_OPEN, [to.channel, to.recipient, folds, at]);
}

const REWRITE = list(
  { number: 'int', message: 'json', summary: 'json?' },
  (row) => `
    UPDATE notifications SET message = ${row.message}, summary = ${row.summary}
    ${row.from} WHERE notifications.number = ${row.number}`,
);

const BEGIN = list(
  { id: 'text', key: 'text', message: 'json', summary: 'json?', at: 'int', first: 'int' },
  (row) => `
    INSERT INTO notifications
      (id, key, episode, seq, watch, alert, transition, labels, notify, message, summary, at, routed)
    SELECT ${row.id}, ${row.key}, 1, 1, n.watch, n.alert,
      CASE WHEN n.transition = 'retracted' THEN n.transition ELSE 'event' END, n.labels, '[]', ${row.message}, ${row.summary}, ${row.at}, 1
    FROM notifications AS n ${row.also} WHERE n.number = ${row.first} RETURNING number`,
);

/** Makes a summary. Its notification has the watch, the alert and the labels of the first event. */
async function begin(sql: Sql, { first, summary }: Folded<Single>['begun'][number], at: Instant): Promise<Fresh> {
  const { id, message, channel, recipient } = summary;
  const { key } = message;
  const notification = { id: idOf(key, 1, 1), key, message, summary: message.summary?.keys ?? null, at };
  const [row] = await sql.allOf(BEGIN, [{ ...notification, first: first.notification }]);
  const begun = message.summary?.of === 'alert.retracted' ? null : 1;
  await joinStates(sql, [{ key, channel, recipient, begun, maybeNotified: 0 }], at);
  const members = [onlyMember(key, 1, row === undefined ? null : int(row, 'number'))];
  return { ...first.fresh, id, members, folds: foldKeyOf(summary), dueAt: at + OPEN_MS };
}
