// Which episodes of alerts operators have acknowledged.
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Key } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { StoredAck } from '../../interventions.ts';
import { ackOf, refusalOfAck } from '../../rows/operator-rows.ts';
import { readable } from '../../rows/rows.ts';
import type { Sql } from '../sql.ts';

const COLUMNS = 'key, episode, id, seq, severity, actor, comment, at, ends_at';
/** The episode has not ended since it was acknowledged. */
export const LASTS = `NOT EXISTS (
  SELECT FROM notifications AS later WHERE later.key = acks.key AND later.seq > acks.seq
    AND (later.episode > acks.episode OR later.transition IN ('resolved', 'retracted')))`;

/** For who reads every acknowledgement. */
export const ACKS = `SELECT ${COLUMNS} FROM acks ORDER BY at, id`;

/** An earlier one of the same episode gives way to it. */
export async function acknowledge(
  sql: Sql,
  ack: StoredAck,
): Promise<StoredAck | 'not-found' | 'is-over' | 'stale-seq'> {
  const { key, episode, id, seq, severity, actor, comment, at, until } = ack;
  const newest = await sql.first(
    'SELECT episode, seq, transition, at FROM notifications WHERE key = $1 ORDER BY seq DESC LIMIT 1',
    [key],
  );
  const why = refusalOfAck(newest, ack);
  if (why !== null) return why;
  await sql.run(
    `INSERT INTO acks (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (key, episode) DO UPDATE SET id = excluded.id, seq = excluded.seq, severity = excluded.severity,
      actor = excluded.actor, comment = excluded.comment, at = excluded.at, ends_at = excluded.ends_at`,
    [key, episode, id, seq, severity, actor, comment, at, until],
  );
  return ack;
}

export async function endAck(
  sql: Sql,
  { key, episode }: { readonly key: Key; readonly episode: number },
  at: Instant,
): Promise<StoredAck | 'not-found' | 'is-over'> {
  const row = await sql.first(`SELECT ${COLUMNS}, ${LASTS} AS lasts FROM acks WHERE key = $1 AND episode = $2`, [
    key,
    episode,
  ]);
  const [found] = row === undefined ? [] : readable([row], ackOf);
  if (found === undefined) return 'not-found';
  if (row?.['lasts'] === 0 || found.until <= at) return 'is-over';
  await sql.run('UPDATE acks SET ends_at = $1 WHERE key = $2 AND episode = $3', [at, key, episode]);
  return { ...found, until: at };
}

export async function hasAck(sql: Sql, id: string): Promise<boolean> {
  return (await sql.first('SELECT FROM acks WHERE id = $1', [id])) !== undefined;
}

/** Of episodes that last. One that cannot be read is left out: its alert is repeated. */
export async function acksAt(sql: Sql, at: Instant): Promise<StoredAck[]> {
  return readable(
    await sql.all(`SELECT ${COLUMNS} FROM acks WHERE ends_at > $1 AND ${LASTS} ORDER BY at, id`, [at]),
    ackOf,
  );
}

/** An acknowledgement keeps the time that it had left. */
export async function moveAcks(sql: Sql, { byMs, now }: ClockShift): Promise<void> {
  await sql.run(
    `UPDATE acks SET ends_at = ends_at + greatest($1::bigint, 0) WHERE ends_at > $2::bigint - greatest($1::bigint, 0)`,
    [byMs, now],
  );
}

export async function pruneAcks(sql: Sql, endedBefore: Instant): Promise<void> {
  await sql.run('DELETE FROM acks WHERE ends_at < $1', [endedBefore]);
}
