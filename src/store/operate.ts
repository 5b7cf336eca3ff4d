// Actions of operators. Each request is carried out and answered in one transaction of the caller. A client that did
// not get its answer can repeat the request under the same key, and gets the same answer.
import { ANNOUNCER } from '../core/model/ids.ts';
import type { Transition } from '../core/model/transition.ts';
import type { Instant } from '../lib/clock.ts';
import type { Operated, OperatorWork } from './contract/operators.ts';
import type { Sql } from './sql/sql.ts';
import { askAgain, wakeHolding } from './tables/alerts/alerts.ts';
import { addNotifications } from './tables/alerts/notifications.ts';
import { append } from './tables/journal/journal.ts';
import { lockPolicy, raisePolicy } from './tables/operators/policy.ts';
import { answerTo, isIdTaken, keepAnswer } from './tables/operators/requests.ts';
import { markAnnounced } from './tables/operators/silences.ts';

export async function operate(sql: Sql, work: OperatorWork): Promise<Operated> {
  const { request, at, action, addsRow, changesPolicy } = work;
  await lockPolicy(sql);
  const before = await answerTo(sql, request);
  if (before !== null) return before;
  // The stored answer is dropped after a day, but the row that the request added may still exist.
  if (addsRow && (await isIdTaken(sql, request.key))) return { type: 'refused', why: 'key-taken' };
  const applied = await work.apply(sql);
  if (typeof applied === 'string') return { type: 'refused', why: applied };
  const { answer, lines, announced } = applied;
  await keepAnswer(sql, request, { action, answer }, at);
  await append(sql, lines);
  if (changesPolicy) {
    await raisePolicy(sql);
    await wakeHolding(sql, at);
    await askAgain(sql, at);
  }
  await addNotifications(sql, [{ watch: ANNOUNCER, transitions: announced }], at);
  return { type: 'kept', stored: { action, answer } };
}

/** Adds the transitions, and marks the silence or pause as announced. */
export async function announce(sql: Sql, id: string, transitions: readonly Transition[], at: Instant): Promise<void> {
  await markAnnounced(sql, id, at);
  await addNotifications(sql, [{ watch: ANNOUNCER, transitions }], at);
}
