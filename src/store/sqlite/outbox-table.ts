import type { DatabaseSync } from 'node:sqlite';
import { RANK_OF, type Delivery, type Outcome, type Settlement } from '../../core/model/delivery.ts';
import { foldKeyOf } from '../../core/alerts/overflow.ts';
import type { AlertId, DeliveryId, WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import { deliveryOf, type Row } from '../rows.ts';
import { createOverflowTable } from './overflow-table.ts';
import {
  LONGEST_LEASE_MS,
  type Claim,
  type Claimed,
  type DeliveryFilter,
  type OutboxDepth,
  type StoredDelivery,
  type Survey,
  type Tried,
} from '../store.ts';

const COLUMNS = `number, id, watch, channel, recipient, message, state, attempt, due_at, created_at, settled_at, outcome`;

/** Every delivery that is kept. */
export const DELIVERIES = `SELECT ${COLUMNS} FROM deliveries`;

// Of one channel, recipient and key only the lowest `seq` that is not settled may go out, and one at a time. Whoever
// asks when the next is due must ask the same, or it would be told of a row that it is not given, again and again.
const FIRST_IN_LINE = `
  NOT EXISTS (
    SELECT 1 FROM deliveries AS other
    WHERE other.channel = mine.channel AND other.recipient = mine.recipient AND other.key = mine.key
      AND other.state IN ('due', 'sending')
      AND (other.state = 'sending' OR (other.seq, other.number) < (mine.seq, mine.number)))`;

/** How long the sender of a channel has run in all; `channel` is a column or a parameter. */
const RAN_OF = (channel: string): string => `coalesce((SELECT ran_ms FROM channels WHERE name = ${channel}), 0)`;

// Asked for one by one: the index holds the rows of each rank in the order in which they fall due.
const RANKS = Object.values(RANK_OF).toSorted();

/** The statements of the outbox. None of them opens a transaction. */
interface OutboxTable {
  /** A delivery that is there already is left as it is. Where a channel has too much to get rid of, events are folded. */
  add(watch: WatchId, deliveries: readonly Delivery[], at: Instant): void;
  /** Rows that cannot be read end as dead, so that they do not stand in the way of the others; `damaged` is told. */
  claim(claim: Claim, damaged: (error: unknown) => void): Claimed[];
  ran(channel: string, ms: number): void;
  /** False: that try is over. */
  settle(tried: Tried, settlement: Settlement, at: Instant): boolean;
  expire(channel: string, at: Instant, held: readonly DeliveryId[]): number;
  /** Of every delivery that is being sent: its process is gone. */
  endLeases(): void;
  nextDue(channel: string): Instant | null;
  prune(before: Instant): void;
}

// SQLite takes a partial index only for a query that repeats the index's own condition word by word; hence the terms
// below that look idle.
export function createOutboxTable(db: DatabaseSync): OutboxTable {
  const add = db.prepare(`
    INSERT INTO deliveries
      (id, watch, channel, recipient, key, seq, message, state, attempt, due_at, created_at, ran_before, rank, folds)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'due', 0, ?10, ?8, ${RAN_OF('?3')}, ?9, ?11) ON CONFLICT (id) DO NOTHING`);
  const overflow = createOverflowTable(db);
  const ran = db.prepare(`
    INSERT INTO channels (name, ran_ms) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET ran_ms = ran_ms + excluded.ran_ms`);
  const due = db.prepare(`
    SELECT ${COLUMNS}, ${RAN_OF('mine.channel')} - ran_before AS age_ms FROM deliveries AS mine
    WHERE channel = ? AND state = 'due' AND rank = ? AND due_at <= ? AND ${FIRST_IN_LINE}
    ORDER BY due_at, number`);
  const take = db.prepare(`
    UPDATE deliveries SET state = 'sending', attempt = attempt + 1, lease_until = ? WHERE number = ?`);
  const bury = db.prepare(`
    UPDATE deliveries SET state = 'dead', settled_at = ?, outcome = ? WHERE number = ? AND state IN ('due', 'sending')`);
  const sent = db.prepare(`
    UPDATE deliveries SET state = 'sent', settled_at = ?, outcome = ? WHERE id = ? AND state IN ('due', 'sending')`);
  const dead = db.prepare(`
    UPDATE deliveries SET state = 'dead', settled_at = ?, outcome = ? WHERE id = ? AND state = 'sending' AND attempt = ?`);
  const retry = db.prepare(`
    UPDATE deliveries SET state = 'due', due_at = ?, outcome = ? WHERE id = ? AND state = 'sending' AND attempt = ?`);
  // No lease is longer than the longest: the clock was set back meanwhile.
  const expire = db.prepare(`
    UPDATE deliveries SET state = 'due', due_at = ?2, outcome = ?3
    WHERE channel = ?1 AND state = 'sending' AND (lease_until <= ?2 OR lease_until > ?2 + ${LONGEST_LEASE_MS})
      AND id NOT IN (SELECT value FROM json_each(?4))`);
  const endLeases = db.prepare(`UPDATE deliveries SET lease_until = 0 WHERE state = 'sending'`);
  const next = db.prepare(`
    SELECT due_at FROM deliveries AS mine
    WHERE channel = ? AND state = 'due' AND rank = ? AND ${FIRST_IN_LINE} ORDER BY due_at, number LIMIT 1`);
  const prune = db.prepare(`DELETE FROM deliveries WHERE state IN ('sent', 'dead') AND settled_at < ?`);

  function handOut(row: Row, leaseUntil: Instant): Claimed {
    const { id, channel, recipient, message, attempt } = deliveryOf(row);
    take.run(leaseUntil, Number(row['number']));
    return { delivery: { id, channel, recipient, message }, attempt: attempt + 1, ageMs: Number(row['age_ms']) };
  }

  /** Read to the end before the first is changed: a statement must not change what it still reads. */
  function firstDue({ channel, limit, at }: Claim): Row[] {
    const rows: Row[] = [];
    for (const rank of RANKS)
      for (const row of due.iterate(channel, rank, at)) {
        if (rows.length === limit) return rows;
        rows.push(row);
      }
    return rows;
  }

  return {
    add(watch, deliveries, at) {
      for (const { delivery, openUntil } of overflow.fold(deliveries, at)) {
        const { id, channel, recipient, message } = delivery;
        const text = JSON.stringify(message);
        const folds = openUntil === null ? null : foldKeyOf(delivery);
        const { key, seq, severity } = message;
        add.run(id, watch, channel, recipient, key, seq, text, at, RANK_OF[severity], openUntil ?? at, folds);
      }
    },
    claim(claim, damaged) {
      return firstDue(claim).flatMap((row) => {
        try {
          return [handOut(row, claim.at + claim.leaseMs)];
        } catch (error) {
          bury.run(claim.at, textOf({ type: 'rejected', why: String(error) }), Number(row['number']));
          damaged(error);
          return [];
        }
      });
    },
    ran(channel, ms) {
      ran.run(channel, ms);
    },
    settle({ id, attempt }, settlement, at) {
      const outcome = textOf(settlement.outcome);
      switch (settlement.state) {
        case 'sent':
          return sent.run(at, outcome, id).changes === 1;
        case 'dead':
          return dead.run(at, outcome, id, attempt).changes === 1;
        case 'due':
          return retry.run(settlement.dueAt, outcome, id, attempt).changes === 1;
      }
    },
    expire: (channel, at, held) =>
      Number(
        expire.run(channel, at, textOf({ type: 'unknown', why: ENDED_WHILE_SENDING }), JSON.stringify(held)).changes,
      ),
    endLeases() {
      endLeases.run();
    },
    nextDue(channel) {
      const instants = RANKS.map((rank) => next.get(channel, rank)?.['due_at']).filter(isInstant);
      return instants.length === 0 ? null : Math.min(...instants);
    },
    prune(before) {
      prune.run(before);
    },
  };
}

function isInstant(value: unknown): value is Instant {
  return typeof value === 'number';
}

const ENDED_WHILE_SENDING = 'whoever was sending it ended before its outcome was known';

/** What looks at the outbox without touching it. */
interface OutboxView {
  survey(): Survey;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): StoredDelivery[];
  delivery(id: DeliveryId): StoredDelivery | null;
  /** Those that were given up or refused, newest first. */
  dead(limit: number): StoredDelivery[];
  /** Those of one alert of a watch, newest first. */
  deliveriesOf(watch: WatchId, alert: AlertId, limit: number): StoredDelivery[];
}

export function createOutboxView(db: DatabaseSync): OutboxView {
  const depth = db.prepare(`
    SELECT channel, count(*) AS rows, min(created_at) AS oldest FROM deliveries
    WHERE state IN ('due', 'sending') GROUP BY channel ORDER BY channel`);
  const ended = db.prepare(`
    SELECT count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE state = 'dead') AS dead
    FROM deliveries WHERE state IN ('sent', 'dead')`);
  const some = db.prepare(`
    SELECT ${COLUMNS} FROM deliveries
    WHERE (?1 IS NULL OR state IN (SELECT value FROM json_each(?1))) AND (?2 IS NULL OR channel = ?2)
    ORDER BY number DESC LIMIT ?3`);
  const one = db.prepare(`SELECT ${COLUMNS} FROM deliveries WHERE id = ?`);
  const dead = db.prepare(`
    SELECT ${COLUMNS} FROM deliveries WHERE state = 'dead' AND state IN ('sent', 'dead')
    ORDER BY settled_at DESC, number DESC LIMIT ?`);
  const said = db.prepare(`
    SELECT ${COLUMNS} FROM deliveries WHERE watch = ? AND json_extract(message, '$.alert') = ?
    ORDER BY number DESC LIMIT ?`);
  return {
    deliveriesOf: (watch, alert, limit) => said.all(watch, alert, limit).map(deliveryOf),
    survey: () => {
      const counts = ended.get();
      const outbox = depth.all().map(depthOf);
      return { outbox, sent: Number(counts?.['sent']), dead: Number(counts?.['dead']) };
    },
    deliveries: ({ state, channel, limit }) =>
      some.all(state && JSON.stringify(STATES_OF[state]), channel, limit).map(deliveryOf),
    delivery: (id) => {
      const row = one.get(id);
      return row === undefined ? null : deliveryOf(row);
    },
    dead: (limit) => dead.all(limit).map(deliveryOf),
  };
}

const STATES_OF: Readonly<Record<NonNullable<DeliveryFilter['state']>, readonly StoredDelivery['state'][]>> = {
  owed: ['due', 'sending'],
  'given-up': ['dead'],
  sent: ['sent'],
};

function depthOf(row: Row): OutboxDepth {
  return { channel: String(row['channel']), rows: Number(row['rows']), oldest: Number(row['oldest']) };
}

function textOf(outcome: Outcome): string {
  return JSON.stringify({ type: outcome.type, text: outcome.type === 'sent' ? outcome.answer : outcome.why });
}
