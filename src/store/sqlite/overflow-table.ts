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
} from '../../core/alerts/overflow.ts';
import type { Message } from '../../core/model/delivery.ts';
import { idOf } from '../../core/model/identity.ts';
import type { Owed } from '../../dispatch/routing-round.ts';
import type { Instant } from '../../lib/clock.ts';
import { messageOf, type Row } from '../rows.ts';

/** What is to be inserted: as it was decided, or a summary that takes it in. */
export interface Folded {
  readonly owed: Owed;
  /** Of an open summary, what may share it; null of all others. */
  readonly folds: string | null;
  /** Until then it takes events in; null = it is no open summary. */
  readonly openUntil: Instant | null;
}

export interface OverflowTable {
  /** What is to be inserted in the place of these. What open summaries take in is written at once. */
  fold(owed: readonly Owed[], at: Instant): Folded[];
}

/** A delivery that may be folded, with its message. */
interface Member {
  readonly owed: Owed;
  readonly delivery: SingleDelivery;
}

interface Open {
  /** Of its notification. Null: not in the table yet. */
  readonly notification: number | null;
  readonly first: Owed;
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
    SELECT ?1, ?2, 1, 1, watch, alert, transition, labels, '[]', ?3, ?4, 1 FROM notifications WHERE number = ?5`);

  function isOverflowing(channel: string): boolean {
    return Number(count.get(channel)?.['rows']) >= MOST_UNSETTLED;
  }

  /** Nothing where it cannot be read: such a one ends as every damaged row does. */
  function memberOf(owed: Owed): Member[] {
    const { id, channel, recipient, notification } = owed;
    const message = messageOf(read.get(notification.number) ?? {});
    return message === null ? [] : [{ owed, delivery: { id, channel, recipient, message } }];
  }

  function findOpen({ owed, delivery }: Member, at: Instant): Open | null {
    const { channel, recipient } = delivery;
    const row: Row | undefined = find.get(channel, recipient, foldKeyOf(delivery), at);
    const message = row === undefined ? null : messageOf(row);
    if (row === undefined || message === null) return null;
    const open = { id: String(row['id']), channel, recipient, message };
    return { notification: Number(row['number']), first: owed, delivery: open };
  }

  /** Those of one alert, sort and recipient. */
  function foldAlike(members: readonly Member[], at: Instant): Folded[] {
    const [first] = members;
    let open = first === undefined ? null : findOpen(first, at);
    const full: Open[] = [];
    for (const { owed, delivery } of members) {
      if (open !== null && hasRoom(open.delivery.message, delivery.message)) {
        const message = withMember(open.delivery.message, delivery.message, at);
        open = { ...open, delivery: { ...open.delivery, message } };
      } else {
        if (open !== null) full.push(open);
        open = { notification: null, first: owed, delivery: openSummary(delivery, at) };
      }
    }
    const all = open === null ? full : [...full, open];
    return all.flatMap((one) => (one.notification === null ? [begin(one, at)] : rewrite(one.notification, one)));
  }

  function rewrite(notification: number, { delivery }: Open): [] {
    write.run(textOf(delivery.message), notification);
    return [];
  }

  function begin({ first, delivery: { id, channel, recipient, message } }: Open, at: Instant): Folded {
    const { key } = message;
    const number = first.notification.number;
    const { lastInsertRowid } = add.run(idOf(key, 1, 1), key, textOf(message), at, number);
    const notification = { ...first.notification, number: Number(lastInsertRowid), key, episode: 1, seq: 1 };
    const owed = { id, channel, recipient, notification, undeliverable: null };
    return { owed, folds: foldKeyOf({ id, channel, recipient, message }), openUntil: at + OPEN_MS };
  }

  return {
    fold(owed, at) {
      const overflowing = new Set([...new Set(owed.map(({ channel }) => channel))].filter(isOverflowing));
      if (overflowing.size === 0) return owed.map(singly);
      const members = owed.filter(({ channel }) => overflowing.has(channel)).flatMap(memberOf);
      const foldable = members.filter(({ delivery }) => isFoldable(delivery));
      const folded = new Set(foldable.map((member) => member.owed));
      const alike = Map.groupBy(foldable, ({ delivery }) =>
        JSON.stringify([delivery.channel, delivery.recipient, foldKeyOf(delivery)]),
      );
      return [
        ...owed.filter((one) => !folded.has(one)).map(singly),
        ...[...alike.values()].flatMap((some) => foldAlike(some, at)),
      ];
    },
  };
}

function singly(owed: Owed): Folded {
  return { owed, folds: null, openUntil: null };
}

function textOf(message: Message): string {
  return JSON.stringify(message);
}
