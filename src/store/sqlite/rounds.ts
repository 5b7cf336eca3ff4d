// Rounds of dispatch: what they read, and what they write in one transaction.
import type { DatabaseSync } from 'node:sqlite';
import type { RoutingRound, RoutingResult } from '../../dispatch/routing-round.ts';
import type { Instant } from '../../lib/clock.ts';
import type { DeliveriesTable } from './deliveries-table.ts';
import type { NotificationsTable } from './notifications-table.ts';
import type { RecipientsTable } from './recipients-table.ts';

/** Within a transaction of the caller. */
export interface Rounds {
  read(limit: number): RoutingRound;
  /** `superseded`: nothing is written. */
  commit(round: RoutingRound, result: RoutingResult, at: Instant): 'kept' | 'superseded';
}

interface RoundTables {
  readonly db: DatabaseSync;
  readonly notifications: NotificationsTable;
  readonly recipients: RecipientsTable;
  readonly deliveries: DeliveriesTable;
}

export function createRounds({ db, notifications, recipients, deliveries }: RoundTables): Rounds {
  /** False: something that the decision rests on has changed. */
  function write({ unrouted }: RoutingRound, { owed, informed, cancelled }: RoutingResult, at: Instant): boolean {
    if (!cancelled.every((one) => deliveries.cancel(one, at))) return false;
    if (!unrouted.every(({ number }) => notifications.routed(number))) return false;
    deliveries.add(owed, at);
    for (const one of informed) recipients.informed(one, at);
    for (const one of unrouted) recipients.turned(one, at);
    return true;
  }

  return {
    read(limit) {
      const unrouted = notifications.unrouted(limit);
      return { unrouted, knowers: recipients.knowers(unrouted), untried: recipients.untried(unrouted) };
    },
    commit(round, result, at) {
      db.exec('SAVEPOINT round');
      const isKept = write(round, result, at);
      if (!isKept) db.exec('ROLLBACK TO round');
      db.exec('RELEASE round');
      return isKept ? 'kept' : 'superseded';
    },
  };
}
