// Deliveries for people: counts, and lists with the members of each.
import type { AlertId, DeliveryId, WatchId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type {
  Backlog,
  DeliveryFilter,
  DeliveryState,
  OutboxDepth,
  OwedDepth,
  StoredDelivery,
  Survey,
} from '../../contract/deliveries.ts';
import { FEWEST_TRIES } from '../../../core/after-outcome.ts';
import { int, text, type Row } from '../../sql/rows.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import type { Sql, Statement } from '../../sql/sql.ts';
import { membersOf } from './delivery-members.ts';
import { bareDeliveries, deliveryOf, IS_DUE, IS_ENDED, isNamed, isOwed } from './delivery-rows.ts';

const DEPTH = (d: SqlDialect): string => `
  SELECT channel, count(*) AS rows, min(created_at) AS oldest,
    count(*) FILTER (WHERE attempt >= ${FEWEST_TRIES - 1}) AS tried_often
  FROM deliveries AS mine WHERE ${isOwed(d)} GROUP BY channel ORDER BY channel`;

const COUNTS = `
  SELECT count(*) FILTER (WHERE state = 'sent') AS sent,
    count(*) FILTER (WHERE state = 'dead' AND dismissed_at IS NULL) AS dead
  FROM deliveries WHERE ${IS_ENDED}`;

// The redundant condition of the index lets SQLite find the few given-up deliveries, which are then sorted.
const IS_DEAD = `state = 'dead' AND ${IS_ENDED}`;
const IS_UNDISMISSED = `state = 'dead' AND dismissed_at IS NULL AND ${IS_ENDED}`;

const GIVEN_UP = `
  SELECT channel, count(*) AS rows, min(settled_at) AS oldest FROM deliveries
  WHERE ${IS_UNDISMISSED} AND settled_at >= $1 GROUP BY channel ORDER BY channel`;

const SOME: Readonly<Record<DeliveryState | 'any', Statement>> = {
  any: someOf('1 = 1'),
  owed: someOf(isOwed),
  'given-up': someOf(IS_DEAD),
  undismissed: someOf(IS_UNDISMISSED),
  sent: someOf("state = 'sent'"),
};

const ONE = (d: SqlDialect): string => `${bareDeliveries(d)} WHERE id = $1`;

const LAST_TRIED = (d: SqlDialect): string => `
  ${bareDeliveries(d)} WHERE channel = $1 AND ${IS_DUE} AND attempt > 0 AND ${isNamed(d, '$1')} ORDER BY due_at DESC, number DESC LIMIT 1`;

const DEAD = (d: SqlDialect): string =>
  `${bareDeliveries(d)} WHERE ${IS_UNDISMISSED} ORDER BY settled_at DESC, number DESC LIMIT $1 + 0`;

const OF_ALERT = (d: SqlDialect): string => `
  ${bareDeliveries(d)}
  WHERE number IN (
    SELECT member.delivery FROM notifications AS notification
      JOIN group_member AS member ON member.key = notification.key AND member.seq = notification.seq
    WHERE watch = $1 AND alert = $2)
  ORDER BY number DESC LIMIT $3 + 0`;

function someOf(which: Statement): Statement {
  return (d) => `
    ${bareDeliveries(d)}
    WHERE ${typeof which === 'string' ? which : which(d)} AND ($1::text IS NULL OR channel = $1) AND ($2::bigint IS NULL OR number < $2)
    ORDER BY number DESC LIMIT $3 + 0`;
}

export async function survey(sql: Sql): Promise<Survey> {
  const counts = await sql.first(COUNTS);
  const outbox = (await sql.all(DEPTH)).map(owedOf);
  return { outbox, sent: Number(counts?.['sent']), dead: Number(counts?.['dead']) };
}

export async function backlog(sql: Sql, deadSince: Instant): Promise<Backlog> {
  const dead = await sql.all(GIVEN_UP, [deadSince]);
  return { owed: (await sql.all(DEPTH)).map(owedOf), dead: dead.map(depthOf) };
}

function owedOf(row: Row): OwedDepth {
  return { ...depthOf(row), triedOften: int(row, 'tried_often') };
}

function depthOf(row: Row): OutboxDepth {
  return { channel: text(row, 'channel'), rows: int(row, 'rows'), oldest: int(row, 'oldest') };
}

/** Newest first. */
export async function deliveries(
  sql: Sql,
  { state, channel, before, limit }: DeliveryFilter,
): Promise<StoredDelivery[]> {
  return storedOf(sql, await sql.all(SOME[state ?? 'any'], [channel, before, limit]));
}

export async function delivery(sql: Sql, id: DeliveryId): Promise<StoredDelivery | null> {
  return (await storedOf(sql, await sql.all(ONE, [id])))[0] ?? null;
}

export async function lastTried(sql: Sql, channel: string): Promise<StoredDelivery | null> {
  return (await storedOf(sql, await sql.all(LAST_TRIED, [channel])))[0] ?? null;
}

/** Deliveries that were given up or refused, newest first. */
export async function dead(sql: Sql, limit: number): Promise<StoredDelivery[]> {
  return storedOf(sql, await sql.all(DEAD, [limit]));
}

/** Deliveries of one alert of a watch, newest first. */
export async function deliveriesOf(sql: Sql, watch: WatchId, alert: AlertId, limit: number): Promise<StoredDelivery[]> {
  return storedOf(sql, await sql.all(OF_ALERT, [watch, alert, limit]));
}

async function storedOf(sql: Sql, rows: readonly Row[]): Promise<StoredDelivery[]> {
  const all: StoredDelivery[] = [];
  for (const row of rows) {
    const bare = deliveryOf(row);
    all.push({ ...bare, ...(await membersOf(sql, bare)) });
  }
  return all;
}
