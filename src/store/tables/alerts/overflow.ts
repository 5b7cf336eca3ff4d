// The open summaries of channels that have too much to get rid of.
import { MOST_UNSETTLED } from '../../../core/alerts/overflow.ts';
import type { Message } from '../../../core/model/delivery.ts';
import { idOf } from '../../../core/model/watch/identity.ts';
import type { Instant } from '../../../lib/clock.ts';
import {
  alikeOf,
  fold,
  singleNewsOf,
  singleOf,
  type Folded,
  type FoldPlace,
  type OpenSummary,
} from '../../overflow.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, text } from '../../sql/rows.ts';
import { list, type Sql } from '../../sql/sql.ts';
import type { Fresh } from '../deliveries/fresh-deliveries.ts';
import { messageOf } from '../deliveries/stored-messages.ts';
import { summaryText } from './notifications.ts';

/** What is to be inserted in the place of these. What open summaries take in is written at once. */
export async function foldOverflow(sql: Sql, fresh: readonly Fresh[], at: Instant): Promise<Fresh[]> {
  const overflowing = await overflowingOf(sql, [...new Set(fresh.map(({ channel }) => channel))]);
  if (overflowing.size === 0) return [...fresh];
  const candidates = fresh.filter(({ channel }) => overflowing.has(channel));
  const messages = await messagesOf(sql, candidates);
  const singles = candidates.flatMap((one) => singleOf(one, messages.get(singleNewsOf(one)) ?? null));
  const folded = new Set(singles.map((single) => single.fresh));
  const begun: Fresh[] = [];
  for (const { place, singles: some } of alikeOf(singles)) {
    const end = fold(some, await findOpen(sql, place, at), at);
    for (const { notification, message } of end.rewritten) await rewrite(sql, notification, message);
    for (const one of end.begun) begun.push(await begin(sql, one, at));
  }
  return [...fresh.filter((one) => !folded.has(one)), ...begun];
}

const OVERFLOWING = list(
  { channel: 'text' },
  (row) => `
    SELECT ${row.channel} AS channel ${row.from}
    WHERE (SELECT count(*) FROM (
      SELECT 1 FROM deliveries AS mine WHERE mine.channel = ${row.channel} AND state IN ('due', 'sending')
      LIMIT ${MOST_UNSETTLED}) AS owed) >= ${MOST_UNSETTLED}`,
);

async function overflowingOf(sql: Sql, channels: readonly string[]): Promise<Set<string>> {
  const rows = await sql.allOf(
    OVERFLOWING,
    channels.map((channel) => ({ channel })),
  );
  return new Set(rows.map((row) => text(row, 'channel')));
}

const MESSAGES = (d: SqlDialect): string =>
  `SELECT number, message FROM notifications WHERE ${d.among('number', '$1', 'int')}`;

/** By the number of the notification. */
async function messagesOf(sql: Sql, fresh: readonly Fresh[]): Promise<Map<number | null, Message | null>> {
  const numbers = fresh.flatMap((one) => singleNewsOf(one) ?? []);
  return new Map((await sql.all(MESSAGES, [numbers])).map((row) => [int(row, 'number'), messageOf(row)]));
}

const FIND_OPEN = (d: SqlDialect): string => `
  SELECT mine.id, notification.number, notification.message FROM deliveries AS mine
    JOIN group_member AS member ON member.delivery = mine.number
    JOIN notifications AS notification ON notification.number = member.notification
  WHERE channel = $1 AND recipient = $2 AND folds = $3 AND folds IS NOT NULL AND state = 'due' AND attempt = 0
    AND due_at > $4
  ORDER BY mine.number DESC LIMIT 1 ${d.forUpdate('mine')}`;

/** None that was tried, nor is claimed before the end of the transaction: the same delivery gives the same bytes on every try. */
async function findOpen(sql: Sql, { channel, recipient, folds }: FoldPlace, at: Instant): Promise<OpenSummary | null> {
  const row = await sql.first(FIND_OPEN, [channel, recipient, folds, at]);
  const message = row === undefined ? null : messageOf(row);
  if (row === undefined || message === null) return null;
  return { id: text(row, 'id'), notification: int(row, 'number'), message };
}

const REWRITE = 'UPDATE notifications SET message = $2, summary = $3 WHERE number = $1';

async function rewrite(sql: Sql, notification: number, message: Message): Promise<void> {
  await sql.run(REWRITE, [notification, JSON.stringify(message), summaryText(message)]);
}

const BEGIN = `
  INSERT INTO notifications
    (id, key, episode, seq, watch, alert, transition, labels, notify, message, summary, at, routed)
  SELECT $1::text, $2::text, 1, 1, watch, alert, 'event', labels, '[]', $3::text, $4::text, $5::bigint, 1
  FROM notifications WHERE number = $6 RETURNING number`;

async function begin(sql: Sql, { fresh, message, like }: Folded['begun'][number], at: Instant): Promise<Fresh> {
  const { key } = message;
  const values = [idOf(key, 1, 1), key, JSON.stringify(message), summaryText(message), at, like];
  const row = await sql.first(BEGIN, values);
  const notification = row === undefined ? null : int(row, 'number');
  return { ...fresh, members: fresh.members.map((one) => ({ ...one, notification })) };
}
