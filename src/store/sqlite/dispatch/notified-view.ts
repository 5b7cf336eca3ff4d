// Notifications of the last time by the labels of their alerts, as somebody who wants to silence some of them looks at them.
import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../../lib/clock.ts';
import { notifiedOf } from '../../rows/alert-rows.ts';
import type { NotifiedLabels } from '../../store.ts';

// Silences let the end of what was told before through.
const OF_THE_TIME = `
  at >= ?1 AND (transition NOT IN ('resolved', 'retracted') OR EXISTS (
    SELECT 1 FROM notifications AS begin
    WHERE begin.key = notification.key AND begin.episode = notification.episode AND begin.seq < notification.seq
      AND begin.at >= ?1))`;

/** One that cannot be read is left out. */
export function createNotifiedView(db: DatabaseSync): (since: Instant) => NotifiedLabels[] {
  const counts = db.prepare(`
    SELECT labels, count(*) AS count FROM notifications AS notification WHERE ${OF_THE_TIME} GROUP BY labels`);
  const targets = db.prepare(`
    SELECT DISTINCT labels, channel, recipient
    FROM notifications AS notification JOIN recipient_state AS state ON state.key = notification.key
    WHERE ${OF_THE_TIME} AND state.wanted >= notification.seq ORDER BY channel, recipient`);
  return (since) => notifiedOf(counts.all(since), targets.all(since));
}
