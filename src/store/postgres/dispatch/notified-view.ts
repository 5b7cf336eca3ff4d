// Notifications of the last time by the labels of their alerts, as somebody who wants to silence some of them looks at them.
import type { Instant } from '../../../lib/clock.ts';
import { notifiedOf } from '../../rows/alert-rows.ts';
import type { NotifiedLabels } from '../../store.ts';
import type { Sql } from '../sql.ts';

// Silences let the end of what was told before through.
const OF_THE_TIME = `
  n.at >= $1 AND (transition NOT IN ('resolved', 'retracted') OR EXISTS (
    SELECT FROM notifications AS begin
    WHERE begin.key = n.key AND begin.episode = n.episode AND begin.seq < n.seq AND begin.at >= $1))`;

/** One that cannot be read is left out. */
export async function notifiedSince(sql: Sql, since: Instant): Promise<NotifiedLabels[]> {
  const counts = await sql.all(
    `SELECT labels, count(*) AS count FROM notifications AS n WHERE ${OF_THE_TIME} GROUP BY labels ORDER BY labels`,
    [since],
  );
  const targets = await sql.all(
    `SELECT DISTINCT labels, channel, recipient FROM notifications AS n JOIN recipient_state AS state USING (key)
    WHERE ${OF_THE_TIME} AND state.wanted >= n.seq ORDER BY channel, recipient`,
    [since],
  );
  return notifiedOf(counts, targets);
}
