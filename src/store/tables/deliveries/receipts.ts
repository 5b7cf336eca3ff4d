// The ids that receivers gave to the last message about each alert, so that the next message can change or answer it.
import type { Receipt } from '../../../core/model/delivery.ts';
import { text } from '../../sql/rows.ts';
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

// Two short queries instead of one over all members. If there are thousands of members, usually the first one has no
// receipt, or the second one has a different receipt.
const FIRST = `SELECT receipt FROM ${RECEIPTS} LIMIT 1`;
const ANOTHER = `SELECT 1 AS one FROM ${RECEIPTS} AND receipt IS DISTINCT FROM $2 LIMIT 1`;

const MOST_OWN = 50;
const OWN = `SELECT member.key, receipt FROM ${RECEIPTS} AND receipt IS NOT NULL ORDER BY member.key LIMIT ${MOST_OWN}`;

const IS_OF_SEVERAL = 'SELECT 1 AS one FROM group_member WHERE delivery = $1 LIMIT 1 OFFSET 1';

// The receipt of a message about several alerts replaces the receipt that they shared before, but not the receipt of a
// message about one alert alone.
const KEEP = `
  UPDATE recipient_state AS state SET receipt = $4, receipt_episode = known.episode
  FROM (SELECT member.key, mine.channel, mine.recipient, told.episode FROM ${TOLD} WHERE ${IN_PAGE}) AS known
  WHERE state.key = known.key AND state.channel = known.channel AND state.recipient = known.recipient
    AND ($5::bigint = 0 OR state.receipt IS NULL OR state.receipt_episode <> known.episode OR state.receipt = $6::text)`;

/**
 * The receipt of an earlier message about the same alerts in the same episodes; null if there is none, or if not all of
 * these alerts have the same one.
 */
export async function receiptOf(sql: Sql, delivery: number): Promise<Receipt | null> {
  const receipt = (await sql.first(FIRST, [delivery]))?.['receipt'];
  if (typeof receipt !== 'string') return null;
  return (await sql.first(ANOTHER, [delivery, receipt])) === undefined ? receipt : null;
}

/** The receipts of the delivery's members by key, at most `MOST_OWN`. */
export async function ownReceiptsOf(sql: Sql, delivery: number): Promise<ReadonlyMap<string, Receipt>> {
  const rows = await sql.all(OWN, [delivery]);
  return new Map(rows.map((row) => [text(row, 'key'), text(row, 'receipt')]));
}

/** Stores the receipt of an accepted delivery for the members of this page. */
export async function keepReceipt(sql: Sql, delivery: number, page: KeyPage, receipt: Receipt): Promise<void> {
  const isOfSeveral = (await sql.first(IS_OF_SEVERAL, [delivery])) !== undefined;
  const shared = isOfSeveral ? await receiptOf(sql, delivery) : null;
  await sql.run(KEEP, [delivery, ...inPage(page), receipt, Number(isOfSeveral), shared]);
}
