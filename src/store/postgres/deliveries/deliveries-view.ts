// What looks at deliveries without touching them.
import type { AlertId, DeliveryId, WatchId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Backlog, DeliveryFilter, DeliveryState, OutboxDepth, StoredDelivery, Survey } from '../../outbox.ts';
import type { Row } from '../../rows/rows.ts';
import { deliveryOf } from '../../rows/delivery-rows.ts';
import type { Sql } from '../sql.ts';
import { DELIVERIES, IS_ENDED } from './deliveries-table.ts';
import { membersOf } from './members-view.ts';

const DEPTH = `
  SELECT channel, count(*) AS rows, min(created_at) AS oldest FROM deliveries
  WHERE state IN ('due', 'sending') GROUP BY channel ORDER BY channel`;

const WHICH: Readonly<Record<DeliveryState | 'any', string>> = {
  any: 'true',
  owed: "state IN ('due', 'sending', 'parked')",
  'given-up': `state = 'dead' AND ${IS_ENDED}`,
  undismissed: `state = 'dead' AND dismissed_at IS NULL AND ${IS_ENDED}`,
  sent: "state = 'sent'",
};

export async function survey(sql: Sql): Promise<Survey> {
  const counts = await sql.first(
    `SELECT count(*) FILTER (WHERE state = 'sent') AS sent,
      count(*) FILTER (WHERE state = 'dead' AND dismissed_at IS NULL) AS dead
    FROM deliveries WHERE ${IS_ENDED}`,
  );
  const outbox = (await sql.all(DEPTH)).map(depthOf);
  return { outbox, sent: Number(counts?.['sent']), dead: Number(counts?.['dead']) };
}

export async function backlog(sql: Sql, deadSince: Instant): Promise<Backlog> {
  const dead = await sql.all(
    `SELECT channel, count(*) AS rows, min(settled_at) AS oldest FROM deliveries
    WHERE state = 'dead' AND ${IS_ENDED} AND dismissed_at IS NULL AND settled_at >= $1 GROUP BY channel ORDER BY channel`,
    [deadSince],
  );
  return { owed: (await sql.all(DEPTH)).map(depthOf), dead: dead.map(depthOf) };
}

function depthOf(row: Row): OutboxDepth {
  return { channel: String(row['channel']), rows: Number(row['rows']), oldest: Number(row['oldest']) };
}

/** Newest first. */
export async function deliveries(
  sql: Sql,
  { state, channel, before, limit }: DeliveryFilter,
): Promise<StoredDelivery[]> {
  const rows = await sql.all(
    `${DELIVERIES}
    WHERE ${WHICH[state ?? 'any']} AND ($1::text IS NULL OR channel = $1) AND ($2::bigint IS NULL OR number < $2)
    ORDER BY number DESC LIMIT $3`,
    [channel, before, limit],
  );
  return storedOf(sql, rows);
}

export async function delivery(sql: Sql, id: DeliveryId): Promise<StoredDelivery | null> {
  return (await storedOf(sql, await sql.all(`${DELIVERIES} WHERE id = $1`, [id])))[0] ?? null;
}

export async function lastTried(sql: Sql, channel: string): Promise<StoredDelivery | null> {
  const rows = await sql.all(
    `${DELIVERIES} WHERE state = 'due' AND channel = $1 AND attempt > 0 ORDER BY due_at DESC, number DESC LIMIT 1`,
    [channel],
  );
  return (await storedOf(sql, rows))[0] ?? null;
}

/** Those that were given up or refused, newest first. */
export async function dead(sql: Sql, limit: number): Promise<StoredDelivery[]> {
  const rows = await sql.all(
    `${DELIVERIES} WHERE ${WHICH.undismissed} ORDER BY settled_at DESC, number DESC LIMIT $1`,
    [limit],
  );
  return storedOf(sql, rows);
}

/** Those of one alert of a watch, newest first. */
export async function deliveriesOf(sql: Sql, watch: WatchId, alert: AlertId, limit: number): Promise<StoredDelivery[]> {
  const rows = await sql.all(
    `${DELIVERIES}
    WHERE number IN (
      SELECT member.delivery FROM notifications AS notification
        JOIN group_member AS member ON member.key = notification.key AND member.seq = notification.seq
      WHERE watch = $1 AND alert = $2)
    ORDER BY number DESC LIMIT $3`,
    [watch, alert, limit],
  );
  return storedOf(sql, rows);
}

async function storedOf(sql: Sql, rows: readonly Row[]): Promise<StoredDelivery[]> {
  const all: StoredDelivery[] = [];
  for (const row of rows) {
    const found = deliveryOf(row);
    all.push({ ...found, ...(await membersOf(sql, { id: found.id, number: Number(row['number']) })) });
  }
  return all;
}
