// What operators do to deliveries: have one tried again that was given up, or counted no more among those.
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { OperatorChange, Unchanged } from '../../interventions.ts';
import type { Sql } from '../sql.ts';
import { ranOf } from './deliveries-table.ts';

interface GivenUp {
  readonly number: number;
  readonly channel: string;
  readonly recipient: string;
}

/** Later deliveries to the same recipient about what delivery $1 speaks of. */
const LATER = `
  group_member AS mine
    JOIN group_member AS also ON also.key = mine.key AND also.seq > mine.seq
    JOIN deliveries AS later ON later.number = also.delivery
  WHERE mine.delivery = $1 AND later.channel = $2 AND later.recipient = $3`;

export function retry(sql: Sql, id: DeliveryId, at: Instant): Promise<OperatorChange | Unchanged> {
  return onGivenUp(sql, id, 'owed', async ({ number, channel, recipient }) => {
    const target = [number, channel, recipient];
    const sent = await sql.first(`SELECT FROM ${LATER} AND later.state = 'sent' LIMIT 1`, target);
    if (sent !== undefined) return 'later-sent';
    await sql.run(
      `UPDATE deliveries SET state = 'due', due_at = $2, settled_at = NULL, dismissed_at = NULL,
        runtime_at = ${ranOf('deliveries.channel')}
      WHERE number = $1`,
      [number, at],
    );
    // What came after it, and waits, goes out after it again.
    await sql.run(
      `INSERT INTO delivery_order (delivery, earlier)
      SELECT DISTINCT later.number, $1::bigint FROM ${LATER} AND later.state = 'due' ON CONFLICT DO NOTHING`,
      target,
    );
    return null;
  });
}

export function dismiss(sql: Sql, id: DeliveryId, at: Instant): Promise<OperatorChange | Unchanged> {
  return onGivenUp(sql, id, 'dismissed', async ({ number }) => {
    await sql.run('UPDATE deliveries SET dismissed_at = $2 WHERE number = $1', [number, at]);
    return null;
  });
}

async function onGivenUp(
  sql: Sql,
  id: DeliveryId,
  state: 'owed' | 'dismissed',
  change: (of: GivenUp) => Promise<Unchanged | null>,
): Promise<OperatorChange | Unchanged> {
  const row = await sql.first('SELECT number, channel, recipient, state FROM deliveries WHERE id = $1', [id]);
  if (row === undefined) return 'not-found';
  if (row['state'] !== 'dead') return 'not-given-up';
  const [number, channel, recipient] = [Number(row['number']), String(row['channel']), String(row['recipient'])];
  return (await change({ number, channel, recipient })) ?? { type: 'delivery', id, channel, recipient, state };
}

/** How many are due that were not. A summary that still takes events in has not been tried, and waits for more of them. */
export function retryChannel(sql: Sql, channel: string, at: Instant): Promise<number> {
  return sql.run(
    `UPDATE deliveries SET due_at = $2::bigint
    WHERE channel = $1 AND state = 'due' AND due_at > $2::bigint AND (folds IS NULL OR attempt > 0)`,
    [channel, at],
  );
}
