// Unsettled deliveries: senders claim them, each under a lease that ends.
import { AWAITED_WAIT_MS, LONGEST_WAIT_MS } from '../../../core/after-outcome.ts';
import { RANK_OF, type DeliveryMember } from '../../../core/model/delivery.ts';
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Instant } from '../../../lib/clock.ts';
import {
  LONGEST_LEASE_MS,
  type DeliveryClaim,
  type Claimed,
  type LostClaim,
  type Share,
} from '../../contract/deliveries.ts';
import { int, intOrNull, text, type Row } from '../../sql/rows.ts';
import { later, type SqlDialect } from '../../sql/dialect.ts';
import type { Sql } from '../../sql/sql.ts';
import { listedMembers, ownReceiptsOf, receiptOf, type UnlistedMembers } from './delivery-members.ts';
import {
  deliveryOf,
  HAS_ENDED_AS,
  IS_DUE,
  isNamed,
  MAY_GO_OUT_OF_TURN,
  outcomeText,
  RANKS,
  ranOf,
  release,
  SHARE_OPEN_MS,
} from './delivery-rows.ts';

/** The outcome of a try whose lease ended. */
const ENDED_WHILE_SENDING = 'the process that was sending it ended before its outcome was known';

/** `unread`: the place of the members that are not in `claimed` yet; null if all are in it. */
export interface TakenDelivery {
  readonly claimed: Claimed;
  readonly unread: UnlistedMembers | null;
}

// SQLite uses a partial index only for a query that repeats the condition of the index word by word. So some queries
// below have terms that look redundant.

/**
 * True if no earlier delivery to the recipient about the alert is unsettled. `delivery_order` alone is not enough:
 * another replica may have settled the earlier delivery while the order was written. NOT EXISTS would be a hundred
 * times slower: without statistics PostgreSQL makes it a join over the whole outbox.
 */
const FIRST_OF_ITS_ALERT = `(
  SELECT earlier FROM delivery_order JOIN deliveries AS before ON before.number = earlier
  WHERE delivery = mine.number AND before.state IN ('due', 'sending') LIMIT 1) IS NULL`;

/**
 * True if fewer than $2 messages of its rule are being sent on channel $1. This limit does not apply to a message about
 * several rules.
 */
const RULE_HAS_ROOM = `mine.rule NOT IN (
  SELECT busy.rule FROM deliveries AS busy WHERE busy.channel = $1 AND busy.state = 'sending' AND busy.rule <> ''
  GROUP BY busy.rule HAVING count(*) >= $2::bigint)`;

/** `resting`: the parameter with the rules whose messages are not sent now. */
const mayGo = (d: SqlDialect, resting: string): string =>
  `mine.channel = $1 AND mine.state = 'due' AND ${RULE_HAS_ROOM} AND NOT ${d.among('mine.rule', resting, 'text')}
    AND ${isNamed(d, '$1')} AND ${FIRST_OF_ITS_ALERT}`;

/**
 * The queries that find the first row by the index. SQLite needs one query for each rank, otherwise it scans rows that
 * are not due. PostgreSQL gets one query for all ranks, since planning three queries takes 2 ms.
 */
function perRank(d: SqlDialect, onlyCritical: boolean, query: (ofRank: string) => string): string[] {
  const ofRank = (rank: number): string => query(`AND mine.rank = ${rank}`);
  if (onlyCritical) return [ofRank(RANK_OF.critical)];
  return d.name === 'sqlite' ? RANKS.map(ofRank) : [query('')];
}

const firstDue = (d: SqlDialect, onlyCritical: boolean): string => {
  const queries = perRank(
    d,
    onlyCritical,
    (ofRank) => `(
      SELECT mine.number FROM deliveries AS mine WHERE ${mayGo(d, '$5')} ${ofRank} AND mine.due_at <= $3
      ORDER BY mine.rank, mine.due_at, mine.number LIMIT 1 ${d.skipLocked})`,
  );
  return `coalesce(${[...queries, 'NULL'].join(', ')})`;
};

const claimOf = (number: string, also = ''): string => `
  UPDATE deliveries SET state = 'sending', attempt = attempt + 1, lease_until = $4 ${also} WHERE number = ${number}
  RETURNING *, ${ranOf('deliveries.channel')} - runtime_at AS age_ms`;
const CLAIM = (d: SqlDialect): string => claimOf(firstDue(d, false));
const CLAIM_CRITICAL = (d: SqlDialect): string => claimOf(firstDue(d, true));

const CLAIM_OUT_OF_TURN = (d: SqlDialect): string =>
  claimOf(
    `(
      SELECT mine.number FROM deliveries AS mine
      WHERE ${mayGo(d, '$5')} AND mine.recipient = $6 AND mine.due_at > $3
        AND ${MAY_GO_OUT_OF_TURN}
      ORDER BY mine.out_of_turn, mine.rank, mine.number LIMIT 1 ${d.skipLocked})`,
    ', out_of_turn = out_of_turn + 1',
  );

const REFUSING = (d: SqlDialect): string => `
  SELECT DISTINCT mine.recipient FROM deliveries AS mine
  WHERE mine.channel = $1 AND mine.state = 'due' AND mine.attempt >= 3 AND ${HAS_ENDED_AS('again')}
    AND ${isNamed(d, '$1')}
  ORDER BY mine.recipient`;

const HASTEN = `
  UPDATE deliveries AS mine SET due_at = $3
  WHERE mine.channel = $1 AND ($2::text IS NULL OR mine.recipient = $2::text) AND mine.state = 'due' AND mine.due_at > $3
    AND NOT ${HAS_ENDED_AS('rejected')}`;

const nextDueOf = (d: SqlDialect, onlyCritical: boolean): string => {
  const queries = perRank(
    d,
    onlyCritical,
    (ofRank) => `
      SELECT * FROM (
        SELECT mine.due_at FROM deliveries AS mine WHERE ${mayGo(d, '$3')} ${ofRank}
        ORDER BY mine.due_at LIMIT 1) AS of_rank`,
  );
  return `SELECT min(due_at) AS at FROM (${queries.join(' UNION ALL ')}) AS firsts`;
};
const NEXT_DUE = (d: SqlDialect): string => nextDueOf(d, false);
const NEXT_CRITICAL = (d: SqlDialect): string => nextDueOf(d, true);

const BURY = `UPDATE deliveries SET state = 'dead', settled_at = $2, outcome = $3 WHERE number = $1`;

const ADD_RUN = `
  INSERT INTO channels (name, ran_ms) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET ran_ms = channels.ran_ms + excluded.ran_ms`;

/**
 * Ends waits that are longer than the longest possible one: the clock was ahead when they were set. A message without a
 * try only waits for its further parts, up to `SHARE_OPEN_MS`. A summary without a try waits for more events.
 */
const END_LONG_WAITS = `
  UPDATE deliveries SET due_at = $2::bigint
  WHERE channel = $1 AND ${IS_DUE} AND due_at > $2::bigint + CASE
    WHEN attempt = 0 AND folds IS NULL THEN ${SHARE_OPEN_MS} ELSE ${LONGEST_WAIT_MS} END`;

const HASTEN_AWAITED = (d: SqlDialect): string => `
  UPDATE deliveries AS mine SET due_at = $2::bigint + ${AWAITED_WAIT_MS}
  WHERE mine.channel = $1 AND ${IS_DUE} AND attempt > 0 AND due_at > $2::bigint + ${AWAITED_WAIT_MS}
    AND NOT ${d.among('mine.recipient', '$3', 'text')} AND EXISTS (
      SELECT 1 FROM delivery_order JOIN deliveries AS later ON later.number = delivery
      WHERE earlier = mine.number AND later.state = 'due')`;

const EXPIRE = (d: SqlDialect): string => `
  UPDATE deliveries SET state = 'due', due_at = $2::bigint, outcome = $3, maybe_copy = 1
  WHERE channel = $1 AND state = 'sending'
    AND (lease_until <= $2::bigint OR lease_until > $2::bigint + ${LONGEST_LEASE_MS}) AND NOT ${d.among('id', '$4', 'text')}`;

const MOVE_BACK = `
  UPDATE deliveries SET due_at = ${later('due_at + $1::bigint', '$2::bigint')}
  WHERE state = 'due' AND due_at > $2::bigint`;

/** After the clock was set back, a delivery waits no longer than it would have. Leases are checked by themselves. */
export async function moveDeliveries(sql: Sql, { backMs, now }: ClockShift): Promise<void> {
  if (backMs < 0) await sql.run(MOVE_BACK, [backMs, now]);
}

const END_LEASES = `
  UPDATE deliveries SET lease_until = 0 WHERE state = 'sending' AND ($1::text IS NULL OR channel = $1::text)`;

const UNCLAIM = (d: SqlDialect): string => `
  UPDATE deliveries SET state = 'due', attempt = attempt - 1, out_of_turn = out_of_turn - $3
  WHERE channel = $1 AND state = 'sending' AND lease_until > 0 AND NOT ${d.among('id', '$2', 'text')}`;

/** Deliveries that a former process was sending have no lease any more, and stay unchanged. */
export async function unclaim(sql: Sql, { channel, held, isOutOfTurn }: LostClaim): Promise<number> {
  return sql.run(UNCLAIM, [channel, held, isOutOfTurn ? 1 : 0]);
}

/** Unreadable rows are given up, so that they do not block others; `damaged` is called for each. */
export async function claimDeliveries(
  sql: Sql,
  claim: DeliveryClaim,
  damaged: (error: unknown) => void,
): Promise<TakenDelivery[]> {
  const { limit, at } = claim;
  const taken: TakenDelivery[] = [];
  // Rows are claimed one by one, since each of them counts for the limit of its rule.
  while (taken.length < limit) {
    const row = await claimedRow(sql, claim);
    if (row === undefined) break;
    try {
      taken.push(await takenOf(sql, row, claim.outOfTurn !== null));
    } catch (error) {
      await bury(sql, int(row, 'number'), at, error);
      damaged(error);
    }
  }
  return taken;
}

async function claimedRow(
  sql: Sql,
  { channel, perRule, resting, onlyCritical, outOfTurn, at, leaseMs }: DeliveryClaim,
): Promise<Row | undefined> {
  const share = [channel, perRule, at, at + leaseMs, resting];
  if (outOfTurn !== null) return sql.first(CLAIM_OUT_OF_TURN, [...share, outOfTurn]);
  return sql.first(onlyCritical ? CLAIM_CRITICAL : CLAIM, share);
}

async function takenOf(sql: Sql, row: Row, isOutOfTurn: boolean): Promise<TakenDelivery> {
  const { id, channel, recipient, kind, at, attempt, dueAt, number } = deliveryOf(row);
  const { members, unread } = await listedMembers(sql, { id, number });
  const delivery = { id, channel, recipient, kind, at, members, more: [] };
  const receipt = await receiptOf(sql, number);
  const ownReceipts = receipt === null && members.length > 1 ? await ownReceiptsOf(sql, number) : NONE;
  const maybeCopy = row['maybe_copy'] === 1 || (kind === 'news' && members.some(mayBeTold));
  const scheduled = attempt - int(row, 'out_of_turn');
  const how = { scheduled, dueAt, isOutOfTurn, rule: String(row['rule']) };
  return { claimed: { delivery, attempt, ...how, maybeCopy, receipt, ownReceipts, ageMs: int(row, 'age_ms') }, unread };
}

/**
 * True if a replica that has ended may have sent this message from memory. The end of the alert, repeats, and messages
 * to targets that were named later are no copies.
 */
function mayBeTold({ as, renewed, message }: DeliveryMember): boolean {
  return as === 'news' && renewed === null && message.mayBeTold === true;
}

const NONE: ReadonlyMap<string, string> = new Map();

async function bury(sql: Sql, number: number, at: Instant, error: unknown): Promise<void> {
  await sql.run(BURY, [number, at, outcomeText({ type: 'rejected', why: String(error) })]);
  await release(sql, number);
}

const KEEP_RECIPIENTS = `
  INSERT INTO channels (name, ran_ms, recipients) VALUES ($1, 0, $2)
  ON CONFLICT (name) DO UPDATE SET recipients = excluded.recipients`;

export async function keepRecipients(sql: Sql, channel: string, recipients: readonly string[]): Promise<void> {
  await sql.run(KEEP_RECIPIENTS, [channel, JSON.stringify(recipients)]);
}

const NAMING_CHANNELS = `
  SELECT name FROM channels WHERE recipients IS NULL OR recipients <> '[]'
  UNION SELECT channel AS name FROM deliveries
    WHERE state IN ('due', 'sending') AND channel NOT IN (SELECT name FROM channels)
  ORDER BY name`;

export async function namingChannels(sql: Sql): Promise<string[]> {
  return (await sql.all(NAMING_CHANNELS)).map((row) => text(row, 'name'));
}

export async function addRun(sql: Sql, channel: string, ms: number): Promise<void> {
  await sql.run(ADD_RUN, [channel, ms]);
}

/**
 * `expire` also ends a lease or a wait that is longer than the longest possible one: the clock was set back meanwhile.
 */
interface Expiring {
  readonly channel: string;
  readonly held: readonly DeliveryId[];
  readonly all: boolean;
  readonly failing: readonly string[];
}

export async function expire(sql: Sql, { channel, held, all, failing }: Expiring, at: Instant): Promise<number> {
  await sql.run(END_LONG_WAITS, [channel, at]);
  await sql.run(HASTEN_AWAITED, [channel, at, failing]);
  if (all) await hasten(sql, { channel, recipient: null }, at);
  const outcome = outcomeText({ type: 'unknown', why: ENDED_WHILE_SENDING });
  return sql.run(EXPIRE, [channel, at, outcome, held]);
}

/**
 * Ends the leases of all deliveries that are being sent on the channel (null: on any), since their sender has ended.
 */
export async function endLeases(sql: Sql, channel: string | null): Promise<void> {
  await sql.run(END_LEASES, [channel]);
}

export async function refusing(sql: Sql, channel: string): Promise<string[]> {
  return (await sql.all(REFUSING, [channel])).map((row) => text(row, 'recipient'));
}

export async function hasten(sql: Sql, to: { channel: string; recipient: string | null }, at: Instant): Promise<void> {
  await sql.run(HASTEN, [to.channel, to.recipient, at]);
}

export async function nextDue(sql: Sql, { channel, perRule, resting, onlyCritical }: Share): Promise<Instant | null> {
  const row = await sql.first(onlyCritical ? NEXT_CRITICAL : NEXT_DUE, [channel, perRule, resting]);
  return row === undefined ? null : intOrNull(row, 'at');
}
