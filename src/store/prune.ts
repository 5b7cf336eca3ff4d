// Drops rows that are too old or too many.
import type { Instant } from '../lib/clock.ts';
import type { Ages } from './contract/store.ts';
import type { SqlDialect } from './sql/dialect.ts';
import type { Sql } from './sql/sql.ts';
import { IS_ACTIVE } from './tables/alerts/recipient-states.ts';
import { IS_ENDED, isNamed } from './tables/deliveries/delivery-rows.ts';
import { MOST_DROPPED, pruneJournal } from './tables/journal/journal.ts';

/** Silences and acknowledgements are kept longer than messages, by this time. */
const KEPT_LONGER_MS = 60 * 86_400_000;

const OPERATED = ['DELETE FROM silences WHERE ends_at < $1', 'DELETE FROM acks WHERE ends_at < $1'];

const isOpen = (key: string): string => `EXISTS (SELECT 1 FROM alerts WHERE alerts.key = ${key} AND is_open = 1)`;

/** Notifications stay while they have a delivery, or further messages about their alert are possible. */
const SETTLED = [
  `DELETE FROM deliveries WHERE ${IS_ENDED} AND settled_at < $1`,
  `DELETE FROM notifications AS n WHERE routed = 1 AND at < $1
    AND NOT EXISTS (SELECT 1 FROM group_member AS member WHERE member.key = n.key AND member.seq = n.seq)
    AND NOT EXISTS (SELECT 1 FROM recipient_state AS state WHERE state.key = n.key AND (${IS_ACTIVE}))
    AND NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.key = n.key AND alerts.newest = n.seq AND is_open = 1)`,
  `DELETE FROM mirrored WHERE at < $1 AND NOT ${isOpen('mirrored.key')}`,
];

/** Messages whose recipient was not named again. They are no record, so they stay also while the state is full. */
const UNNAMED = (d: SqlDialect): string => `
  DELETE FROM deliveries AS mine
  WHERE mine.state IN ('due', 'sending') AND mine.state = 'due' AND mine.created_at < $1 AND NOT ${isNamed(d, 'mine.channel')}`;

/**
 * Drops alerts and recipient states that are not open, have nothing pending and have not changed since $1, and groups
 * without members.
 */
const ALERTS = [
  `DELETE FROM recipient_state AS state WHERE wanted_at < $1 AND NOT (${IS_ACTIVE}) AND NOT ${isOpen('state.key')}`,
  'DELETE FROM alerts WHERE is_open = 0 AND at < $1',
  `DELETE FROM dispatch_group AS old WHERE due_at IS NULL AND coalesce(closed_at, 0) < $1
    AND NOT EXISTS (SELECT 1 FROM recipient_state WHERE group_id = old.id AND (${IS_ACTIVE}))`,
];

const MEASURED = ['DELETE FROM sample_buckets WHERE at < $1', 'DELETE FROM unknown_spans WHERE until < $1'];

/** The most rows in each table of samples, so that none grows beyond a gigabyte. */
const MOST_ROWS = 6_000_000;
/** The most rows that one call drops from a table, which takes a few tens of milliseconds. */
const MOST_SAMPLES = 50_000;

const TOO_MANY = ['samples', 'sample_buckets', 'unknown_spans'].map(
  (table) => `
  DELETE FROM ${table} WHERE number IN (
    SELECT number FROM ${table} WHERE number <= (SELECT max(number) FROM ${table}) - ${MOST_ROWS}
    ORDER BY number LIMIT ${MOST_SAMPLES})`,
);

/**
 * Plans without a change for this time are dropped. It is longer than a month, the longest time between two refills of
 * credits.
 */
const PLANS_KEPT_MS = 40 * 86_400_000;

export async function prune(sql: Sql, { settled, alerts, journal }: Ages, at: Instant): Promise<void> {
  for (const statement of OPERATED) await sql.run(statement, [settled - KEPT_LONGER_MS]);
  await sql.run(UNNAMED, [alerts]);
  for (const statement of SETTLED) await sql.run(statement, [settled]);
  for (const statement of ALERTS) await sql.run(statement, [alerts]);
  for (const statement of MEASURED) await sql.run(statement, [journal]);
  await sql.run('DELETE FROM plans WHERE at < $1', [at - PLANS_KEPT_MS]);
  for (const statement of TOO_MANY) await sql.run(statement);
  await pruneJournal(sql, at, { before: journal, limit: MOST_DROPPED });
}
