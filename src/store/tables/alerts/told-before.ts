// Puts on record what was told while nothing could be stored: deliveries that were accepted already, or may have been.
import { triedLine } from '../../../core/journal/tried.ts';
import { RANK_OF, type Settlement } from '../../../core/model/delivery.ts';
import { isBegin } from '../../../core/model/transition.ts';
import { deliveryId } from '../../../core/model/watch/identity.ts';
import type { ToldBefore } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { int } from '../../sql/rows.ts';
import type { Sql } from '../../sql/sql.ts';
import { outcomeText, ranOf } from '../deliveries/delivery-rows.ts';
import { markAllSent } from '../deliveries/settled-deliveries.ts';
import { append } from '../journal/journal.ts';
import { markTold } from './alerts.ts';
import { addMembers } from './batches.ts';
import { wake } from './groups.ts';
import { lookAtStates } from './recipient-states.ts';

const ONLY_TRY = 1;

/** The states and the alerts that they are about were written before. Repeats and steps count from when they were told. */
export async function keepTold(sql: Sql, told: readonly ToldBefore[], at: Instant): Promise<void> {
  if (told.length === 0) return;
  for (const one of told) await keepOne(sql, one, at);
  const begins = told.filter(({ notification: { transition } }) => isBegin(transition));
  await lookAtStates(
    sql,
    begins.map(({ notification: { key }, telling: { channel, recipient } }) => ({ key, channel, recipient })),
  );
  await wake(
    sql,
    begins.map(({ group }) => ({ group, notification: null })),
    at,
  );
  for (const { notification, telling, counts, isAnswered } of told)
    if (counts) await markTold(sql, [{ key: notification.key, seq: notification.seq, isAnswered }], telling.at);
}

const ADD = `
  INSERT INTO deliveries (id, channel, recipient, kind, rank, state, attempt, due_at, created_at, runtime_at, settled_at,
    outcome, maybe_copy, rule, critical)
  VALUES ($1, $2, $3, 'news', $4, $5, ${ONLY_TRY}, $6, $7, ${ranOf('$2')}, $8, $9, $10, $11, $12)
  ON CONFLICT (id) DO NOTHING RETURNING number`;

/** One of unknown outcome is tried again, as ever. */
async function keepOne(sql: Sql, { notification, telling, critical }: ToldBefore, at: Instant): Promise<void> {
  const { key, seq, severity, labels } = notification;
  const { channel, recipient, outcome } = telling;
  const isSent = outcome.type === 'sent';
  const id = deliveryId(key, notification, telling);
  const settlement: Settlement = isSent ? { state: 'sent', outcome } : { state: 'due', outcome, dueAt: at };
  const ends = [isSent ? telling.at : null, outcomeText(outcome), isSent ? 0 : 1];
  const about = [labels['watch'] ?? '', critical === null ? null : JSON.stringify(critical)];
  const row = [id, channel, recipient, RANK_OF[severity], settlement.state, at, telling.at, ...ends, ...about];
  const added = await sql.first(ADD, row);
  if (added === undefined) return;
  const number = int(added, 'number');
  const member = { key, seq, as: 'news', renewed: null, heldAt: null, present: null, position: 0 } as const;
  const members = [{ ...member, notification: notification.number }];
  await addMembers(sql, [{ number, fresh: { channel, recipient, members } }]);
  if (settlement.state === 'sent') await markAllSent(sql, number, settlement, telling.at);
  await append(sql, [triedLine({ id, attempt: ONLY_TRY }, settlement, telling.at)]);
}
