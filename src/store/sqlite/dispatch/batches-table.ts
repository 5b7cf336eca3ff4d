// Puts what was decided into deliveries, and takes out of them what is not to be said any more.
import type { DatabaseSync } from 'node:sqlite';
import { RANK_OF } from '../../../core/model/delivery.ts';
import { deliveryId } from '../../../core/model/watch/identity.ts';
import type { DeliveryBatch, Key, NeedlessRepeat, Withdrawal } from '../../../dispatch/model.ts';
import type { DeliveryShare, DeliveryShares } from '../../../dispatch/shares.ts';
import type { Undeliverable } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { outcomeText } from '../../rows/delivery-rows.ts';
import { RAN_OF } from '../deliveries/deliveries-table.ts';
import { freshOf, oldestFirst, type Fresh } from '../../rows/fresh-delivery.ts';
import { createOverflowTable } from './overflow-table.ts';
import { createSharedDeliveries } from '../deliveries/shared-deliveries.ts';

/** None of these statements opens a transaction. */
export interface BatchesTable {
  /**
   * One that is there already is left as it is. Where a channel has too much to get rid of, events are folded. False: what
   * an earlier commit wrote of a message went out meanwhile.
   */
  add(batches: readonly DeliveryBatch[], shares: DeliveryShares, at: Instant): boolean;
  /** It ends at once: there is no such channel. */
  addDead(undeliverable: Undeliverable, at: Instant): void;
  /** Of what waits for another try, and was not taken over as far as anybody knows. */
  dropRepeats(needless: NeedlessRepeat, at: Instant): void;
  /** False: a try of it has begun. */
  withdraw(withdrawal: Withdrawal, at: Instant): boolean;
}

export function createBatchesTable(db: DatabaseSync): BatchesTable {
  const add = db.prepare(`
    INSERT INTO deliveries (id, channel, recipient, kind, rank, state, due_at, created_at, runtime_at, folds, rule)
    VALUES (?1, ?2, ?3, ?4, ?5, 'due', ?6, ?7, ${RAN_OF('?2')}, ?8, ?9) ON CONFLICT (id) DO NOTHING`);
  const addDead = db.prepare(`
    INSERT INTO deliveries
      (id, channel, recipient, kind, rank, state, due_at, created_at, runtime_at, settled_at, outcome)
    VALUES (?1, ?2, ?2, 'news', ?3, 'dead', ?4, ?4, ${RAN_OF('?2')}, ?4, ?5) ON CONFLICT (id) DO NOTHING`);
  const addMember = db.prepare(`
    INSERT INTO group_member (delivery, key, seq, notification, told_as, held_at, position, present)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const rowOf = db.prepare(`
    SELECT number, CASE WHEN json_valid(labels) THEN labels ->> '$.watch' END AS rule
    FROM notifications WHERE key = ? AND seq = ?`);
  const follow = db.prepare(`
    INSERT INTO delivery_order (delivery, earlier)
    SELECT ?1, earlier.number FROM group_member AS member JOIN deliveries AS earlier ON earlier.number = member.delivery
    WHERE member.key = ?2 AND earlier.channel = ?3 AND earlier.recipient = ?4 AND earlier.number < ?1
      AND earlier.state IN ('due', 'sending')
    ON CONFLICT DO NOTHING`);
  const untried = db.prepare(`
    SELECT DISTINCT mine.number, mine.attempt FROM group_member AS member
      JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE member.key = ? AND member.seq >= ? AND mine.channel = ? AND mine.recipient = ?
      AND mine.state IN ('due', 'sending', 'parked')`);
  const repeats = db.prepare(`
    SELECT mine.number, member.seq FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE member.key = ? AND member.told_as = 'repeat' AND mine.channel = ? AND mine.recipient = ?
      AND mine.state IN ('due', 'parked') AND mine.maybe_copy = 0`);
  const takeOut = db.prepare('DELETE FROM group_member WHERE delivery = ? AND key = ? AND seq >= ?');
  const isLeft = db.prepare('SELECT 1 FROM group_member WHERE delivery = ? AND NOT (key = ? AND seq >= ?) LIMIT 1');
  const end = db.prepare(`UPDATE deliveries SET state = ?, settled_at = ? WHERE number = ?`);
  const release = db.prepare('DELETE FROM delivery_order WHERE earlier = ?');
  const overflow = createOverflowTable(db);
  const shared = createSharedDeliveries(db);

  function insert(fresh: Fresh, at: Instant): void {
    const { id, channel, recipient, kind, rank, rule, folds, dueAt } = fresh;
    const { changes, lastInsertRowid } = add.run(id, channel, recipient, kind, rank, dueAt, at, folds, rule);
    if (changes === 1) addMembers(Number(lastInsertRowid), fresh);
  }

  function addMembers(delivery: number, { channel, recipient, members }: Fresh): void {
    for (const { key, seq, as, heldAt, notification, position, present } of members) {
      const now = present === null ? null : JSON.stringify(present);
      addMember.run(delivery, key, seq, notification, as, heldAt, position, now);
      // The first of an alert follows nothing.
      if (seq > 1) follow.run(delivery, key, channel, recipient);
    }
  }

  /** False: the rest of the message went out. */
  function addShare(fresh: Fresh, { isFirst, isLast }: DeliveryShare, at: Instant): boolean {
    if (isFirst) {
      insert({ ...fresh, dueAt: at + shared.OPEN_MS }, at);
      return true;
    }
    const number = shared.open(fresh.id);
    if (number === null) return false;
    addMembers(number, fresh);
    shared.write(number, { rule: fresh.rule, dueAt: isLast ? fresh.dueAt : at + shared.OPEN_MS });
    return true;
  }

  function leave(delivery: number, key: Key, from: number, as: Withdrawal['as'], at: Instant): void {
    if (isLeft.get(delivery, key, from) === undefined) {
      end.run(as, at, delivery);
      release.run(delivery);
    } else takeOut.run(delivery, key, from);
  }

  return {
    dropRepeats({ target: { channel, recipient }, key }, at) {
      for (const { number, seq } of repeats.all(key, channel, recipient))
        leave(Number(number), key, Number(seq), 'cancelled', at);
    },
    add(batches, shares, at) {
      const all = batches.map((batch) => {
        const share = shares.get(batch.id);
        return { share, fresh: freshOf(batch, share, at, ({ key, seq }) => rowOf.get(key, seq)) };
      });
      const whole = all.filter(({ share }) => share === undefined).map(({ fresh }) => fresh);
      for (const one of overflow.fold(oldestFirst(whole), at)) insert(one, at);
      return all.every(({ share, fresh }) => share === undefined || addShare(fresh, share, at));
    },
    addDead({ channel, notification: { number, key, seq, episode, severity } }, at) {
      const id = deliveryId(key, { episode, seq }, { channel, recipient: channel });
      const why = `the config has no channel ${channel} any more`;
      const { changes, lastInsertRowid } = addDead.run(
        ...[id, channel, RANK_OF[severity], at, outcomeText({ type: 'rejected', why })],
      );
      if (changes === 1) addMember.run(lastInsertRowid, key, seq, number, 'news', null, 0, null);
    },
    withdraw({ target: { channel, recipient }, key, from, as }, at) {
      const rows = untried.all(key, from, channel, recipient);
      if (rows.some(({ attempt }) => attempt !== 0)) return false;
      for (const { number } of rows) leave(Number(number), key, from, as, at);
      return true;
    },
  };
}
