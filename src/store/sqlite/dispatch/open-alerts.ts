// Which alerts are open, as people look at them.
import type { DatabaseSync } from 'node:sqlite';
import { EVENT_OPEN_MS } from '../../../core/model/transition.ts';
import type { OpenAlertRow, OpenFilter } from '../../interventions.ts';
import { MOST_RECENT, openAlertOf } from '../../rows/alert-rows.ts';

const RECENT = `
  SELECT key FROM alerts WHERE is_open = 1 AND is_event = 0
  UNION SELECT key FROM (SELECT key FROM notifications WHERE at > ?1 ORDER BY at DESC LIMIT ${MOST_RECENT})`;
const NAMED = 'SELECT value AS key FROM json_each(?2)';

/** One that cannot be read is left out. */
export function createOpenAlertsView(db: DatabaseSync): (of: OpenFilter) => OpenAlertRow[] {
  const newestOf = (keys: string): string => `
    WITH candidates AS (${keys})
    SELECT newest.key, newest.episode, newest.seq, newest.watch, newest.alert, newest.transition, newest.labels,
      CASE WHEN json_valid(newest.message) THEN
        json_extract(newest.message, '$.watch', '$.severity', '$.title', '$.since') END AS said
    FROM candidates CROSS JOIN notifications AS newest ON newest.key = candidates.key
    WHERE newest.seq = (SELECT max(seq) FROM notifications AS other WHERE other.key = candidates.key)
      AND (transition = 'firing' OR (transition NOT IN ('resolved', 'retracted') AND newest.at > ?1))
    ORDER BY newest.at, newest.number`;
  const recent = db.prepare(newestOf(RECENT));
  const named = db.prepare(newestOf(NAMED));
  return ({ at, keys }) => {
    const since = at - EVENT_OPEN_MS;
    const rows = keys === undefined ? recent.all(since) : named.all(since, JSON.stringify(keys));
    return rows.flatMap((row) => openAlertOf(row) ?? []);
  };
}
