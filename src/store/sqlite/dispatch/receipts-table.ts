// What receivers called the last message about each alert, so that the next one can change or answer it.
import type { DatabaseSync } from 'node:sqlite';
import type { Receipt } from '../../../core/model/delivery.ts';

/** None of these statements opens a transaction. */
export interface ReceiptsTable {
  /**
   * Of what the recipient of this delivery accepted before, about the same alerts in the same episodes; null where there
   * is none, or not one for all of them.
   */
  of(delivery: number): Receipt | null;
  /** The recipient of this delivery accepted it. */
  keep(delivery: number, receipt: Receipt): void;
}

const MEMBERS = `
  group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    JOIN notifications AS told ON told.number = member.notification`;

export function createReceiptsTable(db: DatabaseSync): ReceiptsTable {
  const find = db.prepare(`
    SELECT min(receipt) AS receipt FROM ${MEMBERS}
      LEFT JOIN recipient_state AS state
        ON state.key = member.key AND state.channel = mine.channel AND state.recipient = mine.recipient
          AND state.receipt_episode = told.episode
    WHERE member.delivery = ? HAVING count(*) = count(receipt) AND count(DISTINCT receipt) = 1`);
  const keep = db.prepare(`
    UPDATE recipient_state SET receipt = ?2, receipt_episode = known.episode
    FROM (SELECT member.key, mine.channel, mine.recipient, told.episode FROM ${MEMBERS} WHERE member.delivery = ?1) AS known
    WHERE recipient_state.key = known.key AND recipient_state.channel = known.channel
      AND recipient_state.recipient = known.recipient`);
  return {
    of(delivery) {
      const receipt = find.get(delivery)?.['receipt'];
      return typeof receipt === 'string' ? receipt : null;
    },
    keep(delivery, receipt) {
      keep.run(delivery, receipt);
    },
  };
}
