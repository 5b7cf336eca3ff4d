// The open summaries of channels that have too much to get rid of.
import { MOST_UNSETTLED } from '../../../core/alerts/overflow.ts';
import { idOf } from '../../../core/model/watch/identity.ts';
import type { Message } from '../../../core/model/delivery.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Fresh } from '../../rows/fresh-delivery.ts';
import {
  alikeOf,
  fold,
  singleNewsOf,
  singleOf,
  type Folded,
  type FoldPlace,
  type OpenSummary,
} from '../../overflow.ts';
import { messageOf } from '../../rows/message-rows.ts';
import type { Sql } from '../sql.ts';

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

async function overflowingOf(sql: Sql, channels: readonly string[]): Promise<Set<string>> {
  const rows = await sql.all(
    `SELECT channel FROM unnest($1::text[]) AS asked (channel)
    WHERE (SELECT count(*) FROM (
      SELECT FROM deliveries AS mine WHERE mine.channel = asked.channel AND state IN ('due', 'sending')
      LIMIT ${MOST_UNSETTLED}) AS owed) >= ${MOST_UNSETTLED}`,
    [channels],
  );
  return new Set(rows.map(({ channel }) => String(channel)));
}

/** By the number of the notification. */
async function messagesOf(sql: Sql, fresh: readonly Fresh[]): Promise<Map<number | null, Message | null>> {
  const numbers = fresh.flatMap((one) => singleNewsOf(one) ?? []);
  const rows = await sql.all('SELECT number, message FROM notifications WHERE number = ANY($1::bigint[])', [numbers]);
  return new Map(rows.map((row) => [Number(row['number']), messageOf(row)]));
}

/** None that was tried, nor is claimed before the end of the transaction: the same delivery gives the same bytes on every try. */
async function findOpen(sql: Sql, { channel, recipient, folds }: FoldPlace, at: Instant): Promise<OpenSummary | null> {
  const row = await sql.first(
    `SELECT mine.id, notification.number, notification.message FROM deliveries AS mine
      JOIN group_member AS member ON member.delivery = mine.number
      JOIN notifications AS notification ON notification.number = member.notification
    WHERE channel = $1 AND recipient = $2 AND folds = $3 AND folds IS NOT NULL AND state = 'due' AND attempt = 0
      AND due_at > $4
    ORDER BY mine.number DESC LIMIT 1 FOR UPDATE OF mine`,
    [channel, recipient, folds, at],
  );
  const message = row === undefined ? null : messageOf(row);
  if (row === undefined || message === null) return null;
  return { id: String(row['id']), notification: Number(row['number']), message };
}

async function rewrite(sql: Sql, notification: number, message: Message): Promise<void> {
  await sql.run('UPDATE notifications SET message = $2 WHERE number = $1', [notification, JSON.stringify(message)]);
}

async function begin(sql: Sql, { fresh, message, like }: Folded['begun'][number], at: Instant): Promise<Fresh> {
  const { key } = message;
  const row = await sql.first(
    `INSERT INTO notifications (id, key, episode, seq, watch, alert, transition, labels, notify, message, at, routed)
    SELECT $1, $2, 1, 1, watch, alert, 'event', labels, '[]', $3, $4::bigint, true FROM notifications WHERE number = $5
    RETURNING number`,
    [idOf(key, 1, 1), key, JSON.stringify(message), at, like],
  );
  const notification = row === undefined ? null : Number(row['number']);
  return { ...fresh, members: fresh.members.map((one) => ({ ...one, notification })) };
}
