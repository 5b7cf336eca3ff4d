import { isRow } from '../../../core/values/fields.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import type { Transition } from '../../../core/model/transition.ts';
import type { Unrouted } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { notificationOf, untilRepeated } from '../../rows/notification-rows.ts';
import { jsonOrNull, type Row } from '../../rows/rows.ts';
import { columns, type Sql } from '../sql.ts';
import { IS_ACTIVE } from './states-table.ts';

/** What a poll of a watch decided. */
export interface OfWatch {
  readonly watch: WatchId;
  readonly transitions: readonly Transition[];
}

/** One that is there already is left as it is. */
export async function addNotifications(sql: Sql, of: readonly OfWatch[], at: Instant): Promise<void> {
  const rows = of.flatMap(({ watch, transitions }) =>
    transitions.map((transition) => ({ watch, ...notificationOf(transition) })),
  );
  if (rows.length === 0) return;
  await sql.run(
    `INSERT INTO notifications (id, key, episode, seq, watch, alert, transition, labels, notify, message, at)
    SELECT id, key, episode, seq, watch, alert, transition, labels, notify, message, $1
    FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::text[])
      WITH ORDINALITY AS row (id, key, episode, seq, watch, alert, transition, labels, notify, message, place)
    ORDER BY place
    ON CONFLICT (id) DO NOTHING`,
    [
      at,
      ...columns(rows, [
        ({ id }) => id,
        ({ key }) => key,
        ({ episode }) => episode,
        ({ seq }) => seq,
        ({ watch }) => watch,
        ({ alert }) => alert,
        ({ transition }) => transition,
        ({ labels }) => labels,
        ({ notify }) => notify,
        ({ message }) => message,
      ]),
    ],
  );
}

/** The number of the newest; 0: there is none. */
export async function newestNotification(sql: Sql): Promise<number> {
  return Number((await sql.first('SELECT coalesce(max(number), 0) AS newest FROM notifications'))?.['newest']);
}

/** The message of a summary; null of all others, which nobody needs to read. */
const SUMMARY = `CASE WHEN strpos(message, '"summary":{') > 0 THEN message END AS message`;

/** The oldest that nobody was chosen for yet; a later one about the same alert waits for the next round. */
export async function unrouted(sql: Sql, limit: number): Promise<Unrouted[]> {
  const rows = await sql.all(
    `SELECT number, key, episode, seq, watch, alert, transition, labels, notify, at, ${SUMMARY}
    FROM notifications WHERE NOT routed ORDER BY number LIMIT $1`,
    [limit],
  );
  return untilRepeated(rows.map(withSummary));
}

function withSummary(row: Row): Row {
  const { of, keys } = summaryIn(row);
  return { ...row, of, members: keys };
}

/** What a message says of the alerts that it sums up. */
function summaryIn(row: Row): { readonly of: unknown; readonly keys: unknown } {
  const summary = fieldOf(jsonOrNull(row['message']), 'summary');
  return { of: fieldOf(summary, 'of'), keys: fieldOf(summary, 'keys') };
}

function fieldOf(value: unknown, name: string): unknown {
  return isRow(value) ? (value[name] ?? null) : null;
}

/** Keys of the alerts that the summaries in a delivery speak of, each with the summary's own seq. */
export async function summarized(sql: Sql, delivery: number): Promise<{ key: string; seq: number }[]> {
  const rows = await sql.all(
    `SELECT member.seq, ${SUMMARY} FROM group_member AS member
      JOIN notifications ON notifications.number = member.notification
    WHERE member.delivery = $1`,
    [delivery],
  );
  return rows.flatMap((row) => {
    const { keys } = summaryIn(row);
    return Array.isArray(keys) ? keys.map((key) => ({ key: String(key), seq: Number(row['seq']) })) : [];
  });
}

/** False: one of them was routed already. */
export async function markRouted(sql: Sql, numbers: readonly number[]): Promise<boolean> {
  const changed = await sql.run(
    'UPDATE notifications SET routed = true WHERE number = ANY($1::bigint[]) AND NOT routed',
    [numbers],
  );
  return changed === numbers.length;
}

/** Those that were routed, of which no delivery is left, and whose alert nobody is told of any more. */
export async function pruneNotifications(sql: Sql, before: Instant): Promise<void> {
  await sql.run(
    `DELETE FROM notifications AS n WHERE routed AND at < $1
      AND NOT EXISTS (SELECT FROM group_member AS member WHERE member.key = n.key AND member.seq = n.seq)
      AND NOT EXISTS (SELECT FROM recipient_state AS state WHERE state.key = n.key AND (${IS_ACTIVE}))
      AND NOT EXISTS (SELECT FROM alerts WHERE alerts.key = n.key AND alerts.newest = n.seq AND is_open)`,
    [before],
  );
}
