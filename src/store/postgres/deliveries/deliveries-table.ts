import { LONGEST_WAIT_MS } from '../../../core/after-outcome.ts';
import type { Delivery, Receipt, Settlement } from '../../../core/model/delivery.ts';
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import { numberOrNull } from '../../rows/dispatch-rows.ts';
import { LONGEST_LEASE_MS, type DeliveryClaim, type Claimed, type Share, type Tried } from '../../outbox.ts';
import type { Row } from '../../rows/rows.ts';
import { deliveryOf, ENDED_WHILE_SENDING, outcomeText } from '../../rows/delivery-rows.ts';
import { columns, type Sql } from '../sql.ts';
import { membersOf } from './members-view.ts';
import { summarized } from '../dispatch/notifications-table.ts';
import { keepReceipt, receiptOf } from './receipts-table.ts';

/** Every delivery that is kept, without its members. */
export const DELIVERIES = `
  SELECT number, id, channel, recipient, kind, state, attempt, due_at, created_at, settled_at, dismissed_at, outcome
  FROM deliveries AS mine`;

/** As the index `deliveries_ended` has it. */
export const IS_ENDED = `state IN ('sent', 'dead', 'merged', 'cancelled')`;

/**
 * Of one recipient and alert only the earliest that is not settled may go out. It may have been settled by another replica
 * while the order was written. No NOT EXISTS: without statistics that becomes a join over the whole outbox, which takes a
 * hundred times as long.
 */
const FIRST_IN_LINE = `(
  SELECT earlier FROM delivery_order JOIN deliveries AS before ON before.number = earlier
  WHERE delivery = mine.number AND before.state IN ('due', 'sending', 'parked') LIMIT 1) IS NULL`;

/** Less than $2 messages of its rule are being sent on channel $1. What is about several rules waits for none of them. */
const HAS_ROOM = `rule NOT IN (
  SELECT busy.rule FROM deliveries AS busy WHERE busy.channel = $1 AND busy.state = 'sending' AND busy.rule <> ''
  GROUP BY busy.rule HAVING count(*) >= $2::bigint)`;

/** How long the sender of a channel has run in all; `channel` is a column or a parameter. */
export function ranOf(channel: string): string {
  return `coalesce((SELECT ran_ms FROM channels WHERE name = ${channel}), 0)`;
}

/** Rows that cannot be read end as dead, so that they do not stand in the way of the others; `damaged` is told. */
export async function claimDeliveries(
  sql: Sql,
  claim: DeliveryClaim,
  damaged: (error: unknown) => void,
): Promise<Claimed[]> {
  const claimed: Claimed[] = [];
  // One by one: what is handed out counts for its rule.
  while (claimed.length < claim.limit) {
    const row = await takeFirst(sql, claim);
    if (row === undefined) break;
    try {
      claimed.push(await handOut(sql, row));
    } catch (error) {
      await bury(sql, Number(row['number']), claim.at, error);
      damaged(error);
    }
  }
  return claimed;
}

function takeFirst(sql: Sql, { channel, perRule, at, leaseMs }: DeliveryClaim): Promise<Row | undefined> {
  return sql.first(
    `WITH due AS MATERIALIZED (
      SELECT number FROM deliveries AS mine
      WHERE channel = $1 AND state = 'due' AND due_at <= $3 AND ${HAS_ROOM} AND ${FIRST_IN_LINE}
      ORDER BY rank, due_at, number LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE deliveries AS mine SET state = 'sending', attempt = attempt + 1, lease_until = $4 FROM due
    WHERE mine.number = due.number
    RETURNING mine.*, ${ranOf('mine.channel')} - runtime_at AS age_ms`,
    [channel, perRule, at, at + leaseMs],
  );
}

async function handOut(sql: Sql, row: Row): Promise<Claimed> {
  const { id, channel, recipient, kind, at, attempt } = deliveryOf(row);
  const number = Number(row['number']);
  const delivery: Delivery = { id, channel, recipient, kind, at, ...(await membersOf(sql, { id, number })) };
  const receipt = await receiptOf(sql, number);
  return { delivery, attempt, maybeCopy: row['maybe_copy'] === 1, receipt, ageMs: Number(row['age_ms']) };
}

async function bury(sql: Sql, number: number, at: Instant, error: unknown): Promise<void> {
  await sql.run(`UPDATE deliveries SET state = 'dead', settled_at = $2, outcome = $3 WHERE number = $1`, [
    number,
    at,
    outcomeText({ type: 'rejected', why: String(error) }),
  ]);
  await release(sql, number);
}

/** What came after it may go out. */
async function release(sql: Sql, number: number): Promise<void> {
  await sql.run('DELETE FROM delivery_order WHERE earlier = $1', [number]);
}

export async function addRun(sql: Sql, channel: string, ms: number): Promise<void> {
  await sql.run(
    `INSERT INTO channels AS old (name, ran_ms) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET ran_ms = old.ran_ms + excluded.ran_ms`,
    [channel, ms],
  );
}

/** False: that try is over. */
export async function settleDelivery(sql: Sql, tried: Tried, settlement: Settlement, at: Instant): Promise<boolean> {
  if (settlement.state === 'due') return postpone(sql, tried, settlement);
  const number = await end(sql, tried, settlement, at);
  if (number === null) return false;
  await release(sql, number);
  if (settlement.state === 'sent') await markNotified(sql, number, at);
  const receipt = receiptIn(settlement);
  if (receipt !== null) await keepReceipt(sql, number, receipt);
  return true;
}

async function postpone(
  sql: Sql,
  { id, attempt }: Tried,
  { outcome, dueAt }: Extract<Settlement, { state: 'due' }>,
): Promise<boolean> {
  const changed = await sql.run(
    `UPDATE deliveries SET state = 'due', due_at = $3, outcome = $4, maybe_copy = maybe_copy OR $5
    WHERE id = $1 AND state = 'sending' AND attempt = $2`,
    [id, attempt, dueAt, outcomeText(outcome), outcome.type === 'unknown'],
  );
  return changed === 1;
}

/** Null: that try is over. */
async function end(sql: Sql, { id, attempt }: Tried, settlement: Settlement, at: Instant): Promise<number | null> {
  const row = await sql.first(
    `UPDATE deliveries SET state = $3, settled_at = $4, outcome = $5
    WHERE id = $1 AND (state = 'sending' AND attempt = $2 OR $3 = 'sent' AND state IN ('due', 'sending'))
    RETURNING number`,
    [id, attempt, settlement.state, at, outcomeText(settlement.outcome)],
  );
  return row === undefined ? null : Number(row['number']);
}

function receiptIn({ outcome }: Settlement): Receipt | null {
  return outcome.type === 'sent' ? (outcome.receipt ?? null) : null;
}

/** Its recipient knows of its members, and of those of the summaries in it. */
async function markNotified(sql: Sql, number: number, at: Instant): Promise<void> {
  await sql.run(
    `UPDATE recipient_state AS state SET notified = greatest(state.notified, told.seq), notified_at = $2
    FROM deliveries AS mine, (
      SELECT key, max(seq) AS seq FROM (
        SELECT key, seq FROM group_member WHERE delivery = $1
        UNION ALL SELECT * FROM unnest($3::text[], $4::bigint[])) AS each GROUP BY key) AS told
    WHERE mine.number = $1 AND state.key = told.key
      AND state.channel = mine.channel AND state.recipient = mine.recipient`,
    [number, at, ...columns(await summarized(sql, number), [({ key }) => key, ({ seq }) => seq])],
  );
}

/** No lease and no wait is longer than the longest: the clock was set back meanwhile. */
export async function expire(sql: Sql, channel: string, at: Instant, held: readonly DeliveryId[]): Promise<number> {
  await sql.run(
    `UPDATE deliveries SET due_at = $2::bigint
    WHERE channel = $1 AND state = 'due' AND due_at > $2::bigint + ${LONGEST_WAIT_MS}`,
    [channel, at],
  );
  return sql.run(
    `UPDATE deliveries SET state = 'due', due_at = $2::bigint, outcome = $3, maybe_copy = true
    WHERE channel = $1 AND state = 'sending'
      AND (lease_until <= $2::bigint OR lease_until > $2::bigint + ${LONGEST_LEASE_MS}) AND NOT id = ANY($4::text[])`,
    [channel, at, outcomeText({ type: 'unknown', why: ENDED_WHILE_SENDING }), held],
  );
}

/** Of every delivery that is being sent on the channel: its sender is gone. */
export async function endLeases(sql: Sql, channel: string): Promise<void> {
  await sql.run(`UPDATE deliveries SET lease_until = 0 WHERE state = 'sending' AND channel = $1`, [channel]);
}

export async function nextDue(sql: Sql, { channel, perRule }: Share): Promise<Instant | null> {
  const row = await sql.first(
    `SELECT min(due_at) AS at FROM deliveries AS mine
    WHERE channel = $1 AND state = 'due' AND ${HAS_ROOM} AND ${FIRST_IN_LINE}`,
    [channel, perRule],
  );
  return numberOrNull(row?.['at']);
}

export async function pruneDeliveries(sql: Sql, before: Instant): Promise<void> {
  await sql.run(`DELETE FROM deliveries WHERE ${IS_ENDED} AND settled_at < $1`, [before]);
}
