// Reads deliveries from their rows.
import { z } from 'zod';
import { RANK_OF, type Outcome } from '../../../core/model/delivery.ts';
import type { StoredDelivery } from '../../contract/deliveries.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { count, fromJson, instant, parsed, type Row } from '../../sql/rows.ts';
import { paged, type Sql } from '../../sql/sql.ts';

/** A stored delivery without its members. */
export type BareDelivery = Omit<StoredDelivery, 'members' | 'more'>;

/** The words are those of the index `deliveries_ended`, so that SQLite uses it. */
export const IS_ENDED = `state IN ('sent', 'dead', 'merged', 'cancelled')`;

/**
 * All ranks. If a query names all of them, SQLite uses the index `deliveries_due`, which has the rank before the due
 * time.
 */
export const RANKS = Object.values(RANK_OF).toSorted();

export const IS_DUE = `state = 'due' AND rank IN (${RANKS.join(', ')})`;

export const deliveryKind = z.enum(['news', 'repeat', 'overflow_summary', 'silence_summary', 'inhibition_summary']);
const outcome = z.object({ type: z.enum(['sent', 'again', 'rejected', 'unknown']), text: z.string() });

const stored: z.ZodType<BareDelivery> = z.object({
  id: z.string(),
  channel: z.string(),
  recipient: z.string(),
  kind: deliveryKind,
  state: z.enum(['due', 'sending', 'sent', 'dead', 'merged', 'cancelled']),
  at: instant,
  attempt: count,
  dueAt: instant,
  settledAt: instant.nullable(),
  number: count,
  dismissedAt: instant.nullable(),
  isNamed: z.boolean(),
  outcome: outcome.nullable(),
});

/** The column that `deliveryOf` reads; without it a recipient counts as named. */
export const IS_NAMED = (d: SqlDialect): string =>
  `CASE WHEN ${isNamed(d, 'mine.channel')} THEN 1 ELSE 0 END AS is_named`;

/** All stored deliveries, without their members. */
export const bareDeliveries = (d: SqlDialect): string => `
  SELECT number, id, channel, recipient, kind, state, attempt, due_at, created_at, settled_at, dismissed_at, outcome, ${IS_NAMED(d)}
  FROM deliveries AS mine`;

/** All stored deliveries, without their members, in pages. */
export const DELIVERIES = paged(['number'], ({ after, end }, d) => `${bareDeliveries(d)} WHERE ${after} ${end}`);

/** Throws a StorageError that names the delivery when the row is damaged. */
export function deliveryOf(row: Row): BareDelivery {
  return parsed(`delivery ${String(row['id'])}`, () =>
    stored.parse({
      ...row,
      dueAt: row['due_at'],
      at: row['created_at'],
      settledAt: row['settled_at'],
      dismissedAt: row['dismissed_at'],
      isNamed: row['is_named'] !== 0,
      outcome: fromJson(row['outcome']),
    }),
  );
}

/** The text of an outcome in a row. */
export function outcomeText(one: Outcome): string {
  return JSON.stringify({ type: one.type, text: one.type === 'sent' ? one.answer : one.why });
}

/** True if the last try of the delivery had this outcome. */
export const HAS_ENDED_AS = (type: Outcome['type']): string => `mine.outcome LIKE '%"type":"${type}"%'`;

/** True if a try is under way, or the outcome of a try is unknown. A refused try has not arrived. */
export const MAY_HAVE_ARRIVED = `mine.state = 'sending' OR mine.maybe_copy = 1`;

/**
 * True if the last try certainly did not arrive, and was not rejected. A receiver that rejects a message may be in the
 * middle of a change, so the message keeps its wait.
 */
export const MAY_GO_OUT_OF_TURN = `NOT ${HAS_ENDED_AS('unknown')} AND NOT ${HAS_ENDED_AS('rejected')}`;

/** The total time that the sender of a channel has run; `channel` is a column or a parameter. */
export function ranOf(channel: string): string {
  return `coalesce((SELECT ran_ms FROM channels WHERE name = ${channel}), 0)`;
}

/**
 * True if the sender of the channel has named the recipient since its last start, or has not started yet. `channel` is a
 * column or a parameter.
 */
export function isNamed(d: SqlDialect, channel: string): string {
  const named = `(SELECT recipients FROM channels WHERE name = ${channel})`;
  return `(${named} IS NULL OR ${d.jsonHas(named, 'mine.recipient')})`;
}

/** True if the delivery counts as owed. */
export function isOwed(d: SqlDialect): string {
  return `mine.state IN ('due', 'sending') AND ${isNamed(d, 'mine.channel')}`;
}

const RELEASE = 'DELETE FROM delivery_order WHERE earlier = $1';

/** Ends the wait of deliveries that wait for this one. */
export async function release(sql: Sql, number: number): Promise<void> {
  await sql.run(RELEASE, [number]);
}
