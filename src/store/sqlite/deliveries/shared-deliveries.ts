// Deliveries that several commits write. Until the last of them, such a delivery falls due a little later: nobody sends it
// meanwhile, and where the last commit never comes it goes out with the members that it has.
import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import { numberOrNull } from '../../rows/dispatch-rows.ts';
import { SHARE_OPEN_MS } from '../../rows/fresh-delivery.ts';

/** None of these statements opens a transaction. */
export interface SharedDeliveries {
  /** How long after a commit the next is waited for. */
  readonly OPEN_MS: number;
  /** Its number; null: it went out, or goes out now. */
  open(id: DeliveryId): number | null;
  /** `rule`: that of the members which were added. */
  write(number: number, change: { readonly rule: string; readonly dueAt: Instant }): void;
}

export function createSharedDeliveries(db: DatabaseSync): SharedDeliveries {
  const open = db.prepare(`SELECT number FROM deliveries WHERE id = ? AND state = 'due' AND attempt = 0`);
  const write = db.prepare(`
    UPDATE deliveries SET due_at = ?, rule = CASE WHEN rule = ? THEN rule ELSE '' END WHERE number = ?`);
  return {
    OPEN_MS: SHARE_OPEN_MS,
    open: (id) => numberOrNull(open.get(id)?.['number']),
    write(number, { rule, dueAt }) {
      write.run(dueAt, rule, number);
    },
  };
}
