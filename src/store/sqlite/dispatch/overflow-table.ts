// The open summaries of channels that have too much to get rid of. None of these statements opens a transaction.
import type { DatabaseSync } from 'node:sqlite';
import {
  foldKeyOf,
  hasRoom,
  isFoldable,
  MOST_UNSETTLED,
  OPEN_MS,
  openSummary,
  type SingleDelivery,
  withMember,
} from '../../../core/alerts/overflow.ts';
import type { Message } from '../../../core/model/delivery.ts';
import { idOf } from '../../../core/model/identity.ts';
import type { Instant } from '../../../lib/clock.ts';
import { messageOf, type Row } from '../../rows.ts';
import type { Fresh, FreshMember } from './fresh-delivery.ts';

export interface OverflowTable {
  /** What is to be inserted in the place of these. What open summaries take in is written at once. */
  fold(fresh: readonly Fresh[], at: Instant): Fresh[];
}

/** A delivery of one transition, with its message and the number of its notification. */
interface Single {
  readonly fresh: Fresh;
  readonly notification: number;
  readonly delivery: SingleDelivery;
}

interface Open {
  /** Of its own notification. Null: not in the table yet. */
  readonly notification: number | null;
  readonly first: Single;
  readonly delivery: SingleDelivery;
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

  /** Nothing where it speaks of several, or cannot be read: such a one ends as every damaged row does. */
  function singleOf(fresh: Fresh): Single[] {
    const { id, channel, recipient, kind, members } = fresh;
    const [{ notification, as } = { notification: null, as: 'repeat' }] = members;
    if (kind !== 'news' || members.length !== 1 || as !== 'news' || notification === null) return [];
    const message = messageOf(read.get(notification) ?? {});
    return message === null ? [] : [{ fresh, notification, delivery: { id, channel, recipient, message } }];
  }

  function findOpen(first: Single, at: Instant): Open | null {
    const { channel, recipient } = first.delivery;
    const row: Row | undefined = find.get(channel, recipient, foldKeyOf(first.delivery), at);
    const message = row === undefined ? null : messageOf(row);
    if (row === undefined || message === null) return null;
    const open = { id: String(row['id']), channel, recipient, message };
    return { notification: Number(row['number']), first, delivery: open };
  }

  /** Those of one alert, sort and recipient. */
  function foldAlike(singles: readonly Single[], at: Instant): Fresh[] {
    const [first] = singles;
    let open = first === undefined ? null : findOpen(first, at);
    const full: Open[] = [];
    for (const single of singles) {
      const { delivery } = single;
      if (open !== null && hasRoom(open.delivery.message, delivery.message)) {
        const message = withMember(open.delivery.message, delivery.message, at);
        open = { ...open, delivery: { ...open.delivery, message } };
      } else {
        if (open !== null) full.push(open);
        open = { notification: null, first: single, delivery: openSummary(delivery, at) };
      }
    }
    const all = open === null ? full : [...full, open];
    return all.flatMap((one) => (one.notification === null ? [begin(one, at)] : rewrite(one.notification, one)));
  }

  function rewrite(notification: number, { delivery }: Open): [] {
    write.run(textOf(delivery.message), notification);
    return [];
  }

  function begin({ first, delivery: { id, channel, recipient, message } }: Open, at: Instant): Fresh {
    const { key } = message;
    const { lastInsertRowid } = add.run(idOf(key, 1, 1), key, textOf(message), at, first.notification);
    const member: FreshMember = {
      key,
      seq: 1,
      as: 'news',
      heldAt: null,
      present: null,
      notification: Number(lastInsertRowid),
    };
    const folds = foldKeyOf({ id, channel, recipient, message });
    return { ...first.fresh, id, members: [member], folds, dueAt: at + OPEN_MS };
  }

  return {
    fold(fresh, at) {
      const overflowing = new Set([...new Set(fresh.map(({ channel }) => channel))].filter(isOverflowing));
      if (overflowing.size === 0) return [...fresh];
      const singles = fresh.filter(({ channel }) => overflowing.has(channel)).flatMap(singleOf);
      const foldable = singles.filter(({ delivery }) => isFoldable(delivery));
      const folded = new Set(foldable.map((single) => single.fresh));
      const alike = Map.groupBy(foldable, ({ delivery }) =>
        JSON.stringify([delivery.channel, delivery.recipient, foldKeyOf(delivery)]),
      );
      return [
        ...fresh.filter((one) => !folded.has(one)),
        ...[...alike.values()].flatMap((some) => foldAlike(some, at)),
      ];
    },
  };
}

function textOf(message: Message): string {
  return JSON.stringify(message);
}
