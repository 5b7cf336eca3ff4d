// Which alerts are open, and which of them somebody has to answer.
import type { CalledAlert, CallState } from '../../../dispatch/rounds/call-round.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { Key, InhibitingAlert } from '../../../dispatch/model.ts';
import type { Turned } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { calledOf, labelsOf, numberOrNull } from '../../rows/dispatch-rows.ts';
import { columns, type Sql } from '../sql.ts';
import { moved } from './moved-clock.ts';
import { knownOf } from './states-table.ts';

/** No two of them are about one alert. */
export async function turnAlerts(sql: Sql, turned: readonly Turned[], at: Instant): Promise<void> {
  await open(
    sql,
    turned.filter((one) => one.type === 'opened'),
    at,
  );
  await close(
    sql,
    turned.filter((one) => one.type === 'closed'),
    at,
  );
}

async function open(sql: Sql, opened: readonly Extract<Turned, { type: 'opened' }>[], at: Instant): Promise<void> {
  if (opened.length === 0) return;
  const ifOpen = (column: string, otherwise: string): string =>
    `${column} = CASE WHEN alerts.is_open THEN alerts.${column} ELSE ${otherwise} END`;
  await sql.run(
    `INSERT INTO alerts (key, newest, episode, is_open, began, at, watch, alert, labels, is_event, opened_at)
    SELECT key, seq, episode, true, seq, $1, watch, alert, labels, is_event, opened_at
    FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bool[], $9::bigint[])
      AS one (key, seq, episode, watch, alert, labels, is_event, opened_at)
    ON CONFLICT (key) DO UPDATE SET
      ${ifOpen('began', 'excluded.began')}, ${ifOpen('opened_at', 'excluded.opened_at')},
      ${ifOpen('first_closed_at', 'NULL')}, ${ifOpen('escalation_step', '0')}, ${ifOpen('failed_over', 'false')},
      ${ifOpen('due_at', 'NULL')},
      newest = excluded.newest, episode = excluded.episode, is_open = true, at = excluded.at,
      watch = excluded.watch, alert = excluded.alert, labels = excluded.labels, is_event = excluded.is_event`,
    [
      at,
      ...columns(opened, [
        ({ notification }) => notification.key,
        ({ notification }) => notification.seq,
        ({ notification }) => notification.episode,
        ({ notification }) => notification.watch,
        ({ notification }) => notification.alert,
        ({ notification }) => JSON.stringify(notification.labels),
        ({ isEvent }) => isEvent,
        ({ notification }) => notification.at,
      ]),
    ],
  );
}

async function close(sql: Sql, closed: readonly Turned[], at: Instant): Promise<void> {
  if (closed.length === 0) return;
  await sql.run(
    `UPDATE alerts SET newest = one.seq, is_open = false, at = $1, due_at = NULL
    FROM unnest($2::text[], $3::bigint[]) AS one (key, seq) WHERE alerts.key = one.key`,
    [at, ...columns(closed, [({ notification }) => notification.key, ({ notification }) => notification.seq])],
  );
}

/** Conditions: they may inhibit others. */
export async function openConditions(sql: Sql): Promise<InhibitingAlert[]> {
  const rows = await sql.all('SELECT key, watch, labels FROM alerts WHERE is_open AND NOT is_event ORDER BY key');
  return rows.flatMap((row) => {
    const labels = labelsOf(row['labels'])?.labels;
    return labels === undefined ? [] : [{ key: String(row['key']), watch: String(row['watch']), labels }];
  });
}

/**
 * They were put into a message on a channel that counts. `isAnswered`: whether others have to be called is decided next.
 */
export async function markTold(
  sql: Sql,
  told: readonly { readonly key: Key; readonly isAnswered: boolean }[],
  at: Instant,
): Promise<void> {
  if (told.length === 0) return;
  await sql.run(
    `UPDATE alerts SET
      first_closed_at = $1, due_at = CASE WHEN one.is_answered THEN coalesce(due_at, $1::bigint) ELSE due_at END
    FROM unnest($2::text[], $3::bool[]) AS one (key, is_answered)
    WHERE alerts.key = one.key AND is_open AND first_closed_at IS NULL`,
    [at, ...columns(told, [({ key }) => key, ({ isAnswered }) => isAnswered])],
  );
}

/** `uncounted`: channels on which nobody answers. */
export async function dueAlerts(
  sql: Sql,
  at: Instant,
  limit: number,
  uncounted: readonly string[],
): Promise<CalledAlert[]> {
  const rows = await sql.all(
    `SELECT *, EXISTS (
        SELECT FROM recipient_state AS state
        WHERE state.key = alerts.key AND state.notified >= alerts.began AND NOT state.channel = ANY($3::text[])
      ) AS is_accepted
    FROM alerts WHERE due_at <= $1 ORDER BY due_at, key LIMIT $2`,
    [at, limit, uncounted],
  );
  const alerts = rows.flatMap((row) => calledOf(row) ?? []);
  const known = Map.groupBy(
    await knownOf(
      sql,
      alerts.map(({ key }) => key),
    ),
    ({ key }) => key,
  );
  return alerts.map((alert) => ({ ...alert, known: known.get(alert.key) ?? [] }));
}

export async function keepCalls(sql: Sql, states: readonly CallState[], at: Instant): Promise<void> {
  if (states.length === 0) return;
  await sql.run(
    `UPDATE alerts SET escalation_step = one.step, failed_over = one.failed_over, is_open = one.is_open,
      due_at = one.due_at, at = greatest(at, $1::bigint)
    FROM unnest($2::text[], $3::int[], $4::bool[], $5::bool[], $6::bigint[])
      AS one (key, step, failed_over, is_open, due_at)
    WHERE alerts.key = one.key`,
    [
      at,
      ...columns(states, [
        ({ key }) => key,
        ({ stepsTaken }) => stepsTaken,
        ({ hasFailedOver }) => hasFailedOver,
        ({ isOpen }) => isOpen,
        ({ askAt }) => askAt,
      ]),
    ],
  );
}

/** Whether others have to be called is decided anew. */
export async function askAgain(sql: Sql, at: Instant): Promise<void> {
  await sql.run('UPDATE alerts SET due_at = $1 WHERE is_open AND first_closed_at IS NOT NULL', [at]);
}

export async function moveAlerts(sql: Sql, { byMs, now }: ClockShift): Promise<void> {
  await sql.run(
    `UPDATE alerts SET first_closed_at = ${moved('first_closed_at')}, opened_at = ${moved('opened_at')},
      due_at = CASE WHEN first_closed_at IS NOT NULL THEN $2::bigint END
    WHERE is_open`,
    [byMs, now],
  );
}

export async function nextAlert(sql: Sql): Promise<Instant | null> {
  return numberOrNull((await sql.first('SELECT min(due_at) AS at FROM alerts WHERE due_at IS NOT NULL'))?.['at']);
}

export async function pruneAlerts(sql: Sql, before: Instant): Promise<void> {
  await sql.run('DELETE FROM alerts WHERE NOT is_open AND at < $1', [before]);
}
