// What receivers called the last message about each alert, so that the next one can change or answer it.
import type { Receipt } from '../../../core/model/delivery.ts';
import { textOrNull } from '../../rows/alert-rows.ts';
import type { Sql } from '../sql.ts';

const MEMBERS = `
  group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    JOIN notifications AS told ON told.number = member.notification`;

/**
 * Of what the recipient of this delivery accepted before, about the same alerts in the same episodes; null where there is
 * none, or not one for all of them.
 */
export async function receiptOf(sql: Sql, delivery: number): Promise<Receipt | null> {
  const row = await sql.first(
    `SELECT min(receipt) AS receipt FROM ${MEMBERS}
      LEFT JOIN recipient_state AS state
        ON state.key = member.key AND state.channel = mine.channel AND state.recipient = mine.recipient
          AND state.receipt_episode = told.episode
    WHERE member.delivery = $1 HAVING count(*) = count(receipt) AND count(DISTINCT receipt) = 1`,
    [delivery],
  );
  return textOrNull(row?.['receipt']);
}

/** The recipient of this delivery accepted it. */
export async function keepReceipt(sql: Sql, delivery: number, receipt: Receipt): Promise<void> {
  await sql.run(
    `UPDATE recipient_state AS state SET receipt = $2, receipt_episode = known.episode
    FROM (SELECT member.key, mine.channel, mine.recipient, told.episode FROM ${MEMBERS} WHERE member.delivery = $1) AS known
    WHERE (state.key, state.channel, state.recipient) = (known.key, known.channel, known.recipient)`,
    [delivery, receipt],
  );
}
