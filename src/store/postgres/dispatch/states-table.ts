// What recipients know of alerts: how far they are told, what is held back, and which group tells them.
import type { Recipient } from '../../../core/model/ids.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Key, RecipientState } from '../../../dispatch/model.ts';
import type { ActiveState, Rerouted } from '../../../dispatch/reroute.ts';
import type { Informed, Knowledge, Owing } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { RecipientStateKey } from '../../dispatch-store.ts';
import { activeOf, heldText, knowledgeOf, owedIn, recipientOf } from '../../rows/dispatch-rows.ts';
import { columns, jsonText, type Sql } from '../sql.ts';
import { moved, notAfter } from './moved-clock.ts';

/** What has to be looked at when its group is due. As in the index. */
export const IS_ACTIVE = 'wanted > closed OR held IS NOT NULL OR repeats';

/** Whether a delivery of what is owed to the recipient was tried; null: none is owed. */
export const TRIED = `
  CASE WHEN state.closed > 0 THEN (
    SELECT bool_or(mine.attempt > 0) FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE member.key = state.key AND mine.channel = state.channel AND mine.recipient = state.recipient
      AND mine.state IN ('due', 'sending', 'parked')) END AS tried`;

export async function knownOf(sql: Sql, keys: readonly Key[]): Promise<Knowledge[]> {
  if (keys.length === 0) return [];
  const rows = await sql.all(
    `SELECT state.*, ${TRIED} FROM recipient_state AS state WHERE key = ANY($1::text[]) ORDER BY channel, recipient, key`,
    [keys],
  );
  return rows.map((row) => knowledgeOf(row, owedIn(row)));
}

/** Of several for one recipient and alert the last one counts. */
export async function oweStates(sql: Sql, owing: readonly Owing[], at: Instant): Promise<void> {
  const last = new Map(owing.map((one) => [JSON.stringify([one.key, one.group.target]), one]));
  if (last.size === 0) return;
  await sql.run(
    `INSERT INTO recipient_state (key, channel, recipient, group_id, via, wanted, closed, begun, held, held_at, wanted_at)
    SELECT *, $1::bigint FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
      $8::bigint[], $9::bigint[], $10::text[], $11::bigint[])
    ON CONFLICT (key, channel, recipient) DO UPDATE SET
      group_id = excluded.group_id, via = excluded.via, wanted = excluded.wanted, closed = excluded.closed,
      begun = excluded.begun, held = excluded.held, held_at = excluded.held_at, wanted_at = excluded.wanted_at`,
    [
      at,
      ...columns(
        [...last.values()],
        [
          ({ key }) => key,
          ({ group }) => group.target.channel,
          ({ group }) => group.target.recipient,
          ({ group }) => group.id,
          ({ via }) => via,
          ({ state }) => state.wanted,
          ({ state }) => state.closed,
          ({ state }) => state.begun,
          ({ state }) => heldText(state.held),
          ({ state }) => state.heldAt,
        ],
      ),
    ],
  );
}

export async function informStates(sql: Sql, { keys, target }: Informed, at: Instant): Promise<void> {
  await sql.run(
    `INSERT INTO recipient_state (key, channel, recipient, wanted, closed, begun, decided, wanted_at)
    SELECT DISTINCT key, $2, $3, 1, 1, 1, 1, $4::bigint FROM unnest($1::text[]) AS about (key)
    ON CONFLICT (key, channel, recipient) DO NOTHING`,
    [keys, target.channel, target.recipient, at],
  );
}

export interface Decided extends RecipientStateKey {
  readonly state: RecipientState;
  /** It is told again while it is open. */
  readonly repeats: boolean;
}

/** After a decision. */
export async function keepStates(sql: Sql, decided: readonly Decided[]): Promise<void> {
  if (decided.length === 0) return;
  await sql.run(
    `UPDATE recipient_state AS state SET
      wanted = greatest(state.wanted, d.wanted), closed = d.closed, begun = d.begun, held = d.held, held_at = d.held_at,
      decided = greatest(state.decided, d.wanted), repeats = d.repeats
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[],
      $9::bool[]) AS d (key, channel, recipient, wanted, closed, begun, held, held_at, repeats)
    WHERE (state.key, state.channel, state.recipient) = (d.key, d.channel, d.recipient)`,
    columns(decided, [
      ({ key }) => key,
      ({ channel }) => channel,
      ({ recipient }) => recipient,
      ({ state }) => state.wanted,
      ({ state }) => state.closed,
      ({ state }) => state.begun,
      ({ state }) => heldText(state.held),
      ({ state }) => state.heldAt,
      ({ repeats }) => repeats,
    ]),
  );
}

/** Nothing of these can be told any more, until something new happens to the alert. */
export async function giveUpStates(sql: Sql, keys: readonly Key[], { channel, recipient }: Recipient): Promise<void> {
  if (keys.length === 0) return;
  await sql.run(
    `UPDATE recipient_state SET closed = greatest(closed, wanted), held = NULL, held_at = NULL, repeats = false
    WHERE key = ANY($1::text[]) AND channel = $2 AND recipient = $3`,
    [keys, channel, recipient],
  );
}

/** What waits, and what is known of open alerts. */
export async function activeStates(sql: Sql, after: RecipientStateKey | null, limit: number): Promise<ActiveState[]> {
  const rows = await sql.all(
    `SELECT state.*, ${TRIED}, newest.watch, newest.alert, newest.labels FROM recipient_state AS state
      JOIN notifications AS newest ON newest.key = state.key AND newest.seq = state.wanted
    WHERE (state.key, channel, recipient) > ($1, $2, $3)
      AND (${IS_ACTIVE} OR begun IS NOT NULL AND EXISTS (SELECT FROM alerts WHERE alerts.key = state.key AND is_open))
    ORDER BY state.key, channel, recipient LIMIT $4`,
    [after?.key ?? '', after?.channel ?? '', after?.recipient ?? '', limit],
  );
  return rows.map((row) => activeOf(row, owedIn(row)));
}

export async function rerouteStates(sql: Sql, rerouted: readonly Rerouted[]): Promise<void> {
  if (rerouted.length === 0) return;
  await sql.run(
    `UPDATE recipient_state AS state SET
      group_id = r.group_id, wanted = r.wanted, closed = r.closed, begun = r.begun, held = r.held, held_at = r.held_at,
      decided = 0, repeats = r.is_named AND state.begun IS NOT NULL
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[],
      $9::bigint[], $10::bool[])
      AS r (key, channel, recipient, group_id, wanted, closed, begun, held, held_at, is_named)
    WHERE (state.key, state.channel, state.recipient) = (r.key, r.channel, r.recipient)`,
    columns(rerouted, [
      ({ key }) => key,
      ({ group }) => group.target.channel,
      ({ group }) => group.target.recipient,
      ({ group }) => group.id,
      ({ state }) => state.wanted,
      ({ state }) => state.closed,
      ({ state }) => state.begun,
      ({ state }) => heldText(state.held),
      ({ state }) => state.heldAt,
      ({ isNamed }) => isNamed,
    ]),
  );
}

export async function moveStates(sql: Sql, { byMs, now }: ClockShift): Promise<void> {
  await sql.run(
    `UPDATE recipient_state SET notified_at = ${moved('notified_at')}, held_at = ${notAfter('held_at', '$2')}
    WHERE ${IS_ACTIVE}`,
    [byMs, now],
  );
}

/** What is neither open, nor waits, nor was heard of since. */
export async function pruneStates(sql: Sql, before: Instant): Promise<void> {
  await sql.run(
    `DELETE FROM recipient_state AS state WHERE wanted_at < $1 AND NOT (${IS_ACTIVE})
      AND NOT EXISTS (SELECT FROM alerts WHERE alerts.key = state.key AND is_open)`,
    [before],
  );
}

/** By key of each alert that fires, who was told so. */
export async function told(sql: Sql): Promise<Map<string, readonly Recipient[]>> {
  const rows = await sql.all(`
    SELECT key, channel, recipient FROM alerts JOIN recipient_state USING (key)
    WHERE is_open AND NOT is_event AND begun IS NOT NULL ORDER BY channel, recipient`);
  const byKey = Map.groupBy(rows, ({ key }) => String(key));
  return new Map([...byKey].map(([key, some]) => [key, some.map(recipientOf)]));
}

/** How many messages are held back, by the reason. */
export async function heldCounts(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.all(`
    SELECT ${jsonText('held', 'why')} AS why, count(*) AS count FROM recipient_state
    WHERE (${IS_ACTIVE}) AND held IS NOT NULL GROUP BY 1 ORDER BY 1`);
  return new Map(rows.map((row) => [String(row['why']), Number(row['count'])]));
}
