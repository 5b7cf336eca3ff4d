// What receivers called the last message about each alert, so that the next one can change or answer it.
import type { DatabaseSync } from 'node:sqlite';
import type { Receipt } from '../../../core/model/delivery.ts';
import { IN_RANGE, type KeyRange } from './member-pages.ts';

/** None of these statements opens a transaction. */
export interface ReceiptsTable {
  /**
   * Of what the recipient of this delivery accepted before, about the same alerts in the same episodes; null where there
   * is none, or not one for all of them.
   */
  of(delivery: number): Receipt | null;
  /** The recipient of this delivery accepted it: of members with these keys. */
  keep(delivery: number, keys: KeyRange, receipt: Receipt): void;
}

const MEMBERS = `
  group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    JOIN notifications AS told ON told.number = member.notification`;

export function createReceiptsTable(db: DatabaseSync): ReceiptsTable {
  const RECEIPTS = `${MEMBERS}
    LEFT JOIN recipient_state AS state
      ON state.key = member.key AND state.channel = mine.channel AND state.recipient = mine.recipient
        AND state.receipt_episode = told.episode`;
  // Of thousands of members mostly the first has none, or the second another one.
  const first = db.prepare(`SELECT receipt FROM ${RECEIPTS} WHERE member.delivery = ? LIMIT 1`);
  const other = db.prepare(`SELECT 1 FROM ${RECEIPTS} WHERE member.delivery = ? AND receipt IS NOT ? LIMIT 1`);
  const keep = db.prepare(`
    UPDATE recipient_state SET receipt = ?4, receipt_episode = known.episode
    FROM (SELECT member.key, mine.channel, mine.recipient, told.episode FROM ${MEMBERS} WHERE member.delivery = ?1 AND ${IN_RANGE}) AS known
    WHERE recipient_state.key = known.key AND recipient_state.channel = known.channel
      AND recipient_state.recipient = known.recipient`);
  return {
    of(delivery) {
      const receipt = first.get(delivery)?.['receipt'];
      return typeof receipt === 'string' && other.get(delivery, receipt) === undefined ? receipt : null;
    },
    keep(delivery, { after, to }, receipt) {
      keep.run(delivery, after, to, receipt);
    },
  };
}
