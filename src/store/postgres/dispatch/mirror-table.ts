// What receivers that keep their own state of alerts are shown, and what of it they accepted.
import type { MirroredAlert } from '../../../core/model/mirror.ts';
import type { Instant } from '../../../lib/clock.ts';
import { mirroredOf } from '../../rows/alert-rows.ts';
import type { AcceptedAlert, PassedAck } from '../../mirrors.ts';
import { passedAckOf } from '../../rows/operator-rows.ts';
import { LASTS } from '../operators/acks-table.ts';
import { columns, type Sql } from '../sql.ts';

/** The oldest news first. One that cannot be read is left out. */
export async function mirrored(sql: Sql, channel: string, since: Instant): Promise<MirroredAlert[]> {
  const rows = await sql.all(
    `WITH candidates AS (SELECT key FROM alerts WHERE is_open UNION SELECT key FROM notifications WHERE at > $2)
    SELECT newest.message, first.labels, mirrored.seq, mirrored.at, mirrored.ends_at
    FROM candidates
      JOIN notifications AS newest ON newest.key = candidates.key
      JOIN notifications AS first ON first.key = candidates.key
      LEFT JOIN mirrored ON mirrored.channel = $1 AND mirrored.key = candidates.key AND mirrored.seq >= first.seq
    WHERE newest.seq = (SELECT max(seq) FROM notifications AS one WHERE one.key = candidates.key)
      AND first.seq = (
        SELECT min(seq) FROM notifications AS one WHERE one.key = candidates.key AND one.episode = newest.episode)
      AND EXISTS (
        SELECT FROM notifications AS one
        WHERE one.key = candidates.key AND one.episode = newest.episode AND one.notify IS JSON ARRAY
          AND $1 IN (SELECT json_array_elements_text(one.notify::json)))
    ORDER BY newest.number`,
    [channel, since],
  );
  return rows.flatMap((row) => mirroredOf(row) ?? []);
}

/** Acknowledgements in force of what the receiver was told of, and that it has not accepted. The oldest first. */
export async function acksToPass(sql: Sql, channel: string, at: Instant): Promise<PassedAck[]> {
  const rows = await sql.all(
    `SELECT acks.key, acks.seq, acks.at, acks.ends_at FROM acks
    WHERE acks.ends_at > $2 AND ${LASTS}
      AND EXISTS (
        SELECT FROM recipient_state AS state
        WHERE state.key = acks.key AND state.channel = $1 AND begun IS NOT NULL AND notified >= begun)
      AND NOT EXISTS (
        SELECT FROM mirrored WHERE mirrored.channel = $1 AND mirrored.key = acks.key AND mirrored.at >= acks.at)
    ORDER BY acks.at, acks.key`,
    [channel, at],
  );
  return rows.map(passedAckOf);
}

export async function keepMirrored(sql: Sql, channel: string, accepted: readonly AcceptedAlert[]): Promise<void> {
  await sql.run(
    `INSERT INTO mirrored (channel, key, seq, at, ends_at)
    SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
    ON CONFLICT (channel, key) DO UPDATE SET seq = excluded.seq, at = excluded.at, ends_at = excluded.ends_at`,
    [channel, ...columns(accepted, [({ key }) => key, ({ seq }) => seq, ({ at }) => at, ({ endsAt }) => endsAt])],
  );
}

/** What was accepted before then, of alerts that do not fire. */
export async function pruneMirrored(sql: Sql, before: Instant): Promise<void> {
  await sql.run(
    `DELETE FROM mirrored WHERE at < $1
      AND NOT EXISTS (SELECT FROM alerts WHERE alerts.key = mirrored.key AND is_open)`,
    [before],
  );
}
