// What operators do to deliveries: have one tried again that was given up, or counted no more among those.
import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { OperatorChange, Unchanged } from '../../interventions.ts';
import { RAN_OF } from './deliveries-table.ts';

/** None of these statements opens a transaction. */
export interface GivenUpTable {
  retry(id: DeliveryId, at: Instant): OperatorChange | Unchanged;
  dismiss(id: DeliveryId, at: Instant): OperatorChange | Unchanged;
  /** How many are due that were not. */
  retryChannel(channel: string, at: Instant): number;
}

export function createGivenUpTable(db: DatabaseSync): GivenUpTable {
  const find = db.prepare('SELECT number, channel, recipient, state FROM deliveries WHERE id = ?');
  const laterSent = db.prepare(`
    SELECT 1 FROM group_member AS mine
      JOIN group_member AS also ON also.key = mine.key AND also.seq > mine.seq
      JOIN deliveries AS later ON later.number = also.delivery
    WHERE mine.delivery = ?1 AND later.channel = ?2 AND later.recipient = ?3 AND later.state = 'sent' LIMIT 1`);
  const revive = db.prepare(`
    UPDATE deliveries SET state = 'due', due_at = ?2, settled_at = NULL, dismissed_at = NULL,
      runtime_at = ${RAN_OF('deliveries.channel')}
    WHERE number = ?1`);
  // What came after it, and waits, goes out after it again.
  const follow = db.prepare(`
    INSERT INTO delivery_order (delivery, earlier)
    SELECT DISTINCT later.number, ?1 FROM group_member AS mine
      JOIN group_member AS also ON also.key = mine.key AND also.seq > mine.seq
      JOIN deliveries AS later ON later.number = also.delivery
    WHERE mine.delivery = ?1 AND later.channel = ?2 AND later.recipient = ?3 AND later.state = 'due'
    ON CONFLICT DO NOTHING`);
  const dismiss = db.prepare('UPDATE deliveries SET dismissed_at = ? WHERE number = ?');
  // A summary that still takes events in has not been tried, and waits for more of them.
  const retryChannel = db.prepare(`
    UPDATE deliveries SET due_at = ?2
    WHERE channel = ?1 AND state = 'due' AND due_at > ?2 AND (folds IS NULL OR attempt > 0)`);

  function onGivenUp(
    id: DeliveryId,
    state: 'owed' | 'dismissed',
    change: (row: { number: number; channel: string; recipient: string }) => Unchanged | null,
  ): OperatorChange | Unchanged {
    const row = find.get(id);
    if (row === undefined) return 'not-found';
    if (row['state'] !== 'dead') return 'not-given-up';
    const [number, channel, recipient] = [Number(row['number']), String(row['channel']), String(row['recipient'])];
    return change({ number, channel, recipient }) ?? { type: 'delivery', id, channel, recipient, state };
  }

  return {
    retry: (id, at) =>
      onGivenUp(id, 'owed', ({ number, channel, recipient }) => {
        if (laterSent.get(number, channel, recipient) !== undefined) return 'later-sent';
        revive.run(number, at);
        follow.run(number, channel, recipient);
        return null;
      }),
    dismiss: (id, at) =>
      onGivenUp(id, 'dismissed', ({ number }) => {
        dismiss.run(at, number);
        return null;
      }),
    retryChannel: (channel, at) => Number(retryChannel.run(channel, at).changes),
  };
}
