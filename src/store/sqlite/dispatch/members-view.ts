// What deliveries speak of.
import type { DatabaseSync } from 'node:sqlite';
import { MOST_LISTED, type Delivery } from '../../../core/model/delivery.ts';
import { membersIn } from '../../rows/delivery-members.ts';

/** For who reads every member of every delivery. */
export const MEMBERS = `
  SELECT mine.id, watch, message, told_as, held_at, present FROM group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    LEFT JOIN notifications AS notification ON notification.number = member.notification`;

export interface DeliveryRow {
  readonly id: string;
  readonly number: number;
}

/**
 * The members that the message lists, and the others, counted. Where some cannot be read, the others are told; throws a
 * StorageError where none can.
 */
export type MembersView = (of: DeliveryRow) => Pick<Delivery, 'members' | 'more'>;

export function createMembersView(db: DatabaseSync): MembersView {
  const listed = db.prepare(`
    SELECT ?2 AS id, watch, message, told_as, held_at, present
    FROM group_member AS member LEFT JOIN notifications AS notification ON notification.number = member.notification
    WHERE member.delivery = ?1 ORDER BY position, member.key, member.seq LIMIT ${MOST_LISTED + 1}`);
  const rest = db.prepare(`
    SELECT ?2 AS id, watch, alert, labels ->> '$.severity' AS severity, 'alert.' || transition AS type, count(*) AS count,
      json_group_array(others.key) AS keys
    FROM (
      SELECT notification, key FROM group_member AS member
      WHERE member.delivery = ?1 ORDER BY position, member.key, member.seq LIMIT -1 OFFSET ${MOST_LISTED}) AS others
      JOIN notifications ON notifications.number = others.notification
    GROUP BY watch, alert, severity, type ORDER BY watch, alert, severity, type`);
  return ({ id, number }) => membersIn(id, listed.all(number, id), () => rest.all(number, id));
}
