// What looks at deliveries without touching them.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AlertId, DeliveryId, WatchId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Row } from '../../rows/rows.ts';
import { deliveryOf } from '../../rows/delivery-rows.ts';
import { createMembersView } from './members-view.ts';
import type { Backlog, DeliveryFilter, DeliveryState, OutboxDepth, StoredDelivery, Survey } from '../../outbox.ts';
import { DELIVERIES, IS_ENDED } from './deliveries-table.ts';
import { limitBy } from '../database.ts';

export interface DeliveriesView {
  survey(): Survey;
  backlog(deadSince: Instant): Backlog;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): StoredDelivery[];
  delivery(id: DeliveryId): StoredDelivery | null;
  /** Those that were given up or refused, newest first. */
  dead(limit: number): StoredDelivery[];
  lastTried(channel: string): StoredDelivery | null;
  /** Those of one alert of a watch, newest first. */
  deliveriesOf(watch: WatchId, alert: AlertId, limit: number): StoredDelivery[];
}

export function createDeliveriesView(db: DatabaseSync): DeliveriesView {
  const depth = db.prepare(`
    SELECT channel, count(*) AS rows, min(created_at) AS oldest FROM deliveries
    WHERE state IN ('due', 'sending') GROUP BY channel ORDER BY channel`);
  const ended = db.prepare(`
    SELECT count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE state = 'dead' AND dismissed_at IS NULL) AS dead
    FROM deliveries WHERE ${IS_ENDED}`);
  const givenUp = db.prepare(`
    SELECT channel, count(*) AS rows, min(settled_at) AS oldest FROM deliveries
    WHERE state = 'dead' AND ${IS_ENDED} AND dismissed_at IS NULL AND settled_at >= ? GROUP BY channel ORDER BY channel`);
  const someOf = (which: string): StatementSync =>
    db.prepare(`
      ${DELIVERIES}
      WHERE ${which} AND (?1 IS NULL OR channel = ?1) AND (?2 IS NULL OR mine.number < ?2)
      ORDER BY mine.number DESC ${limitBy('?3')}`);
  const some: Readonly<Record<DeliveryState | 'any', StatementSync>> = {
    any: someOf('1'),
    owed: someOf(IS_OWED),
    // Few of many: they are found by their index, and sorted.
    'given-up': someOf(`state = 'dead' AND ${IS_ENDED}`),
    undismissed: someOf(`state = 'dead' AND dismissed_at IS NULL AND ${IS_ENDED}`),
    sent: someOf(`state = 'sent'`),
  };
  const one = db.prepare(`${DELIVERIES} WHERE mine.id = ?`);
  const tried = db.prepare(`
    ${DELIVERIES} WHERE state = 'due' AND channel = ? AND attempt > 0 ORDER BY due_at DESC, mine.number DESC LIMIT 1`);
  const dead = db.prepare(`
    ${DELIVERIES} WHERE state = 'dead' AND dismissed_at IS NULL AND ${IS_ENDED}
    ORDER BY settled_at DESC, mine.number DESC ${limitBy('?')}`);
  const ofAlert = db.prepare(`
    ${DELIVERIES}
    WHERE number IN (
      SELECT member.delivery FROM notifications AS notification
        JOIN group_member AS member ON member.key = notification.key AND member.seq = notification.seq
      WHERE watch = ? AND alert = ?)
    ORDER BY mine.number DESC ${limitBy('?')}`);
  const membersOf = createMembersView(db);
  const storedOf = (row: Row): StoredDelivery => {
    const delivery = deliveryOf(row);
    return { ...delivery, ...membersOf.all({ id: delivery.id, number: Number(row['number']) }) };
  };
  return {
    deliveriesOf: (watch, alert, limit) => ofAlert.all(watch, alert, limit).map(storedOf),
    survey: () => {
      const counts = ended.get();
      const outbox = depth.all().map(depthOf);
      return { outbox, sent: Number(counts?.['sent']), dead: Number(counts?.['dead']) };
    },
    backlog: (deadSince) => ({ owed: depth.all().map(depthOf), dead: givenUp.all(deadSince).map(depthOf) }),
    deliveries: ({ state, channel, before, limit }) => some[state ?? 'any'].all(channel, before, limit).map(storedOf),
    delivery: (id) => {
      const row = one.get(id);
      return row === undefined ? null : storedOf(row);
    },
    lastTried: (channel) => tried.all(channel).map(storedOf)[0] ?? null,
    dead: (limit) => dead.all(limit).map(storedOf),
  };
}

const IS_OWED = `state IN ('due', 'sending', 'parked')`;

function depthOf(row: Row): OutboxDepth {
  return { channel: String(row['channel']), rows: Number(row['rows']), oldest: Number(row['oldest']) };
}
