// Which alerts are open, as people look at them.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Instant } from '../../lib/clock.ts';
import { EVENT_OPEN_MS, type OpenAlertRow } from '../interventions.ts';
import { fromJson, messageOf, type Row } from '../rows.ts';

/**
 * Conditions that fire, and events of the last day that were not retracted; the oldest first. One that cannot be read is
 * left out.
 */
export function createOpenAlertsView(db: DatabaseSync): (at: Instant) => OpenAlertRow[] {
  const open = db.prepare(`
    WITH candidates AS (
      SELECT key FROM alerts WHERE is_open = 1 UNION SELECT key FROM notifications WHERE at > ?1)
    SELECT newest.key, newest.episode, newest.seq, newest.watch, newest.alert, newest.transition, newest.labels,
      newest.message, newest.at
    FROM candidates CROSS JOIN notifications AS newest ON newest.key = candidates.key
    WHERE newest.seq = (SELECT max(seq) FROM notifications AS other WHERE other.key = candidates.key)
      AND (transition = 'firing' OR (transition NOT IN ('resolved', 'retracted') AND newest.at > ?1))
    ORDER BY newest.at, newest.number`);
  return (at) => open.all(at - EVENT_OPEN_MS).flatMap((row) => openAlertOf(row) ?? []);
}

const labels = z.record(z.string(), z.string());

function openAlertOf(row: Row): OpenAlertRow | null {
  const message = messageOf(row);
  const read = labels.safeParse(message === null ? null : fromJson(row['labels']));
  if (message === null || !read.success) return null;
  const { key, episode, seq, watch: name, severity, title, since } = message;
  return {
    key,
    episode,
    seq,
    watch: String(row['watch']),
    alert: String(row['alert']),
    name,
    labels: read.data,
    severity,
    title,
    since,
    isEvent: row['transition'] !== 'firing',
  };
}
