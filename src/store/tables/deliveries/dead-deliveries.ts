// Deliveries that were given up: an operator retries or dismisses them.
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { ChangedDeliveries, ChangedDelivery, Unchanged } from '../../contract/operators.ts';
import { bool, int, text } from '../../sql/rows.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import type { Sql } from '../../sql/sql.ts';
import { IS_DUE, IS_NAMED, ranOf } from './delivery-rows.ts';

interface DeadDelivery {
  readonly number: number;
  readonly channel: string;
  readonly recipient: string;
  readonly isNamed: boolean;
}

const FIND = (d: SqlDialect): string => `
  SELECT number, channel, recipient, state, ${IS_NAMED(d)}
  FROM deliveries AS mine WHERE id = $1`;

/** Later deliveries to the same recipient about alerts of delivery $1. */
const LATER = `
  group_member AS mine
    JOIN group_member AS also ON also.key = mine.key AND also.seq > mine.seq
    JOIN deliveries AS later ON later.number = also.delivery
  WHERE mine.delivery = $1 AND later.channel = $2 AND later.recipient = $3`;

const LATER_SENT = `SELECT 1 AS one FROM ${LATER} AND later.state = 'sent' LIMIT 1`;

/** The begins in a delivery: whether each is over without a message to its recipient that is sent or pending. */
const BEGINS_OVER = `
  SELECT EXISTS (
    SELECT 1 FROM notifications AS ended
      JOIN recipient_state AS state ON state.key = ended.key AND state.closed >= ended.seq
    WHERE ended.key = mine.key AND ended.seq > mine.seq AND ended.transition IN ('resolved', 'retracted')
      AND state.channel = $2 AND state.recipient = $3
      AND NOT EXISTS (
        SELECT 1 FROM group_member AS also JOIN deliveries AS later ON later.number = also.delivery
        WHERE also.key = ended.key AND also.seq >= ended.seq AND later.channel = $2 AND later.recipient = $3
          AND later.state IN ('due', 'sending'))) AS is_over
  FROM group_member AS mine
    JOIN notifications AS begun ON begun.key = mine.key AND begun.seq = mine.seq
  WHERE mine.delivery = $1 AND begun.transition NOT IN ('resolved', 'retracted')`;

const REVIVE = `
  UPDATE deliveries SET state = 'due', due_at = $2, settled_at = NULL, dismissed_at = NULL,
    runtime_at = ${ranOf('deliveries.channel')}
  WHERE number = $1`;

// Pending deliveries about the same alert wait for this one again.
const FOLLOW = `
  INSERT INTO delivery_order (delivery, earlier)
  SELECT DISTINCT later.number, $1::bigint FROM ${LATER} AND later.state = 'due' ON CONFLICT DO NOTHING`;

const DISMISS = 'UPDATE deliveries SET dismissed_at = $2 WHERE number = $1';

// A summary that still takes in events is left out: it has not been tried, and waits for more events.
const RETRY_CHANNEL = `
  UPDATE deliveries SET due_at = $2::bigint
  WHERE channel = $1 AND ${IS_DUE} AND due_at > $2::bigint AND (folds IS NULL OR attempt > 0)`;

export function retry(sql: Sql, id: DeliveryId, at: Instant): Promise<ChangedDelivery | Unchanged> {
  return onDead(sql, id, 'owed', async ({ number, channel, recipient, isNamed }) => {
    if (!isNamed) return 'not-named';
    const target = [number, channel, recipient];
    if ((await sql.first(LATER_SENT, target)) !== undefined) return 'later-sent';
    // Nothing would take them back.
    const begins = await sql.all(BEGINS_OVER, target);
    if (begins.length > 0 && begins.every((row) => bool(row, 'is_over'))) return 'is-over';
    await sql.run(REVIVE, [number, at]);
    await sql.run(FOLLOW, target);
    return null;
  });
}

export function dismiss(sql: Sql, id: DeliveryId, at: Instant): Promise<ChangedDelivery | Unchanged> {
  return onDead(sql, id, 'dismissed', async ({ number }) => {
    await sql.run(DISMISS, [number, at]);
    return null;
  });
}

async function onDead(
  sql: Sql,
  id: DeliveryId,
  state: 'owed' | 'dismissed',
  change: (of: DeadDelivery) => Promise<Unchanged | null>,
): Promise<ChangedDelivery | Unchanged> {
  const row = await sql.first(FIND, [id]);
  if (row === undefined) return 'not-found';
  if (row['state'] !== 'dead') return 'not-given-up';
  const [number, channel, recipient] = [int(row, 'number'), text(row, 'channel'), text(row, 'recipient')];
  return (
    (await change({ number, channel, recipient, isNamed: bool(row, 'is_named') })) ?? { id, channel, recipient, state }
  );
}

const IS_GIVEN_UP = "state = 'dead' AND dismissed_at IS NULL AND ($1::text IS NULL OR channel = $1::text)";
/** The most deliveries that one transaction retries. */
const MOST_RETRIED = 1000;

const GIVEN_UP = `SELECT id FROM deliveries WHERE ${IS_GIVEN_UP} ORDER BY number DESC LIMIT ${MOST_RETRIED}`;
const COUNT_GIVEN_UP = `SELECT channel, count(*) AS rows FROM deliveries WHERE ${IS_GIVEN_UP} GROUP BY channel ORDER BY channel`;
const DISMISS_ALL = `UPDATE deliveries SET dismissed_at = $2::bigint WHERE ${IS_GIVEN_UP}`;

/**
 * Retries deliveries that were given up and not dismissed. `channel`: null for all channels. The newest comes first: it
 * is due when an earlier one is retried, and then waits for the earlier one.
 */
export async function retryAll(sql: Sql, channel: string | null, at: Instant): Promise<ChangedDeliveries | Unchanged> {
  const counts = new Map<string, number>();
  for (const row of await sql.all(GIVEN_UP, [channel])) {
    const done = await retry(sql, text(row, 'id'), at);
    if (typeof done !== 'string') counts.set(done.channel, (counts.get(done.channel) ?? 0) + 1);
  }
  if (counts.size === 0) return 'not-found';
  const left = (await sql.all(COUNT_GIVEN_UP, [channel])).reduce((sum, row) => sum + int(row, 'rows'), 0);
  return { channels: [...counts].map(([name, deliveries]) => ({ channel: name, deliveries })), left };
}

export async function dismissAll(
  sql: Sql,
  channel: string | null,
  at: Instant,
): Promise<ChangedDeliveries | Unchanged> {
  const rows = await sql.all(COUNT_GIVEN_UP, [channel]);
  if (rows.length === 0) return 'not-found';
  await sql.run(DISMISS_ALL, [channel, at]);
  return { channels: rows.map((row) => ({ channel: text(row, 'channel'), deliveries: int(row, 'rows') })), left: 0 };
}

/** Resolves with the number of deliveries whose wait has ended. */
export function retryChannel(sql: Sql, channel: string, at: Instant): Promise<number> {
  return sql.run(RETRY_CHANNEL, [channel, at]);
}
