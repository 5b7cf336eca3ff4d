// The open summaries of channels that have too much to get rid of. None of these statements opens a transaction.
import type { DatabaseSync } from 'node:sqlite';
import { MOST_UNSETTLED } from '../../../core/alerts/overflow.ts';
import type { Message } from '../../../core/model/delivery.ts';
import { idOf } from '../../../core/model/watch/identity.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Fresh } from '../../rows/fresh-delivery.ts';
import {
  alikeOf,
  fold,
  singleNewsOf,
  singleOf,
  type Folded,
  type FoldPlace,
  type OpenSummary,
} from '../../overflow.ts';
import { messageOf } from '../../rows/message-rows.ts';

export interface OverflowTable {
  /** What is to be inserted in the place of these. What open summaries take in is written at once. */
  fold(fresh: readonly Fresh[], at: Instant): Fresh[];
}

export function createOverflowTable(db: DatabaseSync): OverflowTable {
  const count = db.prepare(`
    SELECT count(*) AS rows FROM (
      SELECT 1 FROM deliveries WHERE channel = ? AND state IN ('due', 'sending') LIMIT ${MOST_UNSETTLED})`);
  const read = db.prepare('SELECT message FROM notifications WHERE number = ?');
  // None that was tried: the same delivery gives the same bytes on every try.
  const find = db.prepare(`
    SELECT mine.id, notification.number, notification.message FROM deliveries AS mine
      JOIN group_member AS member ON member.delivery = mine.number
      JOIN notifications AS notification ON notification.number = member.notification
    WHERE channel = ? AND recipient = ? AND folds = ? AND folds IS NOT NULL AND state = 'due' AND attempt = 0 AND due_at > ?
    ORDER BY mine.number DESC LIMIT 1`);
  const write = db.prepare('UPDATE notifications SET message = ? WHERE number = ?');
  const add = db.prepare(`
    INSERT INTO notifications (id, key, episode, seq, watch, alert, transition, labels, notify, message, at, routed)
    SELECT ?1, ?2, 1, 1, watch, alert, 'event', labels, '[]', ?3, ?4, 1 FROM notifications WHERE number = ?5`);

  function isOverflowing(channel: string): boolean {
    return Number(count.get(channel)?.['rows']) >= MOST_UNSETTLED;
  }

  /** Null: it is gone, damaged, or not of that sort. */
  function messageIn(fresh: Fresh): Message | null {
    const notification = singleNewsOf(fresh);
    return notification === null ? null : messageOf(read.get(notification) ?? {});
  }

  function findOpen({ channel, recipient, folds }: FoldPlace, at: Instant): OpenSummary | null {
    const row = find.get(channel, recipient, folds, at);
    const message = row === undefined ? null : messageOf(row);
    if (row === undefined || message === null) return null;
    return { id: String(row['id']), notification: Number(row['number']), message };
  }

  function begin({ fresh, message, like }: Folded['begun'][number], at: Instant): Fresh {
    const { key } = message;
    const { lastInsertRowid } = add.run(idOf(key, 1, 1), key, textOf(message), at, like);
    return { ...fresh, members: fresh.members.map((one) => ({ ...one, notification: Number(lastInsertRowid) })) };
  }

  return {
    fold(fresh, at) {
      const overflowing = new Set([...new Set(fresh.map(({ channel }) => channel))].filter(isOverflowing));
      if (overflowing.size === 0) return [...fresh];
      const singles = fresh
        .filter(({ channel }) => overflowing.has(channel))
        .flatMap((one) => singleOf(one, messageIn(one)));
      const folded = new Set(singles.map((single) => single.fresh));
      const ends = alikeOf(singles).map(({ place, singles: some }) => fold(some, findOpen(place, at), at));
      for (const { notification, message } of ends.flatMap(({ rewritten }) => rewritten))
        write.run(textOf(message), notification);
      const begun = ends.flatMap((end) => end.begun).map((one) => begin(one, at));
      return [...fresh.filter((one) => !folded.has(one)), ...begun];
    },
  };
}

function textOf(message: Message): string {
  return JSON.stringify(message);
}
