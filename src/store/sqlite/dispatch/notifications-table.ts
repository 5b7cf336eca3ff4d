// Notifications: what polls decided, each with its message, stored once for all who are told.
import type { DatabaseSync } from 'node:sqlite';
import type { Message } from '../../../core/model/delivery.ts';
import { idOf } from '../../../core/model/identity.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import { nameOfTransition, type Transition, type TransitionName } from '../../../core/model/transition.ts';
import type { Unrouted } from '../../../dispatch/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { unroutedOf } from '../../dispatch-rows.ts';
import type { Row } from '../../rows.ts';
import { IS_ACTIVE } from './states-table.ts';
import { limitBy } from '../database.ts';

/** None of these statements opens a transaction. */
export interface NotificationsTable {
  /** One that is there already is left as it is. */
  add(watch: WatchId, transitions: readonly Transition[], at: Instant): void;
  /** The oldest that nobody was chosen for yet; a later one about the same alert waits for the next round. */
  unrouted(limit: number): Unrouted[];
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
      for (const { message, labels, notify } of transitions) {
        const { key, episode, seq, alert } = message;
        const id = idOf(key, episode, seq);
        const texts = [labels, notify, message].map((part) => JSON.stringify(part));
        add.run(id, key, episode, seq, watch, alert, transitionOf(message), ...texts, at);
      }
    },
    unrouted: (limit) => untilRepeated(unrouted.iterate(limit)),
    routed: (number) => routed.run(number).changes === 1,
    prune(before) {
      prune.run(before);
    },
  };
}

/** A summary is an event, whatever happened to its members. */
function transitionOf(message: Message): TransitionName {
  return message.summary === null ? nameOfTransition(message) : 'event';
}

/** What a later one rests on is only written with the round of the former. */
function untilRepeated(rows: Iterable<Row>): Unrouted[] {
  const keys = new Set<string>();
  const all: Unrouted[] = [];
  for (const row of rows) {
    const next = unroutedOf(row);
    const about = [next.key, ...next.members];
    if (about.some((key) => keys.has(key))) break;
    for (const key of about) keys.add(key);
    all.push(next);
  }
  return all;
}
