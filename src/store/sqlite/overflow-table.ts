// The open summaries of channels that have too much to get rid of. None of these statements opens a transaction.
import type { DatabaseSync } from 'node:sqlite';
import {
  foldKeyOf,
  hasRoom,
  isFoldable,
  MOST_UNSETTLED,
  OPEN_MS,
  openSummary,
  withMember,
} from '../../core/alerts/overflow.ts';
import type { Delivery, Message } from '../../core/model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import { deliveryOf } from '../rows.ts';

/** What is to be owed: as it was decided, or a summary that takes it in. */
export interface Owed {
  readonly delivery: Delivery;
  /** Until then it takes events in; null = it is no open summary. */
  readonly openUntil: Instant | null;
}

export interface OverflowTable {
  /** What is to be inserted in the place of these. What open summaries take in is written at once. */
  fold(deliveries: readonly Delivery[], at: Instant): Owed[];
}

interface Open {
  /** Null: not in the table yet. */
  readonly number: number | null;
  readonly delivery: Delivery;
}

export function createOverflowTable(db: DatabaseSync): OverflowTable {
  const count = db.prepare(`
    SELECT count(*) AS rows FROM (
      SELECT 1 FROM deliveries WHERE channel = ? AND state IN ('due', 'sending') LIMIT ${MOST_UNSETTLED})`);
  // None that was tried: the same delivery gives the same bytes on every try.
  const find = db.prepare(`
    SELECT * FROM deliveries
    WHERE channel = ? AND recipient = ? AND folds = ? AND folds IS NOT NULL AND state = 'due' AND attempt = 0 AND due_at > ?
    ORDER BY number DESC`);
  const write = db.prepare('UPDATE deliveries SET message = ? WHERE number = ?');

  function isOverflowing(channel: string): boolean {
    return Number(count.get(channel)?.['rows']) >= MOST_UNSETTLED;
  }

  function findOpen(delivery: Delivery, at: Instant): Open | null {
    const row = find.get(delivery.channel, delivery.recipient, foldKeyOf(delivery), at);
    if (row === undefined) return null;
    const { id, channel, recipient, message } = deliveryOf(row);
    return { number: Number(row['number']), delivery: { id, channel, recipient, message } };
  }

  /** Those of one alert, sort and recipient. */
  function foldAlike(members: readonly Delivery[], at: Instant): Owed[] {
    const [first] = members;
    let open = first === undefined ? null : findOpen(first, at);
    const full: Open[] = [];
    for (const member of members) {
      if (open !== null && hasRoom(open.delivery.message, member.message)) {
        open = {
          ...open,
          delivery: { ...open.delivery, message: withMember(open.delivery.message, member.message, at) },
        };
      } else {
        if (open !== null) full.push(open);
        open = { number: null, delivery: openSummary(member, at) };
      }
    }
    const all = open === null ? full : [...full, open];
    for (const { number, delivery } of all) if (number !== null) write.run(textOf(delivery.message), number);
    return all.filter(({ number }) => number === null).map(({ delivery }) => ({ delivery, openUntil: at + OPEN_MS }));
  }

  return {
    fold(deliveries, at) {
      const channels = new Set(deliveries.filter(isFoldable).map(({ channel }) => channel));
      const overflowing = new Set([...channels].filter(isOverflowing));
      const isFolded = (one: Delivery): boolean => overflowing.has(one.channel) && isFoldable(one);
      const alike = Map.groupBy(deliveries.filter(isFolded), (one) =>
        JSON.stringify([one.channel, one.recipient, foldKeyOf(one)]),
      );
      const rest = deliveries.filter((one) => !isFolded(one));
      return [
        ...rest.map((delivery) => ({ delivery, openUntil: null })),
        ...[...alike.values()].flatMap((members) => foldAlike(members, at)),
      ];
    },
  };
}

function textOf(message: Message): string {
  return JSON.stringify(message);
}
