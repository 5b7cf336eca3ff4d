// Deliveries that wait for their first try: reads their alerts, and removes alerts that must be held back by now.
import type { ClosedMember, HeldMember } from '../../../dispatch/first-try.ts';
import type { Withdrawal } from '../../../dispatch/model.ts';
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Tried } from '../../contract/deliveries.ts';
import { Superseded } from '../../sql/database.ts';
import { earlier } from '../../sql/dialect.ts';
import { int, ints, texts, type Row } from '../../sql/rows.ts';
import { list, type Sql } from '../../sql/sql.ts';
import { labelsOf, recipientOf, transitionIn } from '../alerts/notifications.ts';
import { wakeMembers } from '../alerts/alerts.ts';
import { inPage, type KeyPage } from './delivery-members.ts';

const CLOSED = `
  SELECT member.key, member.seq, member.sent_as, n.watch, n.episode, n.transition,
    CASE WHEN alerts.is_open = 1 THEN alerts.labels ELSE n.labels END AS labels
  FROM deliveries AS mine
    JOIN group_member AS member ON member.delivery = mine.number
    JOIN notifications AS n ON n.number = member.notification
    LEFT JOIN alerts ON alerts.key = member.key
  WHERE mine.id = $1 AND member.key > $2 AND member.key <= $3 AND member.sent_as <> 'fired-and-resolved'`;

/** The alerts of a page that a delivery shows as open. Unreadable ones are left out. */
export async function closedMembers(sql: Sql, id: DeliveryId, page: KeyPage): Promise<ClosedMember[]> {
  return (await sql.all(CLOSED, [id, ...inPage(page)])).flatMap(closedOf);
}

function closedOf(row: Row): ClosedMember[] {
  const described = labelsOf(row['labels']);
  const transition = transitionIn(row['transition']);
  if (described === null || transition === null) return [];
  const isRepeat = row['sent_as'] === 'repeat';
  return [{ ...texts(row, 'key', 'watch'), ...ints(row, 'seq', 'episode'), ...described, transition, isRepeat }];
}

// The try did not begin, so it is not counted as an attempt.
const PUT_BACK = `
  UPDATE deliveries SET state = 'due', attempt = attempt - 1, lease_until = NULL
  WHERE id = $1 AND state = 'sending' AND attempt = $2 RETURNING number, channel, recipient`;

// The transitions that are removed are pending again, so `closed` is set to the number before them. A repeat did not
// raise `closed`. An end after these transitions is pending again as well. So if the recipient was sent the begin of
// its episode, `begun` is set to that begin again.
const OWE_AGAIN = list(
  { delivery: 'int', channel: 'text', recipient: 'text', key: 'text', seq: 'int', is_repeat: 'bool' },
  (row) => `
    UPDATE recipient_state AS state SET
      closed = CASE WHEN ${row.is_repeat} = 1 THEN state.closed ELSE ${earlier('state.closed', `${row.seq} - 1`)} END,
      begun = CASE
        WHEN ${row.is_repeat} = 1 OR state.begun < ${row.seq} THEN state.begun
        WHEN state.begun IS NULL THEN (
          SELECT sent.seq FROM notifications AS sent
          WHERE sent.key = state.key AND sent.seq = state.notified AND NOT EXISTS (
            SELECT 1 FROM notifications AS n
            WHERE n.key = state.key AND n.seq >= sent.seq AND n.seq < ${row.seq}
              AND n.transition IN ('resolved', 'retracted')))
        END,
      renewed = coalesce(member.renewed, state.renewed), decided = 0, repeats = 1
    FROM group_member AS member ${row.also}
    WHERE member.delivery = ${row.delivery} AND member.key = ${row.key} AND member.seq = ${row.seq}
      AND state.key = ${row.key} AND state.channel = ${row.channel} AND state.recipient = ${row.recipient}`,
);

/** Resolves with the withdrawals that are still to be made. Throws `Superseded` if the try is not under way. */
export async function putBack(
  sql: Sql,
  { id, attempt }: Tried,
  held: readonly HeldMember[],
  at: Instant,
): Promise<Withdrawal[]> {
  const row = await sql.first(PUT_BACK, [id, attempt]);
  if (row === undefined) throw new Superseded();
  const [delivery, target] = [int(row, 'number'), recipientOf(row)];
  const rows = held.map((one) => ({ delivery, ...target, ...one }));
  await sql.each(OWE_AGAIN, rows);
  await wakeMembers(sql, delivery, at);
  return held.map(({ key, seq: from }) => ({ target, key, from, as: 'cancelled' }));
}
