// What deliveries speak of.
import { MOST_LISTED, type Delivery } from '../../../core/model/delivery.ts';
import { membersIn } from '../../rows/delivery-members.ts';
import { jsonText, type Sql } from '../sql.ts';

/** For who reads every member of every delivery. */
export const MEMBERS = `
  SELECT mine.id, watch, message, told_as, held_at, present FROM group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    LEFT JOIN notifications AS notification ON notification.number = member.notification`;

/** Rejects with a StorageError where none of them can be read. */
export async function membersOf(
  sql: Sql,
  { id, number }: { readonly id: string; readonly number: number },
): Promise<Pick<Delivery, 'members' | 'more'>> {
  const listed = await sql.all(
    `SELECT $2 AS id, watch, message, told_as, held_at, present
    FROM group_member AS member LEFT JOIN notifications AS notification ON notification.number = member.notification
    WHERE member.delivery = $1 ORDER BY position, member.key, member.seq LIMIT ${MOST_LISTED + 1}`,
    [number, id],
  );
  if (listed.length <= MOST_LISTED) return membersIn(id, listed, () => []);
  const rest = await sql.all(
    `SELECT $2 AS id, coalesce(${jsonText('labels', 'watch')}, watch) AS rule, alert,
      ${jsonText('labels', 'severity')} AS severity, 'alert.' || transition AS type, count(*) AS count, json_agg(others.key) AS keys
    FROM (
      SELECT notification, key FROM group_member AS member
      WHERE member.delivery = $1 ORDER BY position, member.key, member.seq OFFSET ${MOST_LISTED}) AS others
      JOIN notifications ON notifications.number = others.notification
    GROUP BY 2, 3, 4, 5 ORDER BY 2, 3, 4, 5`,
    [number, id],
  );
  return membersIn(id, listed, () => rest);
}
