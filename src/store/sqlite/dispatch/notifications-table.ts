// Notifications: what polls decided, each with its message, stored once for all who are told.
import type { DatabaseSync } from 'node:sqlite';
import type { WatchId } from '../../../core/model/ids.ts';
import type { Transition } from '../../../core/model/transition.ts';
import type { Unrouted } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { notificationOf, untilRepeated } from '../../rows/notification-rows.ts';
import { IS_ACTIVE } from './states-table.ts';
import { limitBy } from '../database.ts';

/** None of these statements opens a transaction. */
export interface NotificationsTable {
  /** One that is there already is left as it is. */
  add(watch: WatchId, transitions: readonly Transition[], at: Instant): void;
  /** The oldest that nobody was chosen for yet; a later one about the same alert waits for the next round. */
  unrouted(limit: number): Unrouted[];
  /** The number of the newest; 0: there is none. */
  newest(): number;
  /** False: it was routed already. */
  routed(number: number): boolean;
  /** Those that were routed, of which no delivery is left, and whose alert nobody is told of any more. */
  prune(before: Instant): void;
}

export function createNotificationsTable(db: DatabaseSync): NotificationsTable {
  const add = db.prepare(`
    INSERT INTO notifications (id, key, episode, seq, watch, alert, transition, labels, notify, message, at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const unrouted = db.prepare(`
    SELECT number, key, episode, seq, watch, alert, transition, labels, notify, at,
      CASE WHEN json_valid(message) THEN message ->> '$.summary.of' END AS of,
      CASE WHEN json_valid(message) THEN message -> '$.summary.keys' END AS members
    FROM notifications WHERE routed = 0 ORDER BY number ${limitBy('?')}`);
  const newest = db.prepare('SELECT coalesce(max(number), 0) AS newest FROM notifications');
  const routed = db.prepare('UPDATE notifications SET routed = 1 WHERE number = ? AND routed = 0');
  const prune = db.prepare(`
    DELETE FROM notifications WHERE routed = 1 AND at < ?
      AND NOT EXISTS (
        SELECT 1 FROM group_member AS member WHERE member.key = notifications.key AND member.seq = notifications.seq)
      AND NOT EXISTS (SELECT 1 FROM recipient_state AS state WHERE state.key = notifications.key AND (${IS_ACTIVE}))
      AND NOT EXISTS (
        SELECT 1 FROM alerts
        WHERE alerts.key = notifications.key AND alerts.newest = notifications.seq AND is_open = 1)`);
  return {
    add(watch, transitions, at) {
      for (const one of transitions) {
        const { id, key, episode, seq, alert, transition, labels, notify, message } = notificationOf(one);
        add.run(id, key, episode, seq, watch, alert, transition, labels, notify, message, at);
      }
    },
    unrouted: (limit) => untilRepeated(unrouted.iterate(limit)),
    newest: () => Number(newest.get()?.['newest']),
    routed: (number) => routed.run(number).changes === 1,
    prune(before) {
      prune.run(before);
    },
  };
}
