// Notifications of the last time by the labels of their alerts, as somebody who wants to silence some of them looks at them.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Recipient } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import { jsonOrNull } from '../../rows.ts';
import type { NotifiedLabels } from '../../store.ts';

// Silences let the end of what was told before through.
const OF_THE_TIME = `
  at >= ?1 AND (transition NOT IN ('resolved', 'retracted') OR EXISTS (
    SELECT 1 FROM notifications AS begin
    WHERE begin.key = notification.key AND begin.episode = notification.episode AND begin.seq < notification.seq
      AND begin.at >= ?1))`;

const Labels = z.record(z.string(), z.string());

/** One that cannot be read is left out. */
export function createNotifiedView(db: DatabaseSync): (since: Instant) => NotifiedLabels[] {
  const counts = db.prepare(`
    SELECT labels, count(*) AS count FROM notifications AS notification WHERE ${OF_THE_TIME} GROUP BY labels`);
  const targets = db.prepare(`
    SELECT DISTINCT labels, channel, recipient
    FROM notifications AS notification JOIN recipient_state AS state ON state.key = notification.key
    WHERE ${OF_THE_TIME} AND state.wanted >= notification.seq ORDER BY channel, recipient`);
  return (since) => {
    const to = Map.groupBy(targets.all(since), ({ labels }) => String(labels));
    return counts.all(since).flatMap(({ labels, count }): NotifiedLabels[] => {
      const read = Labels.safeParse(jsonOrNull(labels));
      if (!read.success) return [];
      const own = (to.get(String(labels)) ?? []).map(recipientOf);
      return [{ labels: read.data, count: Number(count), to: own }];
    });
  };
}

function recipientOf({ channel, recipient }: Record<string, unknown>): Recipient {
  return { channel: String(channel), recipient: String(recipient) };
}
