// Records messages that were sent while the state could not be written: deliveries that were accepted, or may have
// been.
import { triedLine } from '../../../core/journal/tried.ts';
import { RANK_OF, type Settlement } from '../../../core/model/delivery.ts';
import { isBegin } from '../../../core/model/transition.ts';
import { deliveryId } from '../../../core/model/watch/identity.ts';
import type { ToldBefore } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Sql } from '../../sql/sql.ts';
import { outcomeText } from '../deliveries/delivery-rows.ts';
import { markAllSent } from '../deliveries/settled-deliveries.ts';
import { append } from '../journal/journal.ts';
import { markTold, wake } from './alerts.ts';
import { record } from './batches.ts';
import { lookAtStates } from './recipient-states.ts';

const ONLY_TRY = 1;

/** The caller has written the states and the alerts. Repeats and escalation steps count from the time of sending. */
export async function keepTold(sql: Sql, told: readonly ToldBefore[], at: Instant): Promise<void> {
  for (const one of told) await keepOne(sql, one, at);
  const begins = told.filter(({ notification: { transition } }) => isBegin(transition));
  const states = begins.map(({ notification: { key }, telling }) => ({ ...telling, key }));
  await lookAtStates(sql, states);
  const woken = begins.map(({ group }) => ({ group, notification: null }));
  await wake(sql, woken, at);
  for (const { notification, telling, counts, isAnswered } of told)
    if (counts) await markTold(sql, [{ key: notification.key, seq: notification.seq, isAnswered }], telling.at);
}

/** A delivery with an unknown outcome is tried again, as usual. */
async function keepOne(sql: Sql, { notification, telling, critical }: ToldBefore, at: Instant): Promise<void> {
  const { key, severity, labels } = notification;
  const { channel, recipient, outcome } = telling;
  const isSent = outcome.type === 'sent';
  const id = deliveryId(key, notification, telling);
  const settlement: Settlement = isSent ? { state: 'sent', outcome } : { state: 'due', outcome, dueAt: at };
  const end = { state: settlement.state, settledAt: isSent ? telling.at : null, maybeCopy: isSent ? 0 : 1 };
  const about = { id, channel, recipient, rank: RANK_OF[severity], rule: labels['watch'] ?? '', critical };
  const row = { ...about, ...end, attempt: ONLY_TRY, dueAt: at, createdAt: telling.at, outcome: outcomeText(outcome) };
  const number = await record(sql, row, notification);
  if (number === null) return;
  if (settlement.state === 'sent') await markAllSent(sql, number, settlement, telling.at);
  await append(sql, [triedLine({ id, attempt: ONLY_TRY }, settlement, telling.at)]);
}
