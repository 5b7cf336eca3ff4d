// Which alerts are open, as people look at them.
import { isRow } from '../../../core/values/fields.ts';
import { EVENT_OPEN_MS } from '../../../core/model/transition.ts';
import { MOST_RECENT, openAlertOf } from '../../rows/alert-rows.ts';
import type { OpenAlertRow, OpenFilter } from '../../interventions.ts';
import { jsonOrNull, type Row } from '../../rows/rows.ts';
import type { Sql } from '../sql.ts';

const RECENT = `
  SELECT key FROM alerts WHERE is_open AND NOT is_event
  UNION SELECT key FROM (SELECT key FROM notifications WHERE at > $1 ORDER BY at DESC LIMIT ${MOST_RECENT}) AS recent`;
const NAMED = 'SELECT DISTINCT key FROM unnest($2::text[]) AS named (key)';

/** One that cannot be read is left out. */
export async function openAlerts(sql: Sql, { at, keys }: OpenFilter): Promise<OpenAlertRow[]> {
  const since = at - EVENT_OPEN_MS;
  const rows = await sql.all(
    `WITH candidates AS (${keys === undefined ? RECENT : NAMED})
    SELECT newest.key, newest.episode, newest.seq, newest.watch, newest.alert, newest.transition, newest.labels,
      newest.message
    FROM candidates JOIN notifications AS newest ON newest.key = candidates.key
    WHERE newest.seq = (SELECT max(seq) FROM notifications AS other WHERE other.key = candidates.key)
      AND (transition = 'firing' OR (transition NOT IN ('resolved', 'retracted') AND newest.at > $1))
    ORDER BY newest.at, newest.number`,
    keys === undefined ? [since] : [since, keys],
  );
  return rows.flatMap((row) => openAlertOf({ ...row, said: saidIn(row) }) ?? []);
}

// Not in SQL: what a stranger named may hold a NUL, which PostgreSQL does not take out of JSON. Nor the whole message:
// reading thousands of them takes a second.
function saidIn(row: Row): unknown {
  const message = jsonOrNull(row['message']);
  return isRow(message) ? ['watch', 'severity', 'title', 'since'].map((name) => message[name]) : null;
}
