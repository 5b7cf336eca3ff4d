// Stores the result of each try to send a delivery: sent, due again, or given up.
import type { Receipt, Settlement } from '../../../core/model/delivery.ts';
import type { Key } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Tried } from '../../contract/deliveries.ts';
import { int, texts, type Row } from '../../sql/rows.ts';
import { later, type SqlDialect } from '../../sql/dialect.ts';
import { list, type Sql } from '../../sql/sql.ts';
import { wakeMembers } from '../alerts/alerts.ts';
import { summaryKeysIn } from '../alerts/notifications.ts';
import { hasten } from './deliveries.ts';
import { FIRST_KEY, IN_PAGE, inPage, keepReceipt, type KeyPage } from './delivery-members.ts';
import { outcomeText, release } from './delivery-rows.ts';

const ALL_KEYS: KeyPage = { after: FIRST_KEY, to: null };

export type SentSettlement = Extract<Settlement, { state: 'sent' }>;

const POSTPONE = `
  UPDATE deliveries SET state = 'due', due_at = $3, outcome = $4, maybe_copy = ${later('maybe_copy', '$5::bigint')}
  WHERE id = $1 AND state = 'sending' AND attempt = $2`;

const END = `
  UPDATE deliveries SET state = $3, settled_at = $4, outcome = $5, maybe_copy = ${later('maybe_copy', '$6::bigint')}
  WHERE id = $1 AND (state = 'sending' AND attempt = $2 OR $3 = 'sent' AND state IN ('due', 'sending'))
  RETURNING number, channel, recipient, maybe_copy`;

const NUMBER_OF = 'SELECT number FROM deliveries WHERE id = $1';

const MARK_MEMBERS = `
  UPDATE recipient_state AS state SET notified = ${later('state.notified', 'sent.seq')}, notified_at = $4
  FROM deliveries AS mine,
    (SELECT member.key, max(member.seq) AS seq FROM group_member AS member WHERE ${IN_PAGE} GROUP BY member.key) AS sent
  WHERE mine.number = $1 AND state.key = sent.key AND state.channel = mine.channel AND state.recipient = mine.recipient`;

const SUMMARIES = `
  SELECT member.seq, summary FROM group_member AS member
    JOIN notifications ON notifications.number = member.notification
  WHERE ${IN_PAGE} AND summary IS NOT NULL`;

const MARK_SUMMARIZED = list(
  { number: 'int', key: 'text', seq: 'int', at: 'int' },
  (row) => `
    UPDATE recipient_state AS state SET notified = ${later('state.notified', row.seq)}, notified_at = ${row.at}
    FROM deliveries AS mine ${row.also}
    WHERE mine.number = ${row.number} AND state.key = ${row.key}
      AND state.channel = mine.channel AND state.recipient = mine.recipient`,
);

/** The alerts of a given-up delivery are decided again. The wait for their next repeat counts from `notified_at`. */
const GIVE_UP = `
  UPDATE recipient_state AS state SET notified_at = $2, repeats = 1,
    maybe_notified = CASE WHEN mine.maybe_copy = 1 THEN ${later('state.maybe_notified', 'lost.seq')}
      ELSE state.maybe_notified END
  FROM deliveries AS mine, (SELECT key, max(seq) AS seq FROM group_member WHERE delivery = $1 GROUP BY key) AS lost
  WHERE mine.number = $1 AND state.key = lost.key AND state.channel = mine.channel AND state.recipient = mine.recipient
    AND state.begun IS NOT NULL`;

/**
 * False: that try is no longer under way, and nothing was stored. The result `sent` is stored even if the delivery is
 * due again or a later try is under way. `after`: members with keys up to this one are marked as sent already.
 */
export async function settleDelivery(
  sql: Sql,
  { id, attempt }: Tried,
  settlement: Settlement,
  at: Instant,
  after: Key = FIRST_KEY,
): Promise<boolean> {
  const outcome = outcomeText(settlement.outcome);
  const isUnknown = Number(settlement.outcome.type === 'unknown');
  if (settlement.state === 'due') {
    return (await sql.run(POSTPONE, [id, attempt, settlement.dueAt, outcome, isUnknown])) === 1;
  }
  const ended = await sql.first(END, [id, attempt, settlement.state, at, outcome, isUnknown]);
  if (ended === undefined) return false;
  const number = int(ended, 'number');
  await release(sql, number);
  if (settlement.state === 'dead') {
    await giveUp(sql, number, int(ended, 'maybe_copy') === 1, at);
    return true;
  }
  await markPage(sql, number, { after, to: null }, settlement, at);
  if (settlement.isBack === true) await hasten(sql, texts(ended, 'channel', 'recipient'), at);
  return true;
}

const REFUSE_SUMMARIZED = (d: SqlDialect): string => `
  UPDATE recipient_state AS state SET maybe_notified = 0
  FROM deliveries AS mine
  WHERE mine.number = $1 AND ${d.among('state.key', '$2', 'text')}
    AND state.channel = mine.channel AND state.recipient = mine.recipient`;

/** `mayHaveArrived`: false if each try was refused, so what a summary in it stands for was not sent either. */
async function giveUp(sql: Sql, number: number, mayHaveArrived: boolean, at: Instant): Promise<void> {
  await sql.run(GIVE_UP, [number, at]);
  if (!mayHaveArrived) {
    const summarized = newestByKey(await sql.all(SUMMARIES, [number, ...inPage(ALL_KEYS)]));
    if (summarized.size > 0) await sql.run(REFUSE_SUMMARIZED, [number, [...summarized.keys()]]);
  }
  await wakeMembers(sql, number, at);
}

/** Marks the members of this page as sent, before the try is settled. */
export async function markSent(
  sql: Sql,
  { id }: Tried,
  page: KeyPage,
  settlement: SentSettlement,
  at: Instant,
): Promise<void> {
  const row = await sql.first(NUMBER_OF, [id]);
  if (row !== undefined) await markPage(sql, int(row, 'number'), page, settlement, at);
}

/** Marks all members of a delivery as sent. */
export async function markAllSent(sql: Sql, number: number, settlement: SentSettlement, at: Instant): Promise<void> {
  await markPage(sql, number, ALL_KEYS, settlement, at);
}

/**
 * Marks the members of this page as sent to the recipient. If a member is a summary, the alerts in it are marked too.
 * Stores the receipt, if there is one.
 */
async function markPage(
  sql: Sql,
  number: number,
  page: KeyPage,
  settlement: SentSettlement,
  at: Instant,
): Promise<void> {
  await sql.run(MARK_MEMBERS, [number, ...inPage(page), at]);
  const newest = newestByKey(await sql.all(SUMMARIES, [number, ...inPage(page)]));
  const summarized = [...newest].map(([key, seq]) => ({ number, key, seq, at }));
  await sql.each(MARK_SUMMARIZED, summarized);
  const receipt = receiptIn(settlement);
  if (receipt !== null) await keepReceipt(sql, number, page, receipt);
}

/** For the key of each alert in the summaries: the highest seq of the summaries that contain the alert. */
function newestByKey(summaries: readonly Row[]): Map<Key, number> {
  const newest = new Map<Key, number>();
  for (const row of summaries)
    for (const key of summaryKeysIn(row['summary'])) newest.set(key, Math.max(newest.get(key) ?? 0, int(row, 'seq')));
  return newest;
}

function receiptIn({ outcome }: SentSettlement): Receipt | null {
  return outcome.type === 'sent' ? (outcome.receipt ?? null) : null;
}
