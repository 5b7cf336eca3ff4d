// What receivers called the last message about each alert, so that the next one can change or answer it.
import type { Receipt } from '../../../core/model/delivery.ts';
import type { Sql } from '../../sql/sql.ts';
import { IN_PAGE, inPage, type KeyPage } from './delivery-members.ts';

const TOLD = `
  group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    JOIN notifications AS told ON told.number = member.notification`;

const RECEIPTS = `
  ${TOLD}
    LEFT JOIN recipient_state AS state
      ON state.key = member.key AND state.channel = mine.channel AND state.recipient = mine.recipient
        AND state.receipt_episode = told.episode
  WHERE member.delivery = $1`;

// Of thousands of members mostly the first has none, or the second another one.
const FIRST = `SELECT receipt FROM ${RECEIPTS} LIMIT 1`;
const ANOTHER = `SELECT 1 AS one FROM ${RECEIPTS} AND receipt IS DISTINCT FROM $2 LIMIT 1`;

const KEEP = `
  UPDATE recipient_state AS state SET receipt = $4, receipt_episode = known.episode
  FROM (SELECT member.key, mine.channel, mine.recipient, told.episode FROM ${TOLD} WHERE ${IN_PAGE}) AS known
  WHERE state.key = known.key AND state.channel = known.channel AND state.recipient = known.recipient`;

/**
 * What the recipient of this delivery accepted before, about the same alerts in the same episodes; null where there is
 * none, or not one for all of them.
 */
export async function receiptOf(sql: Sql, delivery: number): Promise<Receipt | null> {
  const receipt = (await sql.first(FIRST, [delivery]))?.['receipt'];
  if (typeof receipt !== 'string') return null;
  return (await sql.first(ANOTHER, [delivery, receipt])) === undefined ? receipt : null;
}

/** The recipient of this delivery accepted it: the members of this page. */
export async function keepReceipt(sql: Sql, delivery: number, page: KeyPage, receipt: Receipt): Promise<void> {
  await sql.run(KEEP, [delivery, ...inPage(page), receipt]);
}
