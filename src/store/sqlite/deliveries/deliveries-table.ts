import type { DatabaseSync } from 'node:sqlite';
import { LONGEST_WAIT_MS } from '../../../core/after-outcome.ts';
import { RANK_OF, type Delivery, type Settlement } from '../../../core/model/delivery.ts';
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Key } from '../../../dispatch/model.ts';
import { earliest, type Instant } from '../../../lib/clock.ts';
import { numberOrNull } from '../../rows/dispatch-rows.ts';
import type { Row } from '../../rows/rows.ts';
import { deliveryOf, ENDED_WHILE_SENDING, outcomeText } from '../../rows/delivery-rows.ts';
import { createPageEnd, IN_RANGE, type KeyRange, type PageEnd } from './member-pages.ts';
import { createMembersView, type UnreadMembers } from './members-view.ts';
import { createReceiptsTable } from './receipts-table.ts';
import { LONGEST_LEASE_MS, type DeliveryClaim, type Claimed, type Share, type Tried } from '../../outbox.ts';

/** Every delivery that is kept, without its members. */
export const DELIVERIES = `
  SELECT number, id, channel, recipient, kind, state, attempt, due_at, created_at, settled_at, dismissed_at,
    outcome
  FROM deliveries AS mine`;

/** Of one recipient and alert only the earliest that is not settled may go out. */
const FIRST_IN_LINE = 'NOT EXISTS (SELECT 1 FROM delivery_order WHERE delivery_order.delivery = mine.number)';

/** Less than ?3 messages of its rule are being sent on channel ?1. What is about several rules waits for none of them. */
const HAS_ROOM = `rule NOT IN (
  SELECT busy.rule FROM deliveries AS busy WHERE busy.channel = ?1 AND busy.state = 'sending' AND busy.rule <> ''
  GROUP BY busy.rule HAVING count(*) >= ?3)`;

/** How long the sender of a channel has run in all; `channel` is a column or a parameter. */
export const RAN_OF = (channel: string): string => `coalesce((SELECT ran_ms FROM channels WHERE name = ${channel}), 0)`;

// Asked for one by one: the index holds the rows of each rank in the order in which they fall due.
const RANKS = Object.values(RANK_OF).toSorted();

/** None of these statements opens a transaction. */
export interface DeliveriesTable {
  /** Rows that cannot be read end as dead, so that they do not stand in the way of the others; `damaged` is told. */
  claim(claim: DeliveryClaim, damaged: (error: unknown) => void): HandedOut[];
  ran(channel: string, ms: number): void;
  readonly pageEnd: PageEnd;
  /** The recipient was told of members with these keys, before the try is settled. */
  told(tried: Tried, keys: KeyRange, settlement: Sent, at: Instant): void;
  /** False: that try is over. `after`: behind which key members were not noted as told yet. */
  settle(tried: Tried, settlement: Settlement, at: Instant, after: Key): boolean;
  expire(channel: string, at: Instant, held: readonly DeliveryId[]): number;
  /** Of every delivery that is being sent: its process is gone. */
  endLeases(): void;
  nextDue(share: Share): Instant | null;
  prune(before: Instant): void;
}

export type Sent = Extract<Settlement, { state: 'sent' }>;

/** `unread`: members that are not in the delivery yet; null: all are. */
export interface HandedOut {
  readonly claimed: Claimed;
  readonly unread: UnreadMembers | null;
}

// SQLite takes a partial index only for a query that repeats the index's own condition word by word; hence redundant
// terms below.
export function createDeliveriesTable(db: DatabaseSync): DeliveriesTable {
  const membersOf = createMembersView(db);
  const receipts = createReceiptsTable(db);
  const ran = db.prepare(`
    INSERT INTO channels (name, ran_ms) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET ran_ms = ran_ms + excluded.ran_ms`);
  const due = db.prepare(`
    SELECT mine.*, ${RAN_OF('mine.channel')} - runtime_at AS age_ms FROM deliveries AS mine
    WHERE channel = ?1 AND state = 'due' AND rank = ?2 AND due_at <= ?4 AND ${HAS_ROOM} AND ${FIRST_IN_LINE}
    ORDER BY due_at, mine.number LIMIT 1`);
  const take = db.prepare(`
    UPDATE deliveries SET state = 'sending', attempt = attempt + 1, lease_until = ? WHERE number = ?`);
  const bury = db.prepare(`
    UPDATE deliveries SET state = 'dead', settled_at = ?, outcome = ? WHERE number = ? AND state IN ('due', 'sending')`);
  const sent = db.prepare(`
    UPDATE deliveries SET state = 'sent', settled_at = ?, outcome = ? WHERE id = ? AND state IN ('due', 'sending')
    RETURNING number`);
  const dead = db.prepare(`
    UPDATE deliveries SET state = 'dead', settled_at = ?, outcome = ? WHERE id = ? AND state = 'sending' AND attempt = ?
    RETURNING number`);
  const retry = db.prepare(`
    UPDATE deliveries SET state = 'due', due_at = ?, outcome = ?, maybe_copy = max(maybe_copy, ?)
    WHERE id = ? AND state = 'sending' AND attempt = ?`);
  const release = db.prepare('DELETE FROM delivery_order WHERE earlier = ?');
  const numberOf = db.prepare('SELECT number FROM deliveries WHERE id = ?');
  const notified = db.prepare(`
    WITH told AS (
      SELECT key, max(seq) AS seq FROM (
        SELECT member.key, member.seq FROM group_member AS member WHERE member.delivery = ?1 AND ${IN_RANGE}
        UNION ALL
        SELECT keys.value, member.seq FROM group_member AS member
          JOIN notifications AS notification ON notification.number = member.notification
          JOIN json_each(notification.message, '$.summary.keys') AS keys
        WHERE member.delivery = ?1 AND ${IN_RANGE})
      GROUP BY key)
    UPDATE recipient_state SET notified = max(notified, told.seq), notified_at = ?4
    FROM told, deliveries
    WHERE deliveries.number = ?1 AND recipient_state.key = told.key
      AND recipient_state.channel = deliveries.channel AND recipient_state.recipient = deliveries.recipient`);
  // No lease is longer than the longest: the clock was set back meanwhile.
  const expire = db.prepare(`
    UPDATE deliveries SET state = 'due', due_at = ?2, outcome = ?3, maybe_copy = 1
    WHERE channel = ?1 AND state = 'sending' AND (lease_until <= ?2 OR lease_until > ?2 + ${LONGEST_LEASE_MS})
      AND id NOT IN (SELECT value FROM json_each(?4))`);
  // Nor is a wait.
  const endWaits = db.prepare(`
    UPDATE deliveries SET due_at = ?3
    WHERE channel = ?1 AND state = 'due' AND rank = ?2 AND due_at > ?3 + ${LONGEST_WAIT_MS}`);
  const endLeases = db.prepare(`UPDATE deliveries SET lease_until = 0 WHERE state = 'sending'`);
  const next = db.prepare(`
    SELECT due_at FROM deliveries AS mine
    WHERE channel = ?1 AND state = 'due' AND rank = ?2 AND ${HAS_ROOM} AND ${FIRST_IN_LINE}
    ORDER BY due_at, number LIMIT 1`);
  const prune = db.prepare(`DELETE FROM deliveries WHERE ${IS_ENDED} AND settled_at < ?`);

  function handOut(row: Row, leaseUntil: Instant): HandedOut {
    const { id, channel, recipient, kind, at, attempt } = deliveryOf(row);
    const number = Number(row['number']);
    const { unread, ...members } = membersOf.listed({ id, number });
    const delivery: Delivery = { id, channel, recipient, kind, at, ...members };
    take.run(leaseUntil, number);
    const [maybeCopy, receipt] = [row['maybe_copy'] === 1, receipts.of(number)];
    return { claimed: { delivery, attempt: attempt + 1, maybeCopy, receipt, ageMs: Number(row['age_ms']) }, unread };
  }

  function noteTold(number: number, { after, to }: KeyRange, { outcome }: Sent, at: Instant): void {
    notified.run(number, after, to, at);
    if (outcome.type === 'sent' && outcome.receipt !== undefined) receipts.keep(number, { after, to }, outcome.receipt);
  }

  /** Null: nothing of that rank may be sent. */
  function firstDue({ channel, perRule, at }: DeliveryClaim): Row | null {
    for (const rank of RANKS) {
      const row = due.get(channel, rank, perRule, at);
      if (row !== undefined) return row;
    }
    return null;
  }

  return {
    claim(claim, damaged) {
      const claimed: HandedOut[] = [];
      // One by one: what is handed out counts for its rule.
      while (claimed.length < claim.limit) {
        const row = firstDue(claim);
        if (row === null) break;
        try {
          claimed.push(handOut(row, claim.at + claim.leaseMs));
        } catch (error) {
          bury.run(claim.at, outcomeText({ type: 'rejected', why: String(error) }), Number(row['number']));
          release.run(Number(row['number']));
          damaged(error);
        }
      }
      return claimed;
    },
    ran(channel, ms) {
      ran.run(channel, ms);
    },
    pageEnd: createPageEnd(db),
    told({ id }, keys, settlement, at) {
      const number = numberOrNull(numberOf.get(id)?.['number']);
      if (number !== null) noteTold(number, keys, settlement, at);
    },
    settle({ id, attempt }, settlement, at, after) {
      const outcome = outcomeText(settlement.outcome);
      if (settlement.state === 'due') {
        const isUnknown = Number(settlement.outcome.type === 'unknown');
        return retry.run(settlement.dueAt, outcome, isUnknown, id, attempt).changes === 1;
      }
      const ended = settlement.state === 'sent' ? sent.get(at, outcome, id) : dead.get(at, outcome, id, attempt);
      if (ended === undefined) return false;
      const number = Number(ended['number']);
      release.run(number);
      if (settlement.state === 'sent') noteTold(number, { after, to: null }, settlement, at);
      return true;
    },
    expire(channel, at, held) {
      for (const rank of RANKS) endWaits.run(channel, rank, at);
      const outcome = outcomeText({ type: 'unknown', why: ENDED_WHILE_SENDING });
      return Number(expire.run(channel, at, outcome, JSON.stringify(held)).changes);
    },
    endLeases() {
      endLeases.run();
    },
    nextDue: ({ channel, perRule }) =>
      earliest(RANKS.map((rank) => numberOrNull(next.get(channel, rank, perRule)?.['due_at']))),
    prune(before) {
      prune.run(before);
    },
  };
}

/** As the index `deliveries_ended` has it. */
export const IS_ENDED = `state IN ('sent', 'dead', 'merged', 'cancelled')`;
